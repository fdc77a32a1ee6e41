import { type Generated, type Kysely, sql } from 'kysely';
import type { CopiedTable } from '../../shared/stores/copied-tables.ts';
import type { Migrations } from '../../shared/stores/migrations.ts';
import type { SqlDialect } from '../../shared/stores/dialect.ts';
import type { LeaseTables } from './lease-store.ts';
import { createKeyv, type KeyvTables } from '../../shared/stores/keyv-store.ts';

/** The tables of the bridge's database. Columns are the properties in snake_case. */
export interface BridgeTables extends KeyvTables, LeaseTables {
  inbox: {
    arrival: Generated<number>;
    id: string;
    /** Differs after each change. */
    revision: number;
    /** That of the row; `brief` if only its id is needed for a while, `empty` if only that is left. */
    state: string;
    /** The key of the thread, if the row is a question that makes it ours. */
    thread: string | null;
    /** What keeps its order with others, while nothing has been done about the row. */
    lane: string | null;
    createdAt: number;
    /** Null if nothing is left to do. */
    dueAt: number | null;
    attempts: number;
    failingSince: number | null;
    /** The row as JSON. */
    value: string;
    expires: number | null;
  };
  /** Questions by their turn and how often it was asked again; see `Questions`. */
  questions: {
    id: string;
    attempt: number;
    /** The keys of the workspace whose limits count, of the channel and of the thread. */
    workspace: string;
    channel: string;
    thread: string;
    person: string;
    isBot: Generated<number>;
    /** Whether it counts against limits, as it does once. */
    counted: Generated<number>;
    askedMs: number;
    session: string | null;
    message: string | null;
    /** The ids of the bot's messages, as JSON. */
    posts: string;
    expires: number | null;
  };
}

export type Queries = Kysely<BridgeTables>;

const createInbox = ({ serial, integer, text }: SqlDialect) => [
  `CREATE TABLE inbox (
    arrival ${serial},
    id ${text} NOT NULL UNIQUE,
    revision ${integer} NOT NULL,
    state ${text} NOT NULL,
    thread ${text},
    created_at ${integer} NOT NULL,
    due_at ${integer},
    attempts ${integer} NOT NULL,
    failing_since ${integer},
    value ${text} NOT NULL,
    expires ${integer}
  )`,
  'CREATE INDEX inbox_due ON inbox (due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX inbox_thread ON inbox (thread) WHERE thread IS NOT NULL',
  'CREATE INDEX inbox_expires ON inbox (expires) WHERE expires IS NOT NULL',
];

const createLeases = ({ integer, text }: SqlDialect) => [
  `CREATE TABLE processes (id ${text} PRIMARY KEY, until_ms ${integer} NOT NULL)`,
  `CREATE TABLE leases (scope ${text} PRIMARY KEY, holder ${text}, epoch ${integer} NOT NULL)`,
  'CREATE INDEX leases_by_holder ON leases (holder)',
];

const addLanes = ({ text }: SqlDialect) => [
  `ALTER TABLE inbox ADD COLUMN lane ${text}`,
  'CREATE INDEX inbox_lane ON inbox (lane) WHERE lane IS NOT NULL',
];

const createQuestions = ({ integer, text }: SqlDialect) => [
  `CREATE TABLE questions (
    id ${text} NOT NULL,
    attempt ${integer} NOT NULL,
    workspace ${text} NOT NULL,
    channel ${text} NOT NULL,
    thread ${text} NOT NULL,
    person ${text} NOT NULL,
    is_bot ${integer} NOT NULL DEFAULT 0,
    counted ${integer} NOT NULL DEFAULT 0,
    asked_ms ${integer} NOT NULL,
    session ${text},
    message ${text},
    posts ${text} NOT NULL,
    expires ${integer},
    PRIMARY KEY (id, attempt)
  )`,
  ...['person', 'workspace', 'channel', 'thread'].map(
    (column) => `CREATE INDEX questions_${column} ON questions (${column}, asked_ms)`,
  ),
  'CREATE INDEX questions_session ON questions (session) WHERE session IS NOT NULL',
  'CREATE INDEX questions_expires ON questions (expires) WHERE expires IS NOT NULL',
];

/** What each version of Causeway changes, under its date and number. */
export const bridgeMigrations: Migrations = {
  '2026-11-23 0.2.0': {
    async up(db, dialect) {
      for (const statement of [...createKeyv(dialect), ...createInbox(dialect)])
        await sql.raw(statement).execute(db);
    },
  },
  '2026-11-24 0.4.0': {
    async up(db, dialect) {
      const added = [createLeases, addLanes, createQuestions].flatMap((make) => make(dialect));
      for (const statement of added) await sql.raw(statement).execute(db);
    },
  },
};

/** What a copy takes of the bridge's database: processes and their leases stay behind. */
export const copiedTables: readonly CopiedTable[] = [
  { name: 'keyv', key: ['namespace', 'key'] },
  { name: 'inbox', key: ['arrival'], serial: 'arrival' },
  { name: 'questions', key: ['id', 'attempt'] },
];
