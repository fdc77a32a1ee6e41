import type { ThreadAddress, Workspace } from '../address.ts';
import type { InboxRow, TurnState } from './row.ts';

/**
 * What happened on the platforms, a row each: stored before it is acknowledged, and kept until
 * nothing is left to do about it. Rows that are done expire. Every method rejects when the store is
 * down.
 */
export interface Inbox {
  /** Inserts a row; false if there is one with its id. */
  insert(row: InboxRow): Promise<boolean>;
  /** The row; undefined if there is none, or if it can't be read. */
  get(id: string): Promise<InboxRow | undefined>;
  /**
   * Changes a row, if it is in one of these states or as it is asked. Resolves with the new row, or
   * undefined if nothing was changed. A function is given the row as it is stored now, and may run
   * several times; only its last run counts.
   */
  update(
    id: string,
    change: Partial<InboxRow> | ((row: InboxRow) => Partial<InboxRow>),
    from?: readonly TurnState[] | ((row: InboxRow) => boolean),
  ): Promise<InboxRow | undefined>;
  /** The rows that contain one of these words, as JSON has it. */
  naming(words: readonly string[]): Promise<InboxRow[]>;
  /** Leaves nothing of a row but its id, by which a redelivery is recognized. */
  empty(id: string): Promise<void>;
  /** The rows that are due, in order of arrival. Those that can't be read are set aside. */
  claimDue(now: number): Promise<{ rows: InboxRow[]; unreadable: string[] }>;
  /**
   * The rows of a lane (`laneOf`) that are due, by this clock or that of whoever stored them, and that
   * nothing was done about, in order of arrival.
   */
  receivedIn(lane: string, now: number): Promise<InboxRow[]>;
  /** The rows of a workspace, or of all, in which something is left to do. */
  openIn(workspace?: Workspace): Promise<InboxRow[]>;
  /** Deletes all rows of a workspace. */
  deleteIn(workspace: Workspace): Promise<void>;
  /** Whether a question was asked in a thread. */
  hasTurnIn(thread: ThreadAddress): Promise<boolean>;
  /** How many rows have something left to do, by state, and when the oldest of each was stored. */
  backlog(): Promise<Backlog[]>;
}

export interface Backlog {
  state: TurnState;
  open: number;
  /** Milliseconds since the epoch. */
  oldest: number;
}

/** The states of a turn that has not ended. */
export const unfinished: readonly TurnState[] = [
  'command',
  'accepted',
  'asking',
  'showing',
  'ending',
];
