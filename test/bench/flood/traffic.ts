import { setTimeout as sleep } from 'node:timers/promises';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';

/** How the bridge acknowledged what the workspace sent it. */
export interface Acknowledged {
  acknowledged: number;
  /** How often it was sent in vain. */
  failed: number;
  slowestMs: number;
}

export interface Traffic {
  /** What has happened since this was asked last. */
  take(): Acknowledged;
  stop(): Promise<void>;
}

const pauseMs = 200;
/** Each question is answered, and Slack tells the bot of each edit of its answer. */
const questionEvery = 10;

/** Has people write, and every now and then ask, until it is stopped. */
export function startTraffic(slack: SlackWorkspace): Traffic {
  const user = slack.users().find(({ name }) => name === 'ada')?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
  const stopping = new AbortController();
  const sentAt = new Map<object, number>();
  let counts = { acknowledged: 0, failed: 0, slowestMs: 0 };
  const leave = slack.deliveries.subscribe(({ state, payload }) => {
    if (state === 'sent') sentAt.set(payload, performance.now());
    if (state === 'failed' || state === 'lost') counts.failed += 1;
    if (state !== 'acknowledged') return;
    counts.acknowledged += 1;
    const ms = Math.round(performance.now() - (sentAt.get(payload) ?? 0));
    counts.slowestMs = Math.max(counts.slowestMs, ms);
    sentAt.delete(payload);
  });

  async function write(): Promise<void> {
    for (let said = 0; !stopping.signal.aborted; said += 1) {
      const isQuestion = said % questionEvery === 0;
      const text = isQuestion ? `<@${slack.bot.user}> How do I add a source?` : 'Good morning';
      await slack.say({ user, channel, text });
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const written = write();

  return {
    take() {
      const taken = counts;
      counts = { acknowledged: 0, failed: 0, slowestMs: 0 };
      return taken;
    },
    async stop() {
      stopping.abort();
      await written;
      leave();
    },
  };
}
