import type { ThreadAddress } from '../ports.ts';
import type { TurnRow, TurnState } from './turn-record.ts';

/**
 * The messages that platforms delivered, and the turns that follow from them. Rows that have ended
 * expire. Every method rejects when the store is down.
 */
export interface TurnStore {
  /** Inserts a row; false if its message is known. */
  insert(row: TurnRow): Promise<boolean>;
  /** The row; undefined if there is none, or if it can't be read. */
  get(id: string): Promise<TurnRow | undefined>;
  /**
   * Changes a row, if it is in one of these states. Resolves with the new row, or undefined if
   * nothing was changed.
   */
  update(
    id: string,
    change: Partial<TurnRow>,
    from?: readonly TurnState[],
  ): Promise<TurnRow | undefined>;
  delete(id: string): Promise<void>;
  /** Whether a question was asked in a thread. */
  hasTurnIn(thread: ThreadAddress): Promise<boolean>;
  /**
   * The rows to continue after a restart, in order of arrival; those that can't be read are set
   * aside. Not ended, or `unsettled`.
   */
  unfinished(): Promise<{ rows: TurnRow[]; unreadable: string[] }>;
}
