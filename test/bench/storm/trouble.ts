import { setTimeout as sleep } from 'node:timers/promises';
import type { Question } from '../judge/evidence.ts';
import type { Random } from '../judge/random.ts';
import type { World } from '../judge/world.ts';

/** What goes wrong in a storm. */
export interface Trouble {
  /** To be told of each question that was asked just now. */
  onAsked(question: Question): void;
  /** How often what happened. */
  counts: Record<'repeated' | 'dropped' | 'invalidated' | 'refused' | 'limited', number>;
}

const maxLateMs = 3_000;

/** Has messages repeated, sockets dropped and calls refused from now on. */
export function stirUp(world: World, random: Random): Trouble {
  const { slack, discord } = world.sandbox;
  const counts = { repeated: 0, dropped: 0, invalidated: 0, refused: 0, limited: 0 };
  /** How to deliver a person's message again, by its text. */
  const again = new Map<string, () => void>();

  slack.deliveries.subscribe(({ state, payload }) => {
    const { text } = (payload as { event: { text?: string } }).event;
    if (state === 'sent' && text) again.set(nameOf(text), () => slack.redeliver(payload));
  });
  discord.changes.subscribe((change) => {
    if (change.kind !== 'message' || change.event !== 'posted' || change.message.author.bot) return;
    const { content, id } = change.message;
    again.set(nameOf(content), () => discord.redeliver(id));
  });

  /** At other times than later messages, so that they come out of order. */
  async function repeat(text: string): Promise<void> {
    for (let times = random.whole(1, 3); times > 0; times -= 1) {
      await sleep(random.whole(0, maxLateMs));
      counts.repeated += 1;
      again.get(nameOf(text))?.();
    }
  }

  function drop(platform: Question['place']['platform']): void {
    counts.dropped += 1;
    if (platform === 'slack') return slack.sever();
    // Discord sometimes forgets the session, and with it the messages of the meantime.
    if (!random.happens(0.2)) return discord.gateway.disconnect();
    counts.invalidated += 1;
    discord.gateway.invalidate(false);
  }

  world.watch(({ to, phase }) => {
    if (to === 'service' || !to || phase === 'after') return undefined;
    // Half of them before the call has its effect, half after it.
    if (!random.happens(0.01)) return undefined;
    const isLimited = phase === 'before' && random.happens(0.5);
    if (isLimited) counts.limited += 1;
    else counts.refused += 1;
    return isLimited ? limited() : new Response('overloaded', { status: 503 });
  });

  return {
    counts,
    onAsked({ text, place }) {
      if (random.happens(0.1)) void repeat(text);
      if (random.happens(0.05)) drop(place.platform);
    },
  };
}

/** The question in it, without the mention of the bot. */
const nameOf = (text: string) => text.replace(/^<[^>]+> /, '');

/** As both platforms say it. */
function limited(): Response {
  const body = {
    ok: false,
    error: 'ratelimited',
    message: 'limited',
    retry_after: 1,
    global: false,
  };
  return Response.json(body, {
    status: 429,
    headers: { 'retry-after': '1', 'x-ratelimit-scope': 'shared' },
  });
}
