import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';

/** The built-in service streams word by word, but without pauses. */
export const quickly = { service: { pace: { deltaMs: 1 }, extractor: sharedExtractor } };

/** A reply as a person sees it, and every earlier text of it. */
interface SeenReply {
  text: string;
  steps: string[];
}

/** A person on a platform, with the same actions on both platforms. */
export interface Seat {
  name: string;
  /** Mentions the bot in a channel; returns the thread of the answer. */
  mention(text: string): Promise<string>;
  say(thread: string, text: string): Promise<void>;
  sayDirectly(text: string): Promise<string>;
  /** Sets the language of the person or of their server, such as `de`. */
  setLocale(locale: string): void;
  /** The bot's messages in a thread, once one of them matches and there are at least `count`. */
  replies(thread: string, count: number, ended: RegExp): Promise<SeenReply[]>;
}

export function slackSeat({ slack }: Sandbox): Seat {
  const ada = slack.users().find((user) => user.name === 'ada')?.id ?? '';
  const general = slack.channels().find((channel) => channel.name === 'general')?.id ?? '';
  const direct = slack.direct(ada).id;
  const channels = new Map<string, string>();

  const seen = (thread: string): SeenReply[] => {
    const channel = channels.get(thread) ?? general;
    return slack
      .messages(channel, thread)
      .filter((message) => message.bot_id)
      .map((message) => ({
        text: plainText(message),
        steps: slack.revisions(channel, message.ts),
      }));
  };

  return {
    name: 'Slack',
    async mention(text) {
      const said = await slack.say({
        user: ada,
        channel: general,
        text: `<@${slack.bot.user}> ${text}`,
      });
      return said.ts;
    },
    async say(thread, text) {
      await slack.say({ user: ada, channel: general, thread, text });
    },
    async sayDirectly(text) {
      const said = await slack.say({ user: ada, channel: direct, text });
      channels.set(said.ts, direct);
      return said.ts;
    },
    setLocale: (locale) => slack.setLocale(ada, locale),
    async replies(thread, count, ended) {
      const done = () => hasEnded(seen(thread), count, ended);
      if (!done()) await slack.waitFor(done);
      return seen(thread);
    },
  };
}

export function discordSeat({ discord }: Sandbox): Seat {
  const bot = discord.users().find((user) => user.bot)?.id ?? '';

  const seen = (channel: string): SeenReply[] =>
    isOpen(channel)
      ? discord
          .messages(channel)
          .filter((message) => message.author.id === bot)
          .map((message) => ({ text: message.content, steps: message.revisions }))
      : [];

  function isOpen(thread: string): boolean {
    const threads = discord
      .channels()
      .flatMap((channel) => [channel, ...discord.threads(channel.id)]);
    return threads.some((each) => each.id === thread);
  }

  return {
    name: 'Discord',
    async mention(text) {
      const said = await discord.say({
        user: 'ada',
        channel: '#general',
        content: `<@${bot}> ${text}`,
      });
      return said.id;
    },
    async say(thread, text) {
      await discord.say({ user: 'ada', channel: thread, content: text });
    },
    async sayDirectly(text) {
      const said = await discord.say({ user: 'ada', channel: '@', content: text });
      return said.channel;
    },
    setLocale: (locale) => discord.setLocale(locale),
    async replies(thread, count, ended) {
      const done = () => hasEnded(seen(thread), count, ended);
      if (!done()) await discord.changes.waitFor(done);
      return seen(thread);
    },
  };
}

function hasEnded(replies: SeenReply[], count: number, ended: RegExp): boolean {
  return replies.length >= count && ended.test(replies[count - 1]?.text ?? '');
}
