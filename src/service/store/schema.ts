import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import type { SqlDialect } from '../../shared/stores/dialect.ts';
import type { Migrations } from '../../shared/stores/migrations.ts';
import { usageTriggers } from './usage-triggers.ts';

/** The service's queries, or those of one transaction. */
export type Queries = Kysely<ServiceTables>;

/**
 * Runs writes that concern rows of several tables in a transaction of their own, so that none waits for
 * another one that waits for it; or in the one that is open. For the scope, see `Database`.
 */
export type InTransaction = <Result>(
  work: (tx: Queries) => Promise<Result>,
  scope?: string,
) => Promise<Result>;

/** What is stored as JSON. */
type Json = string;
/** 0 or 1. */
type Flag = number;

interface Times {
  createdMs: number;
  modifiedMs: number;
}

/** The tables of the service's database. Columns are the properties in snake_case. */
export interface ServiceTables {
  /** Owners of data, by their unique names. */
  owners: { id: string; name: string; createdMs: number; bytes: Generated<number> };
  keys: {
    /** The SHA-256 of the key, never the key itself. */
    hash: Uint8Array;
    owner: string;
    /** What people call it; may be empty. */
    name: string;
    /** The start of the key, by which people recognize it; not secret. */
    prefix: string;
    createdMs: number;
    lastUsedMs: number | null;
    revokedMs: number | null;
  };
  chatbots: Times & {
    id: Generated<number>;
    uuid: string;
    owner: string;
    name: string;
    rateMessages: number;
    rateSeconds: number;
    rateLimitMessage: string;
    showCitations: Flag;
    visibility: string;
    bytes: Generated<number>;
  };
  agents: Times & {
    id: Generated<number>;
    uuid: string;
    chatbot: string;
    name: string;
    type: string;
    enabled: Flag;
    useAllSources: Flag;
    settings: Json;
  };
  tags: Times & {
    id: Generated<number>;
    uuid: string;
    chatbot: string;
    name: string;
    color: string;
  };
  sources: Times & {
    id: Generated<number>;
    uuid: string;
    chatbot: string;
    type: string;
    /** Identifies duplicates within a chatbot; null if there can be none. */
    identity: string | null;
    title: string;
    /** A user named it, so the document's own title does not replace the name. */
    titleIsGiven: Flag;
    /** For a link, its address. */
    fileName: string;
    /** Bytes. */
    fileSize: number;
    contentType: string;
    tokens: number;
    status: string;
    meta: Json;
  };
  /** The uploaded file of a source, in parts. */
  sourceFiles: { source: string; part: number; data: Uint8Array };
  /** Sources that are gone count as not chosen. Finding them by source would make each write slower. */
  agentSources: { holder: string; source: string };
  agentTags: { agent: string; tag: string };
  /** As with agents. */
  tagSources: { holder: string; source: string };
  sessions: Times & {
    id: Generated<number>;
    uuid: string;
    chatbot: string;
    variables: Json;
    learned: Json;
    bytes: Generated<number>;
  };
  messages: Times & {
    id: Generated<number>;
    uuid: string;
    session: string;
    query: string;
    response: string;
    citations: Json;
    finishReason: string;
    errorMessage: string;
    meta: Json;
    isDone: Flag;
    isLimited: Flag;
    /** Of the `Idempotency-Key` header; one message of a session has it. */
    idempotencyKey: string | null;
    /** The process that generates the reply, and until when others leave it alone. */
    generator: string | null;
    generatesUntilMs: number;
  };
  sessionDocuments: {
    id: Generated<number>;
    uuid: string;
    owner: string;
    session: string | null;
    fileName: string;
    document: Json;
    createdMs: number;
  };
  /** All that a chatbot's search sees. Its version differs after each change. */
  corpora: { id: Generated<number>; chatbot: string; version: string };
  /**
   * A version of a source's passages: the `live` one, which search sees; a `draft`, which becomes live
   * when it is whole; and what is `retired`, and deleted in steps.
   */
  sourceVersions: {
    number: Generated<number>;
    corpus: number;
    source: string;
    state: 'draft' | 'live' | 'retired';
    title: string;
    /** The terms of the title, by which all its passages are found. */
    titleTerms: Json;
    fileName: string;
    type: string;
    /** How many terms each passage has, as 32-bit numbers. */
    lengths: Uint8Array;
    indexVersion: number;
    publishedMs: Generated<number>;
    bytes: Generated<number>;
  };
  passages: {
    /** See `passageId`. */
    id: number;
    version: number;
    text: string;
    headings: Json;
    page: number | null;
    start: number;
    end: number;
    tokens: number;
    /** As ranking needs them: see `renderTerms`. */
    sentences: Json;
  };
  /** The passages of a version that have a term: 32-bit numbers, place and count in turns. */
  postings: { corpus: number; term: string; version: number; part: number; data: Uint8Array };
  passageVectors: { passage: number; version: number; model: string; vector: Uint8Array };
}

