import { addressKey, parseAddressKey, type Workspace, workspaceKey } from './address.ts';
import type { Inbox } from './inbox/inbox.ts';
import { asTurn, type TurnRecord } from './inbox/row.ts';
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
}

/** A question without a helpful answer. */
export interface Gap extends Pick<TurnRecord, 'address' | 'query'> {
  reason: 'refused' | 'unhelpful';
  /** Why readers found the answer not helpful, in their words. */
  remarks: string[];
  nearest?: string;
}

/** Which questions found no helpful answer. Rejects when the store is down. */
export interface Gaps {
  refused(turn: TurnRecord, nearest?: string): Promise<void>;
  unhelpful(turn: TurnRecord): Promise<void>;
  /** Forgets those of some turns. */
  forget(turns: readonly string[]): Promise<void>;
  /** Those of a workspace, oldest first, without the ones that were deleted or became helpful. */
  list(workspace: Workspace): Promise<Gap[]>;
}

/** As long as the turns are kept; `RETENTION_DAYS` shortens both. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

export function createGaps(options: {
  store: KeyedStore<GapRecord>;
  inbox: Pick<Inbox, 'get'>;
  now: () => number;
  /** The oldest of a workspace above this number are forgotten. */
  maxKept?: number;
}): Gaps {
  const { store, inbox, now, maxKept = 1_000 } = options;

  async function note({ id, address, sources }: TurnRecord, change: Partial<GapRecord>) {
    const nearest = sources?.[0]?.title;
    const found = { thread: addressKey(address), at: now(), ...(nearest && { nearest }) };
    await store.update(id, (known) => ({ ...found, ...known, ...change }), keptMs);
    await dropOldest(address);
  }

  async function dropOldest(workspace: Workspace): Promise<void> {
    const all = await readIn(workspace);
    const excess = all.slice(0, Math.max(0, all.length - maxKept));
    for (const [id] of excess) await store.delete(id);
  }

  async function readAll(): Promise<[string, GapRecord][]> {
    return (await Array.fromAsync(store.entries())).toSorted(([, a], [, b]) => a.at - b.at);
  }

  /** Those of a workspace, oldest first. */
  async function readIn(workspace: Workspace): Promise<[string, GapRecord][]> {
    const here = workspaceKey(workspace);
    return (await readAll()).filter(([, { thread }]) => {
      const address = parseAddressKey(thread);
      return address !== undefined && workspaceKey(address) === here;
    });
  }

  async function toGap([id, { refused, nearest }]: [string, GapRecord]): Promise<Gap[]> {
    const turn = asTurn(await inbox.get(id));
    if (!turn || turn.removed) return [];
    const { address, query, feedback = {}, remarks: said = {} } = turn;
    const readers = Object.keys(feedback).filter((reader) => feedback[reader] === 'unhelpful');
    const isUnhelpful = readers.length > 0;
    if (!refused && !isUnhelpful) return [];
    const remarks = readers.flatMap((reader) => said[reader] ?? []);
    return [{ address, query, reason: isUnhelpful ? 'unhelpful' : 'refused', remarks, nearest }];
  }

  return {
    refused: (turn, nearest) => note(turn, { refused: true, ...(nearest && { nearest }) }),
    unhelpful: (turn) => note(turn, {}),
    async forget(turns) {
      for (const id of turns) await store.delete(id);
    },
    async list(workspace) {
      return (await Promise.all((await readIn(workspace)).map(toGap))).flat();
    },
  };
}
