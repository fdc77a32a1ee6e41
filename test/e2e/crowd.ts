import type { Workspace } from '../../src/bridge/conversation/address.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';

/** A message of the bot as people see it. */
interface Seen {
  id: string;
  text: string;
  /** The labels of its buttons. */
  buttons: string[];
}

/** Several people on a platform, with the same actions on both platforms. */
export interface Crowd {
  workspace: Workspace;
  /** The id of a channel that the bot can write in, and of one that it can't. */
  help: string;
  closed: string;
  /** The id of a person who can be notified. */
  grace: string;
  /** Mentions the bot in #general; returns the thread of the answer. */
  mention(who: string, text: string): Promise<string>;
  say(who: string, thread: string, text: string): Promise<void>;
  /** The bot's message in a thread that matches, once there is one. */
  shown(thread: string, text: RegExp): Promise<Seen>;
  press(who: string, thread: string, message: string, label: string): Promise<void>;
  /** The bot's message in #help that matches, and the people it mentions. */
  notice(text: RegExp): Promise<{ text: string; calls: string[] }>;
  /** How the address of a thread ends. */
  linkTo(thread: string): string;
  /** Uses `/session resume` in a thread, in the way that the platform allows. */
  resume(who: string, thread: string): Promise<void>;
}

interface SeenButton {
  id: string;
  label: string;
}

function idOf(buttons: readonly SeenButton[], label: string): string {
  const found = buttons.find((button) => button.label === label);
  if (!found) throw new Error(`There is no button “${label}”.`);
  return found.id;
}

export function slackCrowd({ slack }: Sandbox): Crowd {
  const user = (name: string) => slack.users().find((each) => each.name === name)?.id ?? '';
  const channel = (name: string) => slack.channels().find((each) => each.name === name)?.id ?? '';
  const general = channel('general');
  const help = channel('help');

  function buttonsOf(blocks: readonly object[] = []): SeenButton[] {
    return blocks.flatMap((block) => {
      if (!('type' in block) || block.type !== 'actions' || !('elements' in block)) return [];
      const elements = block.elements as { action_id: string; text: { text: string } }[];
      return elements.map(({ action_id: id, text }) => ({ id, label: text.text }));
    });
  }

  async function say(who: string, text: string, thread?: string): Promise<string> {
    const place = { channel: general, ...(thread && { thread }) };
    return (await slack.say({ user: user(who), text, ...place })).ts;
  }

  const mention = (who: string, text: string, thread?: string) =>
    say(who, `<@${slack.bot.user}> ${text}`, thread);

  return {
    workspace: { platform: 'slack', workspace: slack.team.id },
    help,
    closed: channel('random'),
    grace: user('grace'),
    mention,
    say: async (who, thread, text) => void (await say(who, text, thread)),
    async shown(thread, text) {
      const message = await slack.waitForMessage(
        { channel: general, thread },
        (each) => each.bot_id !== undefined && text.test(plainText(each)),
      );
      const buttons = buttonsOf(message.blocks).map(({ label }) => label);
      return { id: message.ts, text: plainText(message), buttons };
    },
    async press(who, thread, ts, label) {
      const message = slack.messages(general, thread).find((each) => each.ts === ts);
      const actionId = idOf(buttonsOf(message?.blocks), label);
      await slack.press({ user: user(who), channel: general, ts, actionId });
    },
    async notice(text) {
      const accepts = (each: Parameters<typeof plainText>[0]) => text.test(plainText(each));
      const message = await slack.waitForMessage({ channel: help }, accepts);
      const ids = JSON.stringify(message.blocks).matchAll(/<@(\w+)>/g);
      return { text: plainText(message), calls: [...ids].map(([, id = '']) => id) };
    },
    linkTo: (thread) => `/archives/${general}/p${thread.replace('.', '')}`,
    resume: async (who, thread) => void (await mention(who, 'session resume', thread)),
  };
}

export function discordCrowd({ discord }: Sandbox): Crowd {
  const user = (name: string) => discord.users().find((each) => each.username === name)?.id ?? '';
  const channel = (name: string) => discord.channels().find((each) => each.name === name)?.id ?? '';
  const bot = user('causeway');

  function buttonsOf(rows: readonly object[] = []): SeenButton[] {
    return rows.flatMap((row) => {
      if (!('components' in row)) return [];
      const components = row.components as { label: string; custom_id: string }[];
      return components.map(({ custom_id: id, label }) => ({ id, label }));
    });
  }

  /** A message of the bot in a channel, or in a thread that may not exist yet. */
  async function find(place: string, text: RegExp) {
    const look = () => {
      const isThere = discord
        .channels()
        .flatMap((each) => [each, ...discord.threads(each.id)])
        .some(({ id }) => id === place);
      const messages = isThere ? discord.messages(place) : [];
      return messages.find(({ author, content }) => author.id === bot && text.test(content));
    };
    if (!look()) await discord.changes.waitFor(() => look() !== undefined);
    const found = look();
    if (!found) throw new Error('The message went away.');
    return found;
  }

  return {
    workspace: { platform: 'discord', workspace: discord.guildId },
    help: channel('help'),
    closed: channel('readonly'),
    grace: user('grace'),
    async mention(who, text) {
      const content = `<@${bot}> ${text}`;
      return (await discord.say({ user: who, channel: '#general', content })).id;
    },
    say: async (who, thread, text) =>
      void (await discord.say({ user: who, channel: thread, content: text })),
    async shown(thread, text) {
      const { id, content, components } = await find(thread, text);
      return { id, text: content, buttons: buttonsOf(components).map(({ label }) => label) };
    },
    async press(who, thread, message, label) {
      const found = discord.messages(thread).find(({ id }) => id === message);
      const customId = idOf(buttonsOf(found?.components), label);
      await discord.press({ user: who, message, customId }).acknowledgement;
    },
    async notice(text) {
      const { content, pings } = await find(channel('help'), text);
      return { text: content, calls: pings.users };
    },
    linkTo: (thread) => `/channels/${discord.guildId}/${thread}`,
    async resume(who, thread) {
      const options = [{ name: 'resume', options: [] }];
      await discord.command({ user: who, channel: thread, name: 'session', options });
    },
  };
}
