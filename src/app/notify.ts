import { isRefusal, PlatformError } from '../conversation/platform-error.ts';
import type { Notice, Platform } from '../conversation/ports.ts';

/** Tells people something on a platform, outside of any thread. @throws {PlatformError} */
export type Notify = (platform: string, notice: Notice, signal?: AbortSignal) => Promise<void>;

const tries = 4;
const retryMs = 1_000;
const longestMs = 60_000;

/**
 * Tells by the platforms that are there once something is to be told; while one is too busy to take
 * it, waits as long as it says, up to three times and a minute in all.
 */
export function createNotify(options: {
  platforms: readonly Pick<Platform, 'name' | 'notify'>[];
  sleep(ms: number, signal?: AbortSignal): Promise<unknown>;
}): Notify {
  const { platforms, sleep } = options;
  return async (name, notice, signal) => {
    const platform = platforms.find((each) => each.name === name);
    if (!platform?.notify) {
      throw new PlatformError('failed', `Nobody can be told anything on ${name} now.`);
    }
    let leftMs = longestMs;
    for (let tried = 1; ; tried += 1) {
      try {
        return await platform.notify(notice, signal);
      } catch (error) {
        if (tried === tries || !isRefusal(error, 'rate_limited')) throw error;
        const waitMs = error.retryAfterMs ?? retryMs;
        leftMs -= waitMs;
        if (leftMs < 0) throw error;
        await sleep(waitMs, signal);
      }
    }
  };
}
