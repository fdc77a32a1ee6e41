import { textsFor } from '../../texts/texts.ts';
import { monotonicMs } from '../../../shared/primitives/monotonic.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Thread } from '../thread.ts';
import type { Pacer } from '../reply/pacer.ts';
import type { TurnRecord } from './turn-record.ts';

/** Shows a typing indicator or status in the thread of a turn until it is disposed. */
export interface Working extends Disposable {
  /** Shows it at once: there is more to say. */
  renew(): void;
  /** A new message has ended it. It is shown again if others are to follow. */
  posted(isGrowing: boolean): void;
  /** From now on it says how many replies go first. */
  countAhead: () => number;
}

/** Discord's typing indicator lasts ten seconds, Slack's status two minutes. */
const renewEveryMs = 8000;

/** Why a wait ends. The reason that `abort` makes by default has a stack, which takes long. */
const isOver = new Error('Nothing more is to be shown');

/** Nothing is shown for a turn whose answer is known or has begun, as after a restart. */
export function startWorking(
  turn: TurnRecord,
  thread: Thread,
  { pacer, log }: { pacer: Pacer; log: Log },
): Working {
  const ended = new AbortController();
  const { working: budget } = thread.budgets;
  const texts = textsFor(turn.author.locale).thread;
  /** The last time it was shown, if no message has ended it since. */
  let shown: Promise<void> | undefined;
  const isNeeded = turn.state !== 'ending' && turn.posted.length === 0;

  async function show(): Promise<void> {
    try {
      const request = {
        urgency: 'interim',
        since: monotonicMs(),
        maxWaitMs: renewEveryMs,
      } as const;
      using permit = budget && (await pacer.permit(budget, { ...request, signal: ended.signal }));
      const ahead = working.countAhead();
      if ((budget && !permit) || ended.signal.aborted) return;
      shown = thread.showWorking?.(ahead > 0 ? texts.answersOthers(ahead) : undefined);
      await shown;
    } catch (error) {
      // The reply itself does not depend on it.
      if (!ended.signal.aborted) log.debug({ err: error }, 'typing could not be shown');
    }
  }

  async function hideAfter(before: Promise<void>): Promise<void> {
    try {
      await before;
      await thread.hideWorking?.();
    } catch (error) {
      log.debug({ err: error }, 'typing could not be ended');
    }
  }

  const working: Working = {
    renew: () => void show(),
    posted(isGrowing) {
      shown = undefined;
      if (isGrowing) working.renew();
      else working[Symbol.dispose]();
    },
    countAhead: () => 0,
    [Symbol.dispose]() {
      ended.abort(isOver);
      clearInterval(timer);
      if (shown) void hideAfter(shown);
      shown = undefined;
    },
  };
  const timer = isNeeded ? setInterval(working.renew, renewEveryMs) : undefined;
  if (isNeeded) working.renew();
  return working;
}
