import { english } from '../../src/bridge/texts/texts.ts';
import type { DiscordChange, ShownModal } from '../../src/sandbox/discord/changes.ts';
import type { DiscordServer } from '../../src/sandbox/discord/discord-server.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { elementsOf } from '../../src/sandbox/slack/block.ts';
import type { SlackView } from '../../src/sandbox/slack/model.ts';
import type { SlackWorkspace } from '../../src/sandbox/slack/slack-workspace.ts';
import type { SeenResult } from '../contracts/commands/seat.ts';
import * as onDiscord from './discord-seen.ts';
import * as onSlack from './slack-seen.ts';

/** A form that somebody has open: the values of its fields, by option. */
interface Form {
  id: string;
  fields: Record<string, string>;
}

/** What people do in #general and its threads, in the same way on both platforms. */
export interface Desk {
  bot: string;
  /** Says something; gives the message's id, which is that of the thread below it. */
  say(who: string, text: string, thread?: string): Promise<string>;
  edit(who: string, message: string, text: string): Promise<unknown>;
  /** What this person sees of the bot in #general, or in a thread of it. */
  seen(who: string, thread?: string): SeenResult[];
  /** What only this person sees there, and what the bot wrote them directly. */
  seenAlone(who: string, thread?: string): SeenResult[];
  /** Resolves once something is there. */
  until<Found>(find: () => Found | undefined): Promise<Found>;
  press(who: string, message: string, label: string, thread?: string): Promise<unknown>;
  /** Uses an action of a message's menu, by its name. */
  act(who: string, message: string, name: string): Promise<unknown>;
  form(who: string): Form | undefined;
  submit(who: string, form: Form, values: Record<string, string>): Promise<unknown>;
  /** Uses a command there. */
  command(who: string, command: string, values: Record<string, string>): Promise<unknown>;
}

export const desks = {
  Slack: ({ slack }: Sandbox) => slackDesk(slack),
  Discord: ({ discord }: Sandbox) => discordDesk(discord),
};

function slackDesk(slack: SlackWorkspace): Desk {
  const user = (name: string) => slack.users().find((each) => each.name === name)?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';

  function all(who: string, thread?: string) {
    const shown = slack.messages(channel, thread).filter(({ bot_id: bot }) => bot);
    const whispered = slack.ephemerals(user(who), channel);
    const direct = slack.messages(slack.direct(user(who)).id).filter(({ bot_id: bot }) => bot);
    return { shown, alone: [...whispered, ...direct] };
  }

  return {
    bot: `<@${slack.bot.user}>`,
    say: async (who, text, thread) =>
      (await slack.say({ user: user(who), channel, text, ...(thread && { thread }) })).ts,
    edit: async (_, ts, text) => slack.edit({ channel, ts, text }),
    seen: (who, thread) => all(who, thread).shown.map((each) => onSlack.toResult(each)),
    seenAlone: (who, thread) => all(who, thread).alone.map((each) => onSlack.toResult(each)),
    async until(find) {
      const found = find();
      if (found === undefined) await slack.waitFor(() => find() !== undefined);
      return (found ?? find()) as NonNullable<typeof found>;
    },
    async press(who, ts, label, thread) {
      const { shown, alone } = all(who, thread);
      const message = [...shown, ...alone].find((each) => each.ts === ts);
      const action = onSlack.buttonsOf(message).find(({ text }) => text === label);
      if (!message || !action) throw new Error(`There is no button “${label}”.`);
      await slack.press({ user: user(who), channel, ts, actionId: action.action });
    },
    async act(who, ts, name) {
      const { callbackId = '' } = slack.shortcuts().find((each) => each.name === name) ?? {};
      await slack.shortcut({ user: user(who), channel, ts, callbackId });
    },
    form: (who) => slack.modals(user(who)).map(toSlackForm).at(-1),
    submit: (who, { id: view }, values) => slack.submit({ user: user(who), view, values }),
    command(who, command, values) {
      const options = Object.entries(values).map(([name, value]) => `--${name} "${value}"`);
      const text = [command, ...options].join(' ');
      return slack.command({ user: user(who), channel, command: '/causeway', text });
    },
  };
}

function toSlackForm({ id, blocks }: SlackView): Form {
  const fields = elementsOf(blocks).map(({ element }) => [
    element.action_id ?? '',
    onSlack.valueOf(element),
  ]);
  return { id, fields: Object.fromEntries(fields) as Record<string, string> };
}

function discordDesk(discord: DiscordServer): Desk {
  const channel = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
  const people = discord.users();
  const bot = people.find((each) => each.bot)?.id ?? '';
  const user = (name: string) => people.find(({ username }) => username === name)?.id ?? '';
  const open = new Map<string, ShownModal>();
  discord.changes.subscribe((change: DiscordChange) => {
    if (change.kind === 'modal') open.set(change.modal.user, change.modal);
  });

  function all(who: string, thread = channel) {
    const threads = discord.threads(channel).map(({ id }) => id);
    const isThere = thread === channel || threads.includes(thread);
    const there = (isThere ? discord.messages(thread) : []).filter(
      ({ author }) => author.id === bot,
    );
    const direct = discord.messages(discord.directChannel(who).id);
    const mine = there.filter(({ ephemeralFor }) => ephemeralFor === user(who));
    return {
      shown: there.filter(({ ephemeralFor }) => ephemeralFor === undefined),
      alone: [...mine, ...direct.filter(({ author }) => author.id === bot)],
    };
  }

  return {
    bot: `<@${bot}>`,
    say: async (who, content, thread = channel) =>
      (await discord.say({ user: who, channel: thread, content })).id,
    edit: (who, message, content) => discord.edit({ user: who, message, content }),
    seen: (who, thread) => all(who, thread).shown.map((each) => onDiscord.toResult(each)),
    seenAlone: (who, thread) => all(who, thread).alone.map((each) => onDiscord.toResult(each)),
    async until(find) {
      const found = find();
      if (found === undefined) await discord.changes.waitFor(() => find() !== undefined);
      return (found ?? find()) as NonNullable<typeof found>;
    },
    async press(who, id, label, thread) {
      const { shown, alone } = all(who, thread);
      const message = [...shown, ...alone].find((each) => each.id === id);
      const button = message && onDiscord.buttonsOf(message).find((each) => each.label === label);
      if (!button) throw new Error(`There is no button “${label}”.`);
      open.delete(user(who));
      await discord.press({ user: who, message: id, customId: button.custom_id }).acknowledgement;
    },
    async act(who, message, name) {
      open.delete(user(who));
      await discord.messageCommand({ user: who, message, name }).acknowledgement;
    },
    form(who) {
      const modal = open.get(user(who));
      return modal && { id: modal.id, fields: onDiscord.fieldsOf(modal) };
    },
    async submit(who, { id: modal }, values) {
      open.delete(user(who));
      return (await discord.submit({ user: who, modal, values })).acknowledgement;
    },
    async command(who, command, values) {
      const [name = '', action] = command.split(' ');
      const isYes = (value: string) => (value === 'yes' ? true : value);
      const given = Object.entries(values).map(([option, value]) => ({
        name: option,
        value: isYes(value),
      }));
      const options = action ? [{ name: action, options: given }] : given;
      return (await discord.command({ user: who, channel, name, options })).acknowledgement;
    },
  };
}

/** The name of a message's action that asks privately. */
export const askAlone = english.descriptions['ask shortcut'];
