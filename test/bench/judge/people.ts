import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { elementsOf } from '../../../src/sandbox/slack/block.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import type { SlackMessage } from '../../../src/sandbox/slack/model.ts';
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

/** A message that somebody wrote. */
export interface Said {
  id: string;
  /** The person's id at the platform. */
  by: string;
  /** Where an answer to it stands. */
  place: Place;
}

/** A message of the bot's, as people see it. */
export interface Shown {
  id: string;
  text: string;
  /** The labels of its buttons. */
  buttons: string[];
  /** Whether Slack still shows it as being written. */
  streams: boolean;
  /** In milliseconds since the epoch. */
  postedAt: number;
}

/** What people do and see on a platform. */
export interface People {
  /** Mentions the bot in a channel, by its name. */
  mention(channel: string, text: string): Promise<Said>;
  /** Writes in a thread, without a mention. */
  follow(place: Place, text: string): Promise<Said>;
  /** Writes in a channel, to other people. */
  chat(channel: string, text: string): Promise<Said>;
  /** Writes to the bot directly, as one of `persons`. */
  direct(person: string, text: string): Promise<Said>;
  /** Gives a message other words. With `mention`, they mention the bot. */
  edit(said: Said, text: string, options: { mention: boolean }): Promise<void>;
  remove(said: Said): void;
  /**
   * Presses a button of the bot's, as whoever said something. Resolves with whether the bot has
   * acknowledged it; false if there is no such button any more.
   */
  press(said: Said, message: string, label: string): Promise<boolean>;
  /** Uses Slack's own button to stop what the bot does in a thread; false where there is none. */
  stop(said: Said): boolean;
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
      buttons: [...slackButtonsOf(message).map(({ text }) => text), ...thumbsOf(message)],
      streams: message.streaming_state === 'in_progress',
      postedAt: Number(message.ts) * 1000,
    }));
  }

  return {
    async mention(name, text) {
      const channel = idOf(slack.channels(), name);
      const said = await slack.say({ user: ada, channel, text: `<@${slack.bot.user}> ${text}` });
      return toSaid(channel, said.ts, ada);
    },
    async follow({ channel, thread }, text) {
      const { ts } = await slack.say({ user: ada, channel, thread, text });
      return { ...toSaid(channel, ts, ada), place: { platform: 'slack', channel, thread } };
    },
    async chat(name, text) {
      const channel = idOf(slack.channels(), name);
      const { ts } = await slack.say({ user: ada, channel, text });
      return toSaid(channel, ts, ada);
    },
    async direct(person, text) {
      const user = idOf(slack.users(), person);
      const channel = slack.direct(user).id;
      const { ts } = await slack.say({ user, channel, text });
      return toSaid(channel, ts, user);
    },
    async edit({ id, place: { channel } }, text, { mention }) {
      const words = mention ? `<@${slack.bot.user}> ${text}` : text;
      slack.edit({ channel, ts: id, text: words });
    },
    remove: ({ id, place: { channel } }) => slack.remove({ channel, ts: id }),
    async press({ by: user, place: { channel } }, ts, label) {
      const message = slack.message(channel, ts);
      const button = slackButtonsOf(message).find(({ text }) => text === label);
      const thumb = message && thumbs(message).find(({ text }) => text.text === label);
      if (button) return slack.press({ user, channel, ts, actionId: button.action });
      if (!thumb) return false;
      return slack.press({ user, channel, ts, actionId: thumb.action, value: thumb.value });
    },
    stop({ by: user, place: { channel, thread } }) {
      if (slack.session(channel, thread) !== 'processing') return false;
      slack.stop({ user, channel, thread });
      return true;
    },
    shown: ({ channel, thread }) => show(channel, thread),
    astray: () => channels.flatMap((name) => show(idOf(slack.channels(), name))),
  };
}

function toSaid(channel: string, id: string, by: string): Said {
  return { id, by, place: { platform: 'slack', channel, thread: id } };
}

/** Slack's own pair of thumbs. */
function thumbs({ blocks = [] }: SlackMessage) {
  return elementsOf(blocks).flatMap(({ element }) => {
    const { action_id: action = '', positive_button: up, negative_button: down } = element;
    const both = [up, down] as ({ text: { text: string }; value: string } | undefined)[];
    return both.flatMap((thumb) => (thumb ? [{ action, ...thumb }] : []));
  });
}

const thumbsOf = (message: SlackMessage) => thumbs(message).map(({ text }) => text.text);

/** Discord's ids hold their time, from the beginning of 2015 on. */
const discordEpochMs = 1_420_070_400_000;

function discordPeople({ discord }: Sandbox): People {
  const bot = discord.users().find((user) => user.bot)?.id ?? '';

  function show(channel: string): Shown[] {
    const messages = discord
      .messages(channel)
      .filter(({ author, ephemeralFor }) => author.id === bot && !ephemeralFor);
    return messages.map((message) => ({
      id: message.id,
      text: message.content,
      buttons: discordButtonsOf(message).map(({ label }) => label),
      streams: false,
      postedAt: Number(BigInt(message.id) >> 22n) + discordEpochMs,
    }));
  }

  /** Answers to a message in a channel stand in a thread with its id. */
  const toSaid = (
    said: { id: string; channel: string; author: { id: string } },
    isDirect = false,
  ) => {
    const { id, channel, author } = said;
    const thread = isDirect ? channel : id;
    return { id, by: author.id, place: { platform: 'discord' as const, channel, thread } };
  };

  return {
    async mention(name, text) {
      const said = await discord.say({
        user: 'ada',
        channel: `#${name}`,
        content: `<@${bot}> ${text}`,
      });
      return toSaid(said);
    },
    async follow(place, text) {
      const said = await discord.say({ user: 'ada', channel: place.thread, content: text });
      return { ...toSaid(said), place };
    },
    async chat(name, text) {
      return toSaid(await discord.say({ user: 'ada', channel: `#${name}`, content: text }));
    },
    async direct(person, text) {
      return toSaid(await discord.say({ user: person, channel: '@', content: text }), true);
    },
    async edit({ id, by }, text, { mention }) {
      const content = mention ? `<@${bot}> ${text}` : text;
      await discord.edit({ user: by, message: id, content });
    },
    remove: ({ id, by }) => discord.remove({ user: by, message: id }),
    async press({ by, place: { thread } }, id, label) {
      const message = discord.messages(thread).find((each) => each.id === id);
      const button = message && discordButtonsOf(message).find((each) => each.label === label);
      if (!button) return false;
      const { acknowledgement } = discord.press({
        user: by,
        message: id,
        customId: button.custom_id,
      });
      return (await acknowledgement).kind !== 'failed';
    },
    stop: () => false,
    shown: ({ thread }) => show(thread),
    astray: () =>
      discord
        .channels()
        .filter(({ name }) => channels.some((each) => each === name))
        .flatMap(({ id }) => show(id)),
  };
}
