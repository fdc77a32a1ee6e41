import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { buttonsOf as discordButtonsOf } from '../../e2e/discord-seen.ts';
import { buttonsOf as slackButtonsOf } from '../../e2e/slack-seen.ts';

export const platforms = ['slack', 'discord'] as const;
export type PlatformName = (typeof platforms)[number];

/** Where answers stand: a thread, or a direct message of Discord's, which has no threads. */
export interface Place {
  platform: PlatformName;
  channel: string;
  /** The id of the thread; in a direct message of Discord's, the channel's. */
  thread: string;
}

/** A message of the bot's, as people see it. */
export interface Shown {
  id: string;
  text: string;
  /** The labels of its buttons. */
  buttons: string[];
  /** Whether Slack still shows it as being written. */
  streams: boolean;
}

/** What people do and see on a platform. Each resolves with the place of the answer. */
export interface People {
  /** Mentions the bot in a channel, by its name. */
  mention(channel: string, text: string): Promise<Place>;
  /** Writes in a thread, without a mention. */
  follow(place: Place, text: string): Promise<Place>;
  /** Writes in a channel, to other people. */
  chat(channel: string, text: string): Promise<void>;
  /** Writes to the bot directly, as one of `persons`. */
  direct(person: string, text: string): Promise<Place>;
  /** The bot's messages in a place, oldest first. */
  shown(place: Place): Shown[];
  /** The bot's messages in the channels themselves, where it has no business. */
  astray(): Shown[];
}

/** Both platforms have these people, and these channels with the bot in them. */
export const persons = ['ada', 'grace', 'linus'] as const;
export const channels = ['general', 'help'] as const;

export function createPeople(sandbox: Sandbox): Record<PlatformName, People> {
  return { slack: slackPeople(sandbox), discord: discordPeople(sandbox) };
}

function slackPeople({ slack }: Sandbox): People {
  const idOf = (named: { id: string; name: string }[], name: string) =>
    named.find((each) => each.name === name)?.id ?? '';
  const ada = idOf(slack.users(), 'ada');

  function show(channel: string, thread?: string): Shown[] {
    const messages = slack.messages(channel, thread).filter(({ bot_id: bot }) => bot);
    return messages.map((message) => ({
      id: message.ts,
      text: plainText(message),
      buttons: slackButtonsOf(message).map(({ text }) => text),
      streams: message.streaming_state === 'in_progress',
    }));
  }

  return {
    async mention(name, text) {
      const channel = idOf(slack.channels(), name);
      const said = await slack.say({ user: ada, channel, text: `<@${slack.bot.user}> ${text}` });
      return { platform: 'slack', channel, thread: said.ts };
    },
    async follow(place, text) {
      const { channel, thread } = place;
      await slack.say({ user: ada, channel, thread, text });
      return place;
    },
    async chat(name, text) {
      await slack.say({ user: ada, channel: idOf(slack.channels(), name), text });
    },
    async direct(person, text) {
      const user = idOf(slack.users(), person);
      const channel = slack.direct(user).id;
      const { ts } = await slack.say({ user, channel, text });
      return { platform: 'slack', channel, thread: ts };
    },
    shown: ({ channel, thread }) => show(channel, thread),
    astray: () => channels.flatMap((name) => show(idOf(slack.channels(), name))),
  };
}

function discordPeople({ discord }: Sandbox): People {
  const bot = discord.users().find((user) => user.bot)?.id ?? '';

  function show(channel: string): Shown[] {
    const messages = discord.messages(channel).filter(({ author }) => author.id === bot);
    return messages.map((message) => ({
      id: message.id,
      text: message.content,
      buttons: discordButtonsOf(message).map(({ label }) => label),
      streams: false,
    }));
  }

  return {
    async mention(name, text) {
      const said = await discord.say({
        user: 'ada',
        channel: `#${name}`,
        content: `<@${bot}> ${text}`,
      });
      return { platform: 'discord', channel: said.channel, thread: said.id };
    },
    async follow(place, text) {
      await discord.say({ user: 'ada', channel: place.thread, content: text });
      return place;
    },
    async chat(name, text) {
      await discord.say({ user: 'ada', channel: `#${name}`, content: text });
    },
    async direct(person, text) {
      const { channel } = await discord.say({ user: person, channel: '@', content: text });
      return { platform: 'discord', channel, thread: channel };
    },
    shown: ({ thread }) => show(thread),
    astray: () =>
      discord
        .channels()
        .filter(({ name }) => channels.some((each) => each === name))
        .flatMap(({ id }) => show(id)),
  };
}
