import { keepTrying } from '../../../shared/primitives/retry.ts';
import { unfinished } from '../inbox/inbox.ts';
import { LostLeaseError } from '../leases.ts';
import { asTurn, type InboxRow, type TurnRecord, type TurnState } from '../inbox/row.ts';
import type { Tools } from '../tools.ts';

/**
 * The row of a turn that is under way. While the store fails, the turn goes on all the same: what
 * could not be stored is stored with a later step. Nothing rejects, unless another process has the turn.
 */
export class TurnProgress {
  turn: TurnRecord;
  readonly #tools: Tools;
  /** What is still to be stored. */
  #missing: Partial<InboxRow> = {};

  constructor(turn: TurnRecord, tools: Tools) {
    this.turn = turn;
    this.#tools = tools;
  }

  /** Stores a step, if the row is in one of these states. */
  async store(change: Partial<InboxRow>, from: readonly TurnState[] = unfinished): Promise<void> {
    const { inbox } = this.#tools;
    const { id } = this.turn;
    try {
      const stored = asTurn(await inbox.update(id, { ...this.#missing, ...change }, from));
      if (stored) this.#missing = {};
      this.turn = stored ?? this.turn;
    } catch (error) {
      if (error instanceof LostLeaseError) throw error;
      this.#logFailure(error);
      // The state is the last step's own: an earlier one must not come after it.
      const { state: _, ...fields } = change;
      this.#missing = { ...this.#missing, ...fields };
      this.turn = { ...this.turn, ...change };
    }
  }

  /** Stores the last step, again and again while that fails: the thread's next turn builds on it. */
  async end(change: Partial<InboxRow>): Promise<void> {
    const { inbox, sessions, questions, closing } = this.#tools;
    let lost: LostLeaseError | undefined;
    const write = async () => {
      // A session that was created meanwhile is in the row only.
      const stored = asTurn(await inbox.get(this.turn.id)) ?? this.turn;
      const kept = { ...stored, ...this.#missing } as TurnRecord;
      const { session, answer, address, id, posted } = kept;
      if (session !== undefined) {
        await sessions.remember(address, { session, turn: id, message: answer });
      }
      if (session !== undefined || posted.length > 0) await questions.keep(kept);
      await inbox.update(id, { ...this.#missing, ...change }, unfinished);
    };
    const onFirstFailure = (error: unknown) => this.#logFailure(error);
    const mayRetry = (error: unknown) => {
      if (error instanceof LostLeaseError) lost = error;
      return lost === undefined;
    };
    await keepTrying(write, { signal: closing, onFirstFailure, mayRetry }).done;
    if (lost) throw lost;
  }

  #logFailure(error: unknown): void {
    this.#tools.log.error({ err: error, turn: this.turn.id }, 'a step of a turn was not stored');
  }
}
