import { setTimeout as sleep } from 'node:timers/promises';
import type { Question } from '../judge/evidence.ts';
import { channels, type People, type Place, type PlatformName } from '../judge/people.ts';
import type { Random } from '../judge/random.ts';
import type { World } from '../judge/world.ts';

/** People who ask in many threads at once. */
export interface Crowd {
  /** Resolves once all is asked. */
  askAll(size: { messages: number; threads: number }): Promise<void>;
}

interface CrowdOptions {
  world: World;
  people: Record<PlatformName, People>;
  random: Random;
  /** Told of each question that was asked just now, and how many that makes. */
  onAsked(question: Question, count: number): void;
}

/** Every fifth thread is in Slack. */
const slackEvery = 5;

/** Threads begin one after another, in this time each. */
const beginsEveryMs = 200;

/** So many questions of a thread wait for their answers. */
const maxOpen = 5;

/** A thread in which nothing happens for this long has lost something; people go on asking. */
const stuckMs = 120_000;

export function createCrowd({ world, people, random, onAsked }: CrowdOptions): Crowd {
  const news = createNews(world);
  let count = 0;

  async function ask(platform: PlatformName, name: string, place?: Place): Promise<Place> {
    const text = `What is ${name}?`;
    const said = place
      ? await people[platform].follow(place, text)
      : await people[platform].mention(random.pick(channels), text);
    count += 1;
    onAsked({ name, text, place: said.place }, count);
    return said.place;
  }

  /** Asks in a thread of its own, as fast as is fair. */
  async function converse(thread: number, questions: number): Promise<void> {
    await sleep(thread * beginsEveryMs);
    const platform = thread % slackEvery === 0 ? 'slack' : 'discord';
    let place: Place | undefined;
    for (let asked = 0; asked < questions; asked += 1) {
      if (place) await isNextDue(place, asked);
      place = await ask(platform, `q${thread}.${asked + 1}`, place);
    }
  }

  async function isNextDue(place: Place, asked: number): Promise<void> {
    const isDue = () => {
      const shown = people[place.platform].shown(place);
      const ended = shown.filter((each) => !each.streams && !each.buttons.includes('Stop'));
      // In Discord, the bot's first answer opens the thread.
      return shown.length > 0 && asked - ended.length < maxOpen && news.hasArrived(place);
    };
    while (!isDue()) {
      const isStuck = await news.of(place, stuckMs);
      if (!isStuck) continue;
      process.stderr.write(`nothing happens in ${place.platform} ${place.thread}\n`);
      if (people[place.platform].shown(place).length > 0) return;
    }
  }

  return {
    async askAll({ messages, threads }) {
      const each = (thread: number) =>
        Math.floor(messages / threads) + (thread < messages % threads ? 1 : 0);
      await Promise.all(
        Array.from({ length: threads }, (_, thread) => converse(thread, each(thread))),
      );
    },
  };
}

/** What happens in each thread. */
function createNews({ sandbox: { slack, discord } }: World) {
  const waiting = new Map<string, PromiseWithResolvers<false>>();
  /** The people's messages in Slack's threads that the bridge has not acknowledged yet. */
  const onTheirWay = new Map<string, Set<string>>();

  function tell(thread: string): void {
    waiting.get(thread)?.resolve(false);
    waiting.delete(thread);
  }

  slack.changes.subscribe((change) => {
    if (change.kind === 'message') tell(change.thread ?? change.message.ts);
  });
  slack.deliveries.subscribe(({ state, payload }) => {
    const { ts = '', thread_ts: thread = ts } = eventOf(payload);
    const messages = onTheirWay.get(thread) ?? new Set();
    onTheirWay.set(thread, messages);
    if (state === 'acknowledged') messages.delete(ts);
    else if (state === 'sent') messages.add(ts);
    tell(thread);
  });
  discord.changes.subscribe((change) => {
    if (change.kind === 'message') tell(change.channel);
  });

  return {
    /** Whether all messages of a thread have arrived. Discord itself keeps their order. */
    hasArrived: ({ thread }: Place) => (onTheirWay.get(thread)?.size ?? 0) === 0,
    /** Resolves with false once something happens in the thread, with true if nothing does. */
    async of({ thread }: Place, ms: number): Promise<boolean> {
      const news = waiting.get(thread) ?? Promise.withResolvers<false>();
      waiting.set(thread, news);
      const done = new AbortController();
      const timeout = sleep(ms, true, { signal: done.signal }).catch(() => true);
      const isStuck = await Promise.race([news.promise, timeout]);
      done.abort();
      return isStuck;
    },
  };
}

function eventOf(payload: object): { ts?: string; thread_ts?: string } {
  return (payload as { event?: object }).event ?? {};
}
