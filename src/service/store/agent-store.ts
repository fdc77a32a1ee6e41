import type { DatabaseSync } from 'node:sqlite';
import type { AgentCreate, AgentUpdate } from '../../shared/api/agent.ts';
import { listChosen } from './choice-store.ts';
import { readRows } from './database.ts';
import { createTable } from './table.ts';

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
  /** Uuids of sources: only read here, and written by ChoiceStore. */
  sources: string[];
  /** Uuids of source tags whose sources it sees too. */
  sourceTags: string[];
  createdMs: number;
  modifiedMs: number;
}

interface AgentStore {
  insert(agent: AgentRecord): void;
  update(agent: AgentRecord): void;
  get(uuid: string, owner: string): AgentRecord | undefined;
  list(chatbot: string): AgentRecord[];
  each(chatbot: string): IteratorObject<AgentRecord>;
  listTypes(chatbot: string): string[];
  delete(uuid: string): void;
}

/** `insert` and `update` write several rows, so the caller opens the transaction. */
export function createAgentStore(database: DatabaseSync): AgentStore {
  const agents = createTable<AgentRecord>(database, 'agents', {
    columns: {
      uuid: 'plain',
      chatbot: 'plain',
      name: 'plain',
      type: 'plain',
      enabled: 'boolean',
      useAllSources: 'boolean',
      settings: 'json',
      sources: { computed: listChosen('agent') },
      sourceTags: {
        computed: '(SELECT json_group_array(tag) FROM agent_tags WHERE agent = agents.uuid)',
      },
      createdMs: 'plain',
      modifiedMs: 'plain',
    },
    fixed: ['chatbot', 'type', 'createdMs'],
  });
  const dropTags = database.prepare('DELETE FROM agent_tags WHERE agent = ?');
  const addTag = database.prepare('INSERT INTO agent_tags (agent, tag) VALUES (?, ?)');

  const types = database.prepare('SELECT type FROM agents WHERE chatbot = ?');

  const writeTags = (agent: AgentRecord) => {
    dropTags.run(agent.uuid);
    for (const tag of new Set(agent.sourceTags)) addTag.run(agent.uuid, tag);
  };

  return {
    insert(agent) {
      agents.insert(agent);
      writeTags(agent);
    },
    update(agent) {
      agents.update(agent);
      writeTags(agent);
    },
    delete: agents.delete,
    get: agents.select(
      `JOIN chatbots ON chatbots.uuid = agents.chatbot
       WHERE agents.uuid = ? AND chatbots.owner = ?`,
    ).first,
    list: agents.select('WHERE chatbot = ? ORDER BY agents.id').all,
    // Each may have a long prompt and thousands of sources.
    each: agents.each('chatbot = ?', { pageSize: 2 }),
    listTypes: (chatbot) => readRows<{ type: string }>(types, chatbot).map(({ type }) => type),
  };
}
