import type { Conversation } from '../bridge/conversation/conversation.ts';
import { isRefusal } from '../bridge/conversation/platform-error.ts';
import type { Log, Platform, Receiver } from '../bridge/conversation/ports.ts';
import { growingWaitMs, retry } from '../shared/primitives/retry.ts';
import { sleep } from '../shared/primitives/sleep.ts';

/** Platforms that connect, each on its own. */
interface Connecting {
  /**
   * Resolves once each platform has connected or failed to, for the first time.
   * @throws {unknown} what a platform that refuses the bridge permanently said
   */
  firstTries: Promise<void>;
  /** Resolves with what a platform says that refuses the bridge permanently. */
  refused: Promise<unknown>;
}

const maxWaitMs = 30_000;

/**
 * Connects each platform and tries again, with growing waits, while one can't be reached. So one
 * that is away keeps no other waiting. A platform that refuses the bridge, such as for a wrong
 * token, isn't tried again.
 */
export function connectPlatforms(
  platforms: readonly Platform[],
  conversation: Receiver & Pick<Conversation, 'connected'>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Connecting {
  const refused = Promise.withResolvers<unknown>();

  function connect(platform: Platform): Promise<void> {
    const tried = Promise.withResolvers<void>();
    const waitMs = (error: unknown, failures: number) => {
      if (signal.aborted || isPermanent(error)) return undefined;
      tried.resolve();
      const ownMs = growingWaitMs(failures, { maxMs: maxWaitMs });
      const askedMs = isRefusal(error, 'rate_limited') ? (error.retryAfterMs ?? 0) : 0;
      const retryMs = Math.max(ownMs, askedMs);
      const { name, host } = platform;
      log.warn({ platform: name, host, reason: causeOf(error), retryMs }, 'no connection yet');
      return retryMs;
    };
    const start = async () => {
      await platform.start(conversation);
      conversation.connected(platform.name);
    };
    retry(start, { waitMs, sleep, signal }).then(tried.resolve, (error: unknown) => {
      tried.reject(error);
      if (!signal.aborted) refused.resolve(error);
    });
    return tried.promise;
  }

  const firstTries = Promise.all(platforms.map(connect)).then(() => undefined);
  return { firstTries, refused: refused.promise };
}

/** What lies behind an error, such as `connect ECONNREFUSED 127.0.0.1:1`. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? causeOf(error.cause) : error.message;
}

/** Whether every further try would fail, until someone changes the configuration. */
function isPermanent(error: unknown): boolean {
  return (
    isRefusal(error, 'forbidden') ||
    (isRefusal(error, 'failed') && error.problem.code === 'discord_gateway_closed')
  );
}
