import type { Sleep } from '../../shared/primitives/sleep.ts';
import { acknowledgeTimeoutMs, type Delivered } from './delivery.ts';

/** The outcome of `attempt`, or a failure if it takes longer than Slack's 3 seconds. */
export async function withinAcknowledgement(
  attempt: (signal: AbortSignal) => Promise<Delivered>,
  late: Delivered,
  sleep: Sleep,
): Promise<Delivered> {
  const done = new AbortController();
  try {
    const timeout = sleep(acknowledgeTimeoutMs, done.signal).then(() => late);
    return await Promise.race([attempt(done.signal), timeout]);
  } finally {
    done.abort();
  }
}