/** A row of a table. */
export type Row<Table extends keyof ServiceTables> = Selectable<ServiceTables[Table]>;

/** The tables of the first release. */
function createTables({ serial, integer, text, bytes, clustered }: SqlDialect): string[] {
  const times = `created_ms ${integer} NOT NULL, modified_ms ${integer} NOT NULL`;
  const ofChatbot = `chatbot ${text} NOT NULL REFERENCES chatbots (uuid) ON DELETE CASCADE`;
  const tables = `
    CREATE TABLE owners (
      id ${text} PRIMARY KEY,
      name ${text} NOT NULL UNIQUE,
      created_ms ${integer} NOT NULL,
      bytes ${integer} NOT NULL DEFAULT 0
    );

    CREATE TABLE keys (
      hash ${bytes} PRIMARY KEY,
      owner ${text} NOT NULL,
      name ${text} NOT NULL,
      prefix ${text} NOT NULL,
      created_ms ${integer} NOT NULL,
      last_used_ms ${integer},
      revoked_ms ${integer}
    );

    CREATE TABLE chatbots (
      id ${serial},
      uuid ${text} NOT NULL UNIQUE,
      owner ${text} NOT NULL,
      name ${text} NOT NULL,
      rate_messages ${integer} NOT NULL,
      rate_seconds ${integer} NOT NULL,
      rate_limit_message ${text} NOT NULL,
      show_citations ${integer} NOT NULL,
      visibility ${text} NOT NULL,
      bytes ${integer} NOT NULL DEFAULT 0,
      ${times}
    );
    CREATE INDEX chatbots_by_owner ON chatbots (owner, id);

    CREATE TABLE agents (
      id ${serial},
      uuid ${text} NOT NULL UNIQUE,
      ${ofChatbot},
      name ${text} NOT NULL,
      type ${text} NOT NULL,
      enabled ${integer} NOT NULL,
      use_all_sources ${integer} NOT NULL,
      settings ${text} NOT NULL,
      ${times}
    );
    CREATE INDEX agents_by_chatbot ON agents (chatbot, id);

    CREATE TABLE tags (
      id ${serial},
      uuid ${text} NOT NULL UNIQUE,
      ${ofChatbot},
      name ${text} NOT NULL,
      color ${text} NOT NULL,
      ${times}
    );
    CREATE INDEX tags_by_chatbot ON tags (chatbot, id);

    CREATE TABLE sources (
      id ${serial},
      uuid ${text} NOT NULL UNIQUE,
      ${ofChatbot},
      type ${text} NOT NULL,
      identity ${text},
      title ${text} NOT NULL,
      title_is_given ${integer} NOT NULL,
      file_name ${text} NOT NULL,
      file_size ${integer} NOT NULL,
      content_type ${text} NOT NULL,
      tokens ${integer} NOT NULL,
      status ${text} NOT NULL,
      meta ${text} NOT NULL,
      ${times},
      UNIQUE (chatbot, identity)
    );
    CREATE INDEX sources_by_chatbot ON sources (chatbot, id);
    CREATE INDEX sources_by_status ON sources (status, id);

    CREATE TABLE source_files (
      source ${text} NOT NULL REFERENCES sources (uuid) ON DELETE CASCADE,
      part ${integer} NOT NULL,
      data ${bytes} NOT NULL,
      PRIMARY KEY (source, part)
    );

    CREATE TABLE agent_sources (
      holder ${text} NOT NULL REFERENCES agents (uuid) ON DELETE CASCADE,
      source ${text} NOT NULL,
      PRIMARY KEY (holder, source)
    ) ${clustered};

    CREATE TABLE agent_tags (
      agent ${text} NOT NULL REFERENCES agents (uuid) ON DELETE CASCADE,
      tag ${text} NOT NULL REFERENCES tags (uuid) ON DELETE CASCADE,
      PRIMARY KEY (agent, tag)
    ) ${clustered};
    CREATE INDEX agent_tags_by_tag ON agent_tags (tag);

    CREATE TABLE tag_sources (
      holder ${text} NOT NULL REFERENCES tags (uuid) ON DELETE CASCADE,
      source ${text} NOT NULL,
      PRIMARY KEY (holder, source)
    ) ${clustered};

    CREATE TABLE sessions (
      id ${serial},
      uuid ${text} NOT NULL UNIQUE,
      ${ofChatbot},
      variables ${text} NOT NULL,
      learned ${text} NOT NULL,
      bytes ${integer} NOT NULL DEFAULT 0,
      ${times}
    );
    CREATE INDEX sessions_by_chatbot ON sessions (chatbot, id);
    CREATE INDEX sessions_by_use ON sessions (modified_ms);

    CREATE TABLE messages (
      id ${serial},
      uuid ${text} NOT NULL UNIQUE,
      session ${text} NOT NULL REFERENCES sessions (uuid) ON DELETE CASCADE,
      query ${text} NOT NULL,
      response ${text} NOT NULL,
      citations ${text} NOT NULL,
      finish_reason ${text} NOT NULL,
      error_message ${text} NOT NULL,
      meta ${text} NOT NULL,
      is_done ${integer} NOT NULL,
      is_limited ${integer} NOT NULL,
      ${times}
    );
    CREATE INDEX messages_by_session ON messages (session, id);
    CREATE INDEX messages_by_time ON messages (session, created_ms);
    CREATE INDEX messages_running ON messages (id) WHERE is_done = 0;

    CREATE TABLE reply_deltas (
      id ${integer} PRIMARY KEY,
      message ${text} NOT NULL,
      delta ${text} NOT NULL
    );

    CREATE TABLE session_documents (
      id ${serial},
      uuid ${text} NOT NULL UNIQUE,
      owner ${text} NOT NULL,
      session ${text} REFERENCES sessions (uuid) ON DELETE CASCADE,
      file_name ${text} NOT NULL,
      document ${text} NOT NULL,
      created_ms ${integer} NOT NULL
    );
    CREATE INDEX session_documents_by_owner ON session_documents (owner);
    CREATE INDEX session_documents_by_session ON session_documents (session, id);
    CREATE INDEX session_documents_by_age ON session_documents (created_ms);

    CREATE TABLE corpora (
      id ${serial},
      chatbot ${text} NOT NULL UNIQUE,
      version ${text} NOT NULL
    );

    CREATE TABLE source_versions (
      number ${serial},
      corpus ${integer} NOT NULL REFERENCES corpora (id),
      source ${text} NOT NULL,
      state ${text} NOT NULL,
      title ${text} NOT NULL,
      title_terms ${text} NOT NULL,
      file_name ${text} NOT NULL,
      type ${text} NOT NULL,
      lengths ${bytes} NOT NULL,
      index_version ${integer} NOT NULL,
      published_ms ${integer} NOT NULL DEFAULT 0,
      bytes ${integer} NOT NULL DEFAULT 0
    );
    CREATE UNIQUE INDEX source_versions_live ON source_versions (source) WHERE state = 'live';
    CREATE INDEX source_versions_by_source ON source_versions (source);
    CREATE INDEX source_versions_by_corpus ON source_versions (corpus, number);
    CREATE INDEX source_versions_hidden ON source_versions (state) WHERE state <> 'live';

    CREATE TABLE passages (
      id ${integer} PRIMARY KEY,
      version ${integer} NOT NULL REFERENCES source_versions (number),
      text ${text} NOT NULL,
      headings ${text} NOT NULL,
      page ${integer},
      "start" ${integer} NOT NULL,
      "end" ${integer} NOT NULL,
      tokens ${integer} NOT NULL,
      sentences ${text} NOT NULL
    );
    CREATE INDEX passages_by_version ON passages (version);

    CREATE TABLE postings (
      corpus ${integer} NOT NULL,
      term ${text} NOT NULL,
      version ${integer} NOT NULL REFERENCES source_versions (number),
      part ${integer} NOT NULL,
      data ${bytes} NOT NULL,
      PRIMARY KEY (corpus, term, version, part)
    ) ${clustered};
    CREATE INDEX postings_by_version ON postings (version, part);

    CREATE TABLE passage_vectors (
      passage ${integer} PRIMARY KEY REFERENCES passages (id) ON DELETE CASCADE,
      version ${integer} NOT NULL,
      model ${text} NOT NULL,
      vector ${bytes} NOT NULL
    );
    CREATE INDEX passage_vectors_by_version ON passage_vectors (version);
  `;
  return tables.split(';\n').filter((statement) => statement.trim() !== '');
}

