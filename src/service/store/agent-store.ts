import type { Selectable } from 'kysely';
import type { AgentCreate, AgentUpdate } from '../../shared/api/agent.ts';
import { toBatches } from '../../shared/primitives/iterables.ts';
import { inPages } from '../../shared/stores/pages.ts';
import type { Queries, ServiceTables } from './schema.ts';

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

export interface AgentRecord {
  uuid: string;
  chatbot: string;
  name: string;
  type: string;
  enabled: boolean;
  useAllSources: boolean;
  settings: AgentSettings;
  /** Uuids of sources, in the order in which those were added. */
  sources: string[];
  /** Uuids of source tags whose sources it sees too. */
  sourceTags: string[];
  createdMs: number;
  modifiedMs: number;
}

interface AgentStore {
  insert(agent: AgentRecord): Promise<void>;
  /** Writes what can change of an agent. Sources that have not changed are left as they are. */
  update(before: AgentRecord, agent: AgentRecord): Promise<void>;
  get(uuid: string, owner: string): Promise<AgentRecord | undefined>;
  list(chatbot: string): Promise<AgentRecord[]>;
  each(chatbot: string): AsyncGenerator<AgentRecord, void>;
  listTypes(chatbot: string): Promise<string[]>;
  /** Deletes sources that are gone from what a chatbot's agents have chosen, an agent at a time. */
  forgetSources(chatbot: string, sources: readonly string[]): Promise<void>;
  delete(uuid: string): Promise<void>;
}

/** Each may have a long prompt and thousands of sources. */
const pageSize = 2;
/** Sources written by one statement. */
const batchSize = 200;

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createAgentStore(db: Queries): AgentStore {
  const select = () => db.selectFrom('agents').selectAll('agents');

  async function toAgent(found: Row): Promise<AgentRecord> {
    const { id: _, ...row } = found;
    const sources = await db
      .selectFrom('agentSources')
      .innerJoin('sources', 'sources.uuid', 'agentSources.source')
      .select('source')
      .where('agent', '=', row.uuid)
      .orderBy('sources.id')
      .execute();
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
      sources: sources.map(({ source }) => source),
      sourceTags: tags.map(({ tag }) => tag),
    };
  }

  async function writeSources({ uuid: agent, sources }: AgentRecord): Promise<void> {
    await db.deleteFrom('agentSources').where('agent', '=', agent).execute();
    for (const batch of toBatches(new Set(sources), batchSize)) {
      const rows = batch.map((source) => ({ agent, source }));
      await db.insertInto('agentSources').values(rows).execute();
    }
  }

  async function writeTags({ uuid: agent, sourceTags }: AgentRecord): Promise<void> {
    await db.deleteFrom('agentTags').where('agent', '=', agent).execute();
    const rows = [...new Set(sourceTags)].map((tag) => ({ agent, tag }));
    if (rows.length > 0) await db.insertInto('agentTags').values(rows).execute();
  }

  return {
    async insert(agent) {
      const { uuid, chatbot, createdMs } = agent;
      await db
        .insertInto('agents')
        .values({ uuid, chatbot, createdMs, type: agent.type, ...toColumns(agent) })
        .execute();
      await writeSources(agent);
      await writeTags(agent);
    },
    async update(before, agent) {
      const { uuid } = agent;
      await db.updateTable('agents').set(toColumns(agent)).where('uuid', '=', uuid).execute();
      if (agent.sources !== before.sources) await writeSources(agent);
      await writeTags(agent);
    },
    async get(uuid, owner) {
      const row = await select()
        .innerJoin('chatbots', 'chatbots.uuid', 'agents.chatbot')
        .where('agents.uuid', '=', uuid)
        .where('chatbots.owner', '=', owner)
        .executeTakeFirst();
      return row && toAgent(row);
    },
    async list(chatbot) {
      const rows = await select().where('chatbot', '=', chatbot).orderBy('id').execute();
      return Promise.all(rows.map(toAgent));
    },
    async *each(chatbot) {
      const pages = inPages(pageSize, (after = 0, size) =>
        select()
          .where('chatbot', '=', chatbot)
          .where('id', '>', after)
          .orderBy('id')
          .limit(size)
          .execute(),
      );
      for await (const row of pages) yield await toAgent(row);
    },
    async listTypes(chatbot) {
      const rows = await db
        .selectFrom('agents')
        .select('type')
        .where('chatbot', '=', chatbot)
        .execute();
      return rows.map(({ type }) => type);
    },
    async forgetSources(chatbot, sources) {
      const agents = await db
        .selectFrom('agents')
        .select('uuid')
        .where('chatbot', '=', chatbot)
        .execute();
      for (const { uuid } of agents) {
        for (const batch of toBatches(sources, batchSize)) {
          await db
            .deleteFrom('agentSources')
            .where('agent', '=', uuid)
            .where('source', 'in', batch)
            .execute();
        }
      }
    },
    async delete(uuid) {
      await db.deleteFrom('agents').where('uuid', '=', uuid).execute();
    },
  };
}

type Row = Selectable<ServiceTables['agents']>;

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
