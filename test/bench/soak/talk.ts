import { type People, type Place, type PlatformName, platforms } from '../judge/people.ts';
import type { Random } from '../judge/random.ts';

/** People who talk, to the bot and to each other. */
export interface Talk {
  /** Opens the first threads. */
  open(): Promise<void>;
  /** Says the next message. */
  say(): Promise<void>;
  /** How many were said. */
  readonly count: number;
}

/** Of so many messages, one is a question in Slack, and two of five are questions in Discord. */
const cycle = 40;

const maxThreads = 100;

export function createTalk(people: Record<PlatformName, People>, random: Random): Talk {
  const threads: Record<PlatformName, Place[]> = { slack: [], discord: [] };
  let count = 0;

  /** In a new thread now and then, and otherwise in one of the newest. */
  async function ask(platform: PlatformName): Promise<void> {
    const known = threads[platform];
    const text = `What is q${count}.1?`;
    const place = random.happens(0.1) ? undefined : random.pick(known);
    if (place && people[platform].shown(place).length > 0) {
      await people[platform].follow(place, text);
      return;
    }
    const { place: begun } = await people[platform].mention('help', text);
    known.push(begun);
    if (known.length > maxThreads) known.shift();
  }

  return {
    get count() {
      return count;
    },
    async open() {
      for (const platform of platforms) {
        const { place } = await people[platform].mention('help', `What is q0.1?`);
        threads[platform].push(place);
      }
    },
    async say() {
      count += 1;
      const at = count % cycle;
      if (at === 0) return ask('slack');
      if (at % 5 < 2) return ask('discord');
      const platform = random.pick(platforms);
      await people[platform].chat('general', `Nobody asks the bot this, number ${count}.`);
    },
  };
}
