import { createHash } from 'node:crypto';
import { messageKey } from './address.ts';
import type {
  Author,
  ButtonPress,
  IncomingMessage,
  KeyedStore,
  Source,
  ThreadAddress,
} from './ports.ts';

/** A query and its reply: what recovery after a crash and the reply's buttons need. */
export interface TurnRecord {
  id: string;
  address: ThreadAddress;
  messageId: string;
  author: Pick<Author, 'id' | 'name' | 'locale'>;
  query: string;
  /** What people said in the thread during the hand-over before, one line each. */
  context?: string;
  session?: string;
  /** The ids of the reply's messages, in order. */
  posted: string[];
  /** The cited sources, in the order of the footnotes. */
  sources?: Source[];
  /** Readers' feedback, by user id. */
  feedback?: Record<string, Feedback>;
}

export type Feedback = Extract<ButtonPress['action'], 'helpful' | 'unhelpful'>;

/** The store of turns: running ones for recovery after a crash, ended ones for their buttons. */
export interface Turns {
  open(record: TurnRecord): Promise<void>;
  /** Changes a running or ended turn; does nothing if it is no longer stored. */
  update(id: string, change: Partial<TurnRecord>): Promise<void>;
  close(id: string): Promise<void>;
  find(id: string): Promise<TurnRecord | undefined>;
  /** The turns that an earlier run left unfinished. */
  unfinished(): Promise<TurnRecord[]>;
}

/** After this time the buttons below a reply no longer work. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

export function createTurns(stores: {
  journal: KeyedStore<TurnRecord>;
  ended: KeyedStore<TurnRecord>;
}): Turns {
  const { journal, ended } = stores;
  const open = new Map<string, TurnRecord>();

  return {
    async open(record) {
      open.set(record.id, record);
      await journal.set(record.id, record);
    },
    async update(id, change) {
      const known = open.get(id);
      const record = known ?? (await ended.get(id));
      if (!record) return;
      const changed = { ...record, ...change };
      if (known) open.set(id, changed);
      await (known ? journal.set(id, changed) : ended.set(id, changed, keptMs));
    },
    async close(id) {
      const record = open.get(id) ?? (await journal.get(id));
      open.delete(id);
      if (record) await ended.set(id, record, keptMs);
      await journal.delete(id);
    },
    find: async (id) => open.get(id) ?? ended.get(id),
    async unfinished() {
      const left: TurnRecord[] = [];
      for await (const [, record] of journal.entries()) left.push(record);
      return left;
    },
  };
}

/** The id of a turn: derived from its message, and short enough for a button. */
export function turnId(message: { id: string; thread: { address: ThreadAddress } }): string {
  return createHash('sha256').update(messageKey(message)).digest('base64url').slice(0, 22);
}

/** The record of a turn that has not started. */
export function createTurnRecord(message: IncomingMessage): TurnRecord {
  const { id, author, text, thread } = message;
  return {
    id: turnId(message),
    address: thread.address,
    messageId: id,
    author: { id: author.id, name: author.name, locale: author.locale },
    query: text,
    posted: [],
  };
}
