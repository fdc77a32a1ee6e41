import type { DatabaseSync } from 'node:sqlite';
import type { AgentCreate, AgentUpdate } from '../../api/agent.ts';
import { readRows } from './database.ts';

/** An agent's prompt and behaviour, stored as one JSON column. */
export interface AgentSettings {
  description: string;
  prompt: string;
  /** Absent: the service's default model. */
  model?: string;
  temperature: number;
  bias: number;
  stickness: number;
  default_message: string;
  tags: Extract<NonNullable<AgentCreate['tags']>, readonly unknown[]>;
  variables: NonNullable<AgentUpdate['variables']>;
  human_escalation_settings: NonNullable<AgentUpdate['human_escalation_settings']>;
}

export interface AgentRecord {
  uuid: string;
  chatbot: string;
  name: string;
  type: string;
  enabled: boolean;
  useAllSources: boolean;
  settings: AgentSettings;
  sources: string[];
  /** Uuids of source tags whose sources it sees too. */
  sourceTags: string[];
  createdMs: number;
  modifiedMs: number;
}

export interface AgentStore {
  insert(agent: AgentRecord): void;
  update(agent: AgentRecord): void;
  get(uuid: string, owner: string): AgentRecord | undefined;
  list(chatbot: string): AgentRecord[];
  delete(uuid: string): void;
}

interface Row {
  uuid: string;
  chatbot: string;
  name: string;
  type: string;
  enabled: number;
  useAllSources: number;
  settings: string;
  sources: string;
  sourceTags: string;
  createdMs: number;
  modifiedMs: number;
}

const select = `SELECT agents.uuid, agents.chatbot, agents.name, agents.type, agents.enabled,
  agents.use_all_sources AS useAllSources, agents.settings,
  (SELECT json_group_array(source) FROM agent_sources WHERE agent = agents.uuid) AS sources,
  (SELECT json_group_array(tag) FROM agent_tags WHERE agent = agents.uuid) AS sourceTags,
  agents.created_ms AS createdMs, agents.modified_ms AS modifiedMs FROM agents`;

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createAgentStore(database: DatabaseSync): AgentStore {
  const insert = database.prepare(
    `INSERT INTO agents (uuid, chatbot, name, type, enabled, use_all_sources, settings,
       created_ms, modified_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    `UPDATE agents SET name = ?, enabled = ?, use_all_sources = ?, settings = ?, modified_ms = ?
     WHERE uuid = ?`,
  );
  const dropSources = database.prepare('DELETE FROM agent_sources WHERE agent = ?');
  const addSource = database.prepare('INSERT INTO agent_sources (agent, source) VALUES (?, ?)');
  const dropTags = database.prepare('DELETE FROM agent_tags WHERE agent = ?');
  const addTag = database.prepare('INSERT INTO agent_tags (agent, tag) VALUES (?, ?)');
  const get = database.prepare(
    `${select} JOIN chatbots ON chatbots.uuid = agents.chatbot
     WHERE agents.uuid = ? AND chatbots.owner = ?`,
  );
  const list = database.prepare(`${select} WHERE chatbot = ? ORDER BY agents.id`);
  const remove = database.prepare('DELETE FROM agents WHERE uuid = ?');

  const writeSources = (agent: AgentRecord) => {
    dropSources.run(agent.uuid);
    for (const source of new Set(agent.sources)) addSource.run(agent.uuid, source);
    dropTags.run(agent.uuid);
    for (const tag of new Set(agent.sourceTags)) addTag.run(agent.uuid, tag);
  };

  return {
    insert(agent) {
      insert.run(
        agent.uuid,
        agent.chatbot,
        agent.name,
        agent.type,
        Number(agent.enabled),
        Number(agent.useAllSources),
        JSON.stringify(agent.settings),
        agent.createdMs,
        agent.modifiedMs,
      );
      writeSources(agent);
    },
    update(agent) {
      update.run(
        agent.name,
        Number(agent.enabled),
        Number(agent.useAllSources),
        JSON.stringify(agent.settings),
        agent.modifiedMs,
        agent.uuid,
      );
      writeSources(agent);
    },
    get(uuid, owner) {
      const row = get.get(uuid, owner) as Row | undefined;
      return row && fromRow(row);
    },
    list: (chatbot) => readRows<Row>(list, chatbot).map(fromRow),
    delete(uuid) {
      remove.run(uuid);
    },
  };
}

function fromRow(row: Row): AgentRecord {
  return {
    ...row,
    enabled: row.enabled === 1,
    useAllSources: row.useAllSources === 1,
    settings: JSON.parse(row.settings) as AgentSettings,
    sources: JSON.parse(row.sources) as string[],
    sourceTags: JSON.parse(row.sourceTags) as string[],
  };
}
