import type { Log, Thread } from '../ports.ts';

/** Discord's typing indicator lasts ten seconds, Slack's status two minutes. */
const renewEveryMs = 8000;

/**
 * Shows in the thread that a reply is on its way, until disposed. Where the platform refuses,
 * nothing is lost: the reply comes all the same.
 */
export function showWorking(thread: Thread, log: Log): Disposable {
  const show = () =>
    thread
      .showWorking?.()
      .catch((error: unknown) => log.debug({ err: error }, 'typing could not be shown'));
  void show();
  const timer = setInterval(() => void show(), renewEveryMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
