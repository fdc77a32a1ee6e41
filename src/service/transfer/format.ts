import { z } from 'zod';
import { SourceStatus } from '../../api/data-source.ts';
import { Citation } from '../../api/message.ts';

/** The format's version. A change that an import can't read gets a new one. */
export const version = 1;

/** The first entry of an export. */
export const Manifest = z.object({
  format: z.literal('causeway-export'),
  version: z.int(),
  owner: z.string().regex(/^[\w.@-]{1,64}$/),
});

export const manifestName = 'export.json';
export const filesFolder = 'files/';

/** It becomes a file's name, so it has nothing else in it. */
const uuid = z.string().regex(/^[0-9a-f]{32}$/, 'must be a uuid of 32 hex digits');
const text = z.string().max(1_000_000);
const name = z.string().max(10_000);
const whole = z.int().min(0);
const switched = z.union([z.literal(0), z.literal(1)]);
const times = { created_ms: whole, modified_ms: whole };
const object = z.record(z.string(), z.unknown());
const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const settings = z.looseObject({
  description: text,
  prompt: text,
  model: name.optional(),
  temperature: z.number().min(0).max(2).optional(),
  bias: z.number(),
  stickness: z.number(),
  default_message: text,
  tags: z.array(z.looseObject({ name, criteria: text, color: name })).max(1000),
  variables: z.array(z.looseObject({ name, description: text, type: name })).max(1000),
  human_escalation_settings: z
    .looseObject({ monitored_messages: z.array(text).max(1000).optional() })
    .optional(),
});

const meta = z.looseObject({
  agent: z.looseObject({ uuid: name, name }).optional(),
  session_documents: z.array(name).optional(),
});

const document = z.object({
  title: text,
  blocks: z.array(
    z.object({
      text: z.string(),
      headings: z.array(text).max(100),
      page: whole.optional(),
      start: whole,
      end: whole,
    }),
  ),
});

/** A table of the database as lines of JSON, one for each row that belongs to the owner. */
export interface TransferTable {
  /** Of the table, and with `.jsonl` of the entry. */
  name: string;
  /** The columns of a row; an object or a list is a column of JSON. */
  Row: z.ZodObject;
  /** What follows `SELECT … FROM`, with one parameter, the owner. */
  from: string;
  /** Columns that are read otherwise than by their name. */
  expressions?: Record<string, string>;
  /** Columns that name a row by its uuid, which the export must contain, or are null. */
  references: readonly string[];
  /** Whose chosen sources these are: they are no table of their own. */
  chosenBy?: 'agent' | 'tag';
}

const ofChatbot = (table: string) =>
  `${table} JOIN chatbots ON chatbots.uuid = ${table}.chatbot WHERE chatbots.owner = ? ORDER BY ${table}.id`;

/** The sources that agents or tags have chosen. */
const chosenSources = (noun: 'agent' | 'tag'): TransferTable => ({
  name: `${noun}_sources`,
  Row: z.strictObject({ [noun]: uuid, source: uuid }),
  from: `choices JOIN ${noun}s ON ${noun}s.uuid = choices.${noun}
    JOIN chosen_sources ON choice = choices.id
    JOIN sources ON sources.id = chosen_sources.source
    JOIN chatbots ON chatbots.uuid = ${noun}s.chatbot
    WHERE chatbots.owner = ? ORDER BY ${noun}s.uuid, sources.uuid`,
  expressions: { [noun]: `${noun}s.uuid`, source: 'sources.uuid' },
  references: [noun, 'source'],
  chosenBy: noun,
});

