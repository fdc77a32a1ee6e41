import type { AgentCreate, AgentUpdate } from '../../shared/api/agent.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { eachById } from '../../shared/stores/pages.ts';
import type { Queries, Row } from './schema.ts';
import { createSourceChoices } from './tag-store.ts';

/** An agent's prompt and behaviour, stored as one JSON column. */
export interface AgentSettings {
  description: string;
  prompt: string;
  /** Absent: the service's default model. */
  model?: string;
  /** Absent: the model's default. */
  temperature?: number;
  bias: number;
  stickness: number;
  default_message: string;
  tags: Extract<NonNullable<AgentCreate['tags']>, readonly unknown[]>;
  variables: NonNullable<AgentUpdate['variables']>;
  /** Absent: never set. */
  human_escalation_settings?: AgentUpdate['human_escalation_settings'];
}

export interface AgentRecord extends Omit<
  Row<'agents'>,
  'id' | 'enabled' | 'useAllSources' | 'settings'
> {
  enabled: boolean;
  useAllSources: boolean;
  settings: AgentSettings;
  /** Uuids of sources, in the order in which those were added. */
  sources: string[];
  /** Uuids of source tags whose sources it sees too. */
  sourceTags: string[];
}

/** Each may have a long prompt and thousands of sources. */
const pageSize = 2;

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createAgentStore(db: Queries) {
  const select = () => db.selectFrom('agents').selectAll('agents');
  const chosen = createSourceChoices(db, 'agents');

  async function toAgent(found: Row<'agents'>): Promise<AgentRecord> {
    const { id: _, ...row } = found;
    const tags = await db
      .selectFrom('agentTags')
      .select('tag')
      .where('agent', '=', row.uuid)
      .orderBy('tag')
      .execute();
    return {
      ...row,
      enabled: row.enabled === 1,
      useAllSources: row.useAllSources === 1,
      settings: JSON.parse(row.settings) as AgentSettings,
      sources: await chosen.of(row.uuid),
      sourceTags: tags.map(({ tag }) => tag),
    };
  }

  async function writeTags({ uuid: agent, sourceTags }: AgentRecord): Promise<void> {
    await db.deleteFrom('agentTags').where('agent', '=', agent).execute();
    const rows = [...new Set(sourceTags)].map((tag) => ({ agent, tag }));
    if (rows.length > 0) await db.insertInto('agentTags').values(rows).execute();
  }

  return {
    async insert(agent: AgentRecord) {
      const { uuid, chatbot, createdMs } = agent;
      await db
        .insertInto('agents')
        .values({ uuid, chatbot, createdMs, type: agent.type, ...toColumns(agent) })
        .execute();
      await chosen.set(uuid, agent.sources);
      await writeTags(agent);
    },
    /** Writes what can change of an agent. Sources that have not changed are left as they are. */
    async update(before: AgentRecord, agent: AgentRecord) {
      const { uuid } = agent;
      await db.updateTable('agents').set(toColumns(agent)).where('uuid', '=', uuid).execute();
      if (agent.sources !== before.sources) await chosen.set(uuid, agent.sources);
      await writeTags(agent);
    },
    async get(uuid: string, owner: string) {
      const row = await select()
        .innerJoin('chatbots', 'chatbots.uuid', 'agents.chatbot')
        .where('agents.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toAgent(row);
    },
    async list(chatbot: string) {
      const rows = await select().where('chatbot', '=', chatbot).orderBy('id').execute();
      return Promise.all(rows.map(toAgent));
    },
    each: (chatbot: string) =>
      mapEach(eachById(select().where('chatbot', '=', chatbot), pageSize), toAgent),
    async listTypes(chatbot: string) {
      const rows = await db
        .selectFrom('agents')
        .select('type')
        .where('chatbot', '=', chatbot)
        .execute();
      return rows.map(({ type }) => type);
    },
    /** Deletes sources that are gone from what a chatbot's agents have chosen, an agent at a time. */
    forgetSources: chosen.forget,
    async delete(uuid: string) {
      await db.deleteFrom('agents').where('uuid', '=', uuid).execute();
    },
  };
}

/** What of an agent can change. */
function toColumns({ name, enabled, useAllSources, settings, modifiedMs }: AgentRecord) {
  return {
    name,
    enabled: Number(enabled),
    useAllSources: Number(useAllSources),
    settings: JSON.stringify(settings),
    modifiedMs,
  };
}
