import { PlatformError } from '../conversation/platform-error.ts';
import type { ResultPlace } from './result-place.ts';

/** Waits, or rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<unknown>;

/** How often the last text is tried; in between it may be Slack that is too busy. */
const tries = 4;
const retryMs = 1_000;

/**
 * Shows each text in place of the one before, no faster than the place allows: in between the
 * newest wins, and the last is always shown. Resolves once it is. @throws {PlatformError}
 */
export async function showTexts(
  texts: AsyncIterable<string>,
  place: ResultPlace,
  sleep: Sleep,
): Promise<void> {
  const ended = new AbortController();
  let newest = '';
  let shown = '';
  let showing: Promise<void> | undefined;

  /** Shows what there is; what comes meanwhile is shown after the gap, unless all has ended then. */
  async function showNewest(): Promise<void> {
    while (newest !== shown && !ended.signal.aborted) {
      const text = newest;
      try {
        await place.show(text);
        shown = text;
        await pause(place.gapMs(), sleep, ended.signal);
      } catch (error) {
        await pause(waitAfter(error), sleep, ended.signal);
      }
    }
    showing = undefined;
  }

  for await (const text of texts) {
    newest = text;
    showing ??= showNewest();
  }
  ended.abort();
  await showing;
  if (newest !== shown) await showLast(newest, place, sleep);
}

async function showLast(text: string, place: ResultPlace, sleep: Sleep): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await place.show(text);
    } catch (error) {
      if (tried === tries || !isPassing(error)) throw error;
      await sleep(waitAfter(error), new AbortController().signal);
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof PlatformError && ['rate_limited', 'failed'].includes(error.kind);
}

function waitAfter(error: unknown): number {
  return (error instanceof PlatformError ? error.retryAfterMs : undefined) ?? retryMs;
}

async function pause(ms: number, sleep: Sleep, ended: AbortSignal): Promise<void> {
  if (ended.aborted) return;
  if (ms === Infinity) {
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.addEventListener('abort', () => resolve(), { once: true });
    return promise;
  }
  await sleep(ms, ended).catch(() => undefined);
}