/** The tables of an export, in the order of an import: rows come after those they name. */
export const tables: readonly TransferTable[] = [
  {
    name: 'chatbots',
    Row: z.strictObject({
      uuid,
      name,
      rate_messages: whole,
      rate_seconds: whole,
      rate_limit_message: text,
      show_citations: switched,
      visibility: name,
      ...times,
    }),
    from: 'chatbots WHERE owner = ? ORDER BY id',
    references: [],
  },
  {
    name: 'sources',
    Row: z.strictObject({
      uuid,
      chatbot: uuid,
      type: z.enum(['upload', 'link', 'qa']),
      identity: text.nullable(),
      title: name,
      title_is_given: switched,
      file_name: text,
      file_size: whole,
      content_type: name,
      tokens: whole,
      status: SourceStatus,
      meta: object,
      ...times,
    }),
    from: ofChatbot('sources'),
    // Vectors belong to a model, and are made again.
    expressions: {
      meta: `json_remove(sources.meta, '$.embedded', '$.embedding_error', '$.embedding_code',
        '$.embedding_params')`,
    },
    references: ['chatbot'],
  },
  {
    name: 'tags',
    Row: z.strictObject({ uuid, chatbot: uuid, name, color: name, ...times }),
    from: ofChatbot('tags'),
    references: ['chatbot'],
  },
  chosenSources('tag'),
  {
    name: 'agents',
    Row: z.strictObject({
      uuid,
      chatbot: uuid,
      name,
      type: name,
      enabled: switched,
      use_all_sources: switched,
      settings,
      ...times,
    }),
    from: ofChatbot('agents'),
    references: ['chatbot'],
  },
  chosenSources('agent'),
  {
    name: 'agent_tags',
    Row: z.strictObject({ agent: uuid, tag: uuid }),
    from: `agent_tags JOIN agents ON agents.uuid = agent_tags.agent
      JOIN chatbots ON chatbots.uuid = agents.chatbot
      WHERE chatbots.owner = ? ORDER BY agent_tags.agent, agent_tags.tag`,
    references: ['agent', 'tag'],
  },
  {
    name: 'sessions',
    Row: z.strictObject({ uuid, chatbot: uuid, variables: values, learned: values, ...times }),
    from: ofChatbot('sessions'),
    references: ['chatbot'],
  },
  {
    name: 'messages',
    Row: z.strictObject({
      uuid,
      session: uuid,
      query: text,
      response: text,
      citations: z.record(z.string(), Citation),
      finish_reason: z.enum(['', 'stop', 'length']),
      error_message: text,
      meta,
      is_done: switched,
      is_limited: switched,
      ...times,
    }),
    from: `messages JOIN sessions ON sessions.uuid = messages.session
      JOIN chatbots ON chatbots.uuid = sessions.chatbot
      WHERE chatbots.owner = ? ORDER BY messages.id`,
    references: ['session'],
  },
  {
    name: 'session_documents',
    Row: z.strictObject({
      uuid,
      file_name: name,
      document,
      created_ms: whole,
      session: uuid.nullable(),
    }),
    from: 'session_documents WHERE owner = ? ORDER BY id',
    references: ['session'],
  },
];

/** The passages of sources, which are indexed anew. Their table is the passage store's. */
export const Passage = z.strictObject({
  source: uuid,
  text,
  headings: z.array(text).max(100),
  page: whole.nullable(),
  start: whole,
  end: whole,
  tokens: whole,
});

export const passages: TransferTable = {
  name: 'passages',
  Row: Passage,
  from: `passage JOIN passage_source ON number = passage.source
    JOIN sources ON sources.uuid = passage_source.uuid
    JOIN chatbots ON chatbots.uuid = sources.chatbot
    WHERE chatbots.owner = ? ORDER BY sources.id, passage.id`,
  expressions: {
    source: 'sources.uuid',
    text: 'passage.text',
    headings: 'passage.headings',
    page: 'passage.page',
    start: 'passage."start"',
    end: 'passage."end"',
    tokens: 'passage.tokens',
  },
  references: ['source'],
};

/** The columns of a table that contain JSON. */
export function jsonColumns({ Row }: TransferTable): ReadonlySet<string> {
  const columns = Object.entries(Row.shape);
  return new Set(
    columns
      .filter(([, type]) => ['object', 'record', 'array'].includes(type.def.type))
      .map(([column]) => column),
  );
}
