import { keepTrying } from '../../../shared/primitives/keep-trying.ts';
import { addressKey, type ThreadAddress } from '../address.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Sessions } from '../sessions.ts';
import {
  asTurn,
  type TurnRecord,
  type TurnRow,
  type TurnState,
  type TurnStore,
} from './turn-record.ts';

/** The states of a turn that has not ended. */
export const unfinished: readonly TurnState[] = [
  'command',
  'accepted',
  'asking',
  'showing',
  'ending',
];

/**
 * Stores the steps of turns that are under way. While the store fails, they go on all the same: what
 * could not be stored is stored with a later step. Never rejects.
 */
export interface TurnSteps {
  /** Resolves with the changed turn, even if the change could not be stored. */
  store(
    turn: TurnRecord,
    change: Partial<TurnRow>,
    from: readonly TurnState[],
  ): Promise<TurnRecord>;
  /** Stores the last step, again and again while that fails. Resolves after the first try. */
  end(turn: TurnRecord, change: Partial<TurnRow>): Promise<void>;
  /** Resolves once the thread's ended turns are stored as such. */
  ended(thread: ThreadAddress): Promise<void>;
}

/** @param options.closing ends the tries to store a last step */
export function createTurnSteps(options: {
  turns: TurnStore;
  sessions: Pick<Sessions, 'remember'>;
  closing: AbortSignal;
  log: Log;
}): TurnSteps {
  const { turns, sessions, closing, log } = options;
  /** What is still to be stored, by turn. */
  const missing = new Map<string, Partial<TurnRow>>();
  /** The last steps that are still to be stored, by thread. */
  const ending = new Map<string, Promise<unknown>>();

  async function write({ id }: TurnRecord, change: Partial<TurnRow>, from: readonly TurnState[]) {
    const before = missing.get(id);
    const changed = await turns.update(id, { ...before, ...change }, from);
    if (changed && missing.get(id) === before) missing.delete(id);
    return asTurn(changed);
  }

  async function writeEnd(turn: TurnRecord, change: Partial<TurnRow>): Promise<void> {
    const { id, address, session, answer } = turn;
    if (session !== undefined) {
      await sessions.remember(address, { session, turn: id, message: answer });
    }
    await write(turn, change, unfinished);
    missing.delete(id);
  }

  function logFailure(turn: TurnRecord, error: unknown): void {
    log.error({ err: error, turn: turn.id }, 'a step of a turn was not stored');
  }

  return {
    async store(turn, change, from) {
      try {
        return (await write(turn, change, from)) ?? turn;
      } catch (error) {
        logFailure(turn, error);
        const { state: _state, ...fields } = change;
        missing.set(turn.id, { ...missing.get(turn.id), ...fields });
        const known = await turns.get(turn.id).catch(() => undefined);
        return { ...turn, ...known, ...missing.get(turn.id), ...change };
      }
    },
    async end(turn, change) {
      const key = addressKey(turn.address);
      const { tried, done } = keepTrying(() => writeEnd(turn, change), {
        signal: closing,
        onFirstFailure: (error) => logFailure(turn, error),
      });
      const all = Promise.all([ending.get(key), done]);
      ending.set(key, all);
      void all.finally(() => {
        if (ending.get(key) === all) ending.delete(key);
      });
      await tried;
    },
    async ended(thread) {
      await ending.get(addressKey(thread));
    },
  };
}
