import { isRefusal, PlatformError } from '../bridge/conversation/errors.ts';
import type { Notice, Platform } from '../bridge/conversation/platform.ts';
import { retry } from '../shared/primitives/retry.ts';
import type { Sleep } from '../shared/primitives/time.ts';

/**
 * Posts a notice on a platform, outside any thread.
 * @throws {PlatformError}
 */
export type Notify = (platform: string, notice: Notice, signal?: AbortSignal) => Promise<void>;

const tries = 4;
const retryMs = 1_000;
const timeoutMs = 60_000;

/**
 * Posts through the platforms that are connected at that time. After a rate limit, waits as long as the
 * platform says, up to three times and for a minute in all.
 */
export function createNotify(options: {
  platforms: readonly Pick<Platform, 'name' | 'notify'>[];
  sleep: Sleep;
}): Notify {
  const { platforms, sleep } = options;
  return async (name, notice, signal) => {
    const tell = platforms.find((platform) => platform.name === name)?.notify;
    if (!tell) {
      throw new PlatformError('failed', { code: 'platform_silent', params: { platform: name } });
    }
    let leftMs = timeoutMs;
    await retry(() => tell(notice, signal), {
      sleep,
      signal,
      waitMs(error, failures) {
        if (failures === tries || !isRefusal(error, 'rate_limited')) return undefined;
        const waitMs = error.retryAfterMs ?? retryMs;
        leftMs -= waitMs;
        return leftMs < 0 ? undefined : waitMs;
      },
    });
  };
}