/** What each version of Causeway changes, under its date and number. */
export const serviceMigrations: Migrations = {
  '2026-11-23 0.2.0': {
    async up(db, dialect) {
      const triggers = usageTriggers.flatMap(dialect.renderTrigger);
      for (const statement of [...createTables(dialect), ...triggers]) {
        await sql.raw(statement).execute(db);
      }
    },
  },
  // A message names the query's idempotency key, and has its reply's text while that is generated.
  '2026-11-24 0.3.0': {
    async up(db, { integer, text }) {
      for (const column of [
        `idempotency_key ${text}`,
        `generator ${text}`,
        `generates_until_ms ${integer} NOT NULL DEFAULT 0`,
      ]) {
        await sql.raw(`ALTER TABLE messages ADD COLUMN ${column}`).execute(db);
      }
      await sql`CREATE UNIQUE INDEX messages_by_key ON messages (session, idempotency_key)`.execute(
        db,
      );
      const deltas = await sql<{ message: string; delta: string }>`
        SELECT message, delta FROM reply_deltas ORDER BY id
      `.execute(db);
      for (const { message, delta } of deltas.rows) {
        await sql`
          UPDATE messages SET response = response || ${delta} WHERE uuid = ${message} AND is_done = 0
        `.execute(db);
      }
      await sql`DROP TABLE reply_deltas`.execute(db);
    },
  },
};
