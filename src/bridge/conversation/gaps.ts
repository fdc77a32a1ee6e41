import { addressKey, type Workspace, workspaceKey } from './address.ts';
import type { Inbox } from './inbox/inbox.ts';
import { asTurn, isLeftOpen, type TurnRecord } from './inbox/row.ts';
import type { KeyedStore } from './keyed-store.ts';

/** What the store keeps of a question without a helpful answer; its words stay in its turn alone. */
export interface GapRecord {
  /** The key of the thread's address. */
  thread: string;
  at: number;
  /** The service said that it found no answer. */
  refused?: true;
  /** The title of the source that came closest. */
  nearest?: string;
  /** Who has taught an answer, or is about to: until then, nobody else can. */
  answer?: { by: string; until?: number };
}

/** A question without a helpful answer; its uuid is that of its turn. */
export interface Gap extends Pick<TurnRecord, 'address' | 'query' | 'tags'> {
  uuid: string;
  /** ISO 8601. */
  created_at: string;
  reason: 'refused' | 'unhelpful';
  /** Why readers found the answer not helpful, in their words. */
  remarks: string[];
  nearest?: string;
  /** The message, if the question has opened no thread: nothing was posted. */
  unopened?: string;
}

/** The turn of a question. */
interface Asked {
  id: string;
  address: Workspace;
}

/** Which questions found no helpful answer. Rejects when the store is down. */
export interface Gaps {
  refused(turn: TurnRecord, nearest?: string): Promise<void>;
  unhelpful(turn: TurnRecord): Promise<void>;
  /** Asked again, a question found an answer: it is open only if readers find that not helpful. */
  answered(turn: Asked): Promise<void>;
  /** Forgets those of some turns. */
  forget(turns: readonly Asked[]): Promise<void>;
  /**
   * Somebody is about to teach the answer: nobody else can do so meanwhile. Resolves with the name of
   * whoever already has, or is about to.
   */
  take(turn: Asked, by: string): Promise<string | undefined>;
  /** No answer was taught after all. */
  release(turn: Asked): Promise<void>;
  /** The answer was taught: the question is open again only if it still gets no helpful answer. */
  taught(turn: Asked): Promise<void>;
  /**
   * Those of a workspace, oldest first, without the ones that were deleted, became helpful, or are
   * being answered.
   */
  list(workspace: Workspace): Promise<Gap[]>;
}

/** As long as the turns are kept; `RETENTION_DAYS` shortens both. */
const keptMs = 30 * 24 * 60 * 60 * 1000;
/** An answer that is not taught by then can be taught by somebody else. */
const takenMs = 15 * 60 * 1000;

export function createGaps(options: {
  /** By the key of the workspace and the id of the turn. */
  store: KeyedStore<GapRecord>;
  /** By the id alone, as former versions stored them: it only loses entries, as they expire. */
  former: KeyedStore<GapRecord>;
  inbox: Pick<Inbox, 'get'>;
  now: () => number;
  /** The oldest of a workspace above this number are forgotten, with some delay. */
  maxKept?: number;
}): Gaps {
  const { store, former, inbox, now, maxKept = 1_000 } = options;
  /** Looking for the oldest reads all of the workspace, so it is not done each time. */
  const lookEvery = Math.ceil(maxKept / 10);
  let noted = 0;

  async function find({ id, address }: Asked): Promise<[KeyedStore<GapRecord>, string]> {
    return (await former.get(id)) ? [former, id] : [store, `${workspaceKey(address)}:${id}`];
  }

  async function note(turn: TurnRecord, change: Partial<GapRecord>) {
    const { address, sources } = turn;
    const nearest = sources?.[0]?.title;
    const found = { thread: addressKey(address), at: now(), ...(nearest && { nearest }) };
    const [where, key] = await find(turn);
    await where.update(
      key,
      (known) => ({
        ...found,
        ...known,
        ...change,
        answer: isBeing(known) ? known?.answer : undefined,
      }),
      keptMs,
    );
    noted += 1;
    if (noted % lookEvery === 0) await dropOldest(address);
  }

  /** Whether somebody is about to teach the answer. */
  function isBeing(known: GapRecord | undefined): boolean {
    return (known?.answer?.until ?? 0) > now();
  }

  function isTaken(known: GapRecord): boolean {
    return known.answer !== undefined && (known.answer.until === undefined || isBeing(known));
  }

  async function change(turn: Asked, next: (known: GapRecord) => GapRecord) {
    const [where, key] = await find(turn);
    return where.update(key, (known) => known && next(known), keptMs);
  }

  async function drop(turn: Asked): Promise<void> {
    const [where, key] = await find(turn);
    await where.delete(key);
  }

  async function dropOldest(address: Workspace): Promise<void> {
    const all = await readIn(address);
    const excess = all.slice(0, Math.max(0, all.length - maxKept));
    for (const [id] of excess) await drop({ id, address });
  }

  /** Those of a workspace by the ids of their turns, oldest first. */
  async function readIn(workspace: Workspace): Promise<[string, GapRecord][]> {
    const here = `${workspaceKey(workspace)}:`;
    const all: [string, GapRecord][] = [];
    for await (const [key, known] of store.entries(here)) all.push([key.slice(here.length), known]);
    for await (const entry of former.entries()) {
      if (entry[1].thread.startsWith(here)) all.push(entry);
    }
    return all.toSorted(([, a], [, b]) => a.at - b.at);
  }

  async function toGap([id, known]: [string, GapRecord]): Promise<Gap[]> {
    const { at, refused, nearest } = known;
    if (isTaken(known)) return [];
    const turn = asTurn(await inbox.get(id));
    if (!turn || turn.removed) return [];
    const { address, query, tags, messageId, feedback = {}, remarks: said = {} } = turn;
    const readers = Object.keys(feedback).filter((reader) => feedback[reader] === 'unhelpful');
    const isUnhelpful = readers.length > 0;
    if (!refused && !isUnhelpful) return [];
    const remarks = readers.flatMap((reader) => said[reader] ?? []);
    const reason = isUnhelpful ? 'unhelpful' : 'refused';
    const created_at = new Date(at).toISOString();
    // A post of a forum, which has tags, is a thread without an answer, too.
    const isUnopened = isLeftOpen(turn) && address.thread === messageId && !tags;
    const unopened = isUnopened ? messageId : undefined;
    return [{ uuid: id, created_at, address, query, tags, reason, remarks, nearest, unopened }];
  }

  return {
    refused: (turn, nearest) => note(turn, { refused: true, ...(nearest && { nearest }) }),
    unhelpful: (turn) => note(turn, {}),
    async answered(turn) {
      await change(turn, (known) => ({ ...known, refused: undefined }));
    },
    async take(turn, by) {
      const until = now() + takenMs;
      const { before } = await change(turn, (known) =>
        isTaken(known) ? known : { ...known, answer: { by, until } },
      );
      return before && isTaken(before) ? before.answer?.by : undefined;
    },
    async release(turn) {
      await change(turn, (known) => ({ ...known, answer: undefined }));
    },
    async taught(turn) {
      await change(turn, ({ answer = { by: '' }, ...known }) => ({
        ...known,
        answer: { by: answer.by },
      }));
    },
    async forget(turns) {
      for (const turn of turns) await drop(turn);
    },
    async list(workspace) {
      return (await Promise.all((await readIn(workspace)).map(toGap))).flat();
    },
  };
}
