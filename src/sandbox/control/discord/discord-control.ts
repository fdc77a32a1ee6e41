import { z } from 'zod';
import type { DiscordChange, ShownModal } from '../../discord/changes.ts';
import type { DiscordServer } from '../../discord/discord-server.ts';
import { isSaid } from '../../discord/messages/message-store.ts';
import { DiscordRefusal } from '../../discord/refusals.ts';
import type { Acknowledgement } from '../../discord/interactions/interactions.ts';
import {
  createPlatformRoutes,
  located,
  post,
  type Formats,
  type Located,
  type PlatformControl,
} from '../platform-control.ts';
import type { ShownChange } from '../shown.ts';
import { toCommands, toInvocation, toShortcuts } from './shown-commands.ts';
import { toModal } from './components.ts';
import { createDiscordMessages, type DiscordMessages } from './shown-messages.ts';
import { createDirectory, renderOverview, toPlace, toThread } from './overview.ts';

/** Milliseconds: https://docs.discord.com/developers/resources/channel#trigger-typing-indicator. */
const typingDurationMs = 10_000;

const id = z.string().regex(/^\d{1,20}$/, 'must be an id');
const number = z.union([z.number(), z.boolean()]);
const texts = z.union([z.string(), z.array(z.string()).max(100)]);
/** By id or name. */
const person = z.string().min(1).max(100);
const formats = {
  message: id,
  text: z.string().max(10_000),
  shortcut: z.string().min(1).max(32),
  modal: id,
  values: z.record(z.string(), z.union([texts, number.transform(String)])),
} satisfies Formats;

const saying = located.extend({
  thread: id.optional(),
  text: formats.text.default(''),
  replyTo: id.optional(),
});
/** A private thread. */
const newThread = located.extend({
  name: z.string().min(1).max(100),
  people: z.array(person).max(50).default([]),
});
/** A post in a forum; tags by id or name. */
const newPost = located.extend({
  title: z.string().min(1).max(100),
  text: formats.text.default(''),
  tags: z.array(z.string().min(1).max(100)).max(20).default([]),
});
const leaving = z.strictObject({ user: person, thread: id });
const closingPost = leaving.extend({ archived: z.boolean() });
const newServer = z.strictObject({
  name: z.string().min(2).max(100),
  people: z.tuple([person], person).check(z.maxLength(50)),
});
/** Of the bot. */
const membership = z.strictObject({ server: id });
/** Switches in the developer portal. */
const application = z.strictObject({ messageContent: z.boolean() });
const command = located.extend({
  thread: id.optional(),
  name: z.string().min(1).max(32),
  /** Preceded by its group, if it has one. */
  subcommand: z.string().max(80).optional(),
  options: z.record(z.string(), z.union([texts, number])).default({}),
});
const completion = command.extend({ focused: z.string().min(1).max(32) });
const press = located.extend({
  message: id,
  action: z.string().max(100),
  value: z.union([z.string(), z.array(z.string()).max(25)]).optional(),
});

/**
 * The Discord part of the control API. People are named by id or name, channels by id or `#name`,
 * and `@` is the person's direct channel with the bot.
 */
export function createDiscordControl(discord: DiscordServer): PlatformControl {
  const messages = createDiscordMessages(discord);
  /** One per person, the last one the bot opened, as in Discord's client. */
  const openModals = new Map<string, ShownModal>();
  const listeners = new Set<(change: ShownChange) => void>();
  discord.changes.subscribe((change) => {
    if (change.kind === 'modal') openModals.set(change.modal.user, change.modal);
    if (change.kind === 'emptied') openModals.clear();
    if (listeners.size > 0) toShown(change, discord, messages).forEach(tell);
  });
  const directory = createDirectory(discord);
  const { routes, reach } = createPlatformRoutes({
    directory,
    formats,
    list: messages.list,
    activity: ({ channel, thread }) => ({
      activity: discord
        .typing(thread ?? channel)
        .map(messages.activity)
        .join(' '),
      lasts: typingDurationMs,
    }),
    edit: async ({ user, message, text }) =>
      messages.show(await discord.edit({ user, message, content: text })),
    remove: ({ user, message }) => discord.remove({ user, message }),
    async shortcut({ user, message, shortcut: name }) {
      const { acknowledgement } = discord.messageCommand({ user, message, name });
      return toAnswer(await acknowledgement);
    },
    modals(user) {
      const open = openModals.get(user);
      return open ? [toModal(open)] : [];
    },
    async submit(submission) {
      try {
        const { acknowledgement } = await discord.submit(submission);
        const answer = toAnswer(await acknowledgement);
        if (answer.outcome === 'failed') return answer;
        closeModal(submission);
        return { outcome: 'sent' };
      } catch (error) {
        if (!(error instanceof DiscordRefusal) || error.field === undefined) throw error;
        return { outcome: 'errors', errors: { [error.field]: error.message } };
      }
    },
    closeModal,
  });

  function tell(change: ShownChange): void {
    for (const listener of listeners) listener(change);
  }

  /** Returns false if it was not open. */
  function closeModal({ user, modal }: { user: string; modal: string }): boolean {
    if (openModals.get(user)?.id !== modal) return false;
    openModals.delete(user);
    tell({ kind: 'modals', user, modals: [] });
    return true;
  }

  /** The thread if one is named, otherwise the channel: in Discord, a thread is a channel. */
  function target(at: Located & { thread?: string }): Located {
    const { user, channel } = reach.place(at);
    return { user, channel: at.thread ?? channel };
  }

  post(routes, '/say', saying, async (body, { files }) => {
    const { text: content, replyTo } = body;
    const said = await discord.say({ ...target(body), content, replyTo, files });
    return { message: messages.show(said) };
  });

  post(routes, '/post', newPost, async ({ title, text, tags, ...at }, { files }) => {
    const post = { ...reach.place(at), title, content: text, tags, files };
    return { thread: (await discord.openPost(post)).channel };
  });

  post(routes, '/close-post', closingPost, ({ user, thread, archived }) => {
    discord.changePost({ user: reach.person(user), post: thread, archived });
  });

  post(routes, '/private-thread', newThread, ({ name, people, ...at }) => {
    const { id: thread } = discord.openPrivateThread({ ...reach.place(at), name, people });
    return { thread };
  });

  post(routes, '/leave-thread', leaving, ({ user, thread }) =>
    discord.leaveThread(thread, reach.person(user)),
  );

  /** Creates a server with the bot in it; the first of the people owns it. */
  post(routes, '/server', newServer, ({ name, people: [owner, ...others] }) => {
    const { id, general } = discord.addServer(name, [owner, ...others]);
    return { server: id, channel: general };
  });

  post(routes, '/invite', membership, ({ server }) => discord.inviteBot(server));
  post(routes, '/remove', membership, ({ server }) => discord.removeBot(server));
  post(routes, '/application', application, discord.changeApplication);

  post(routes, '/command', command, async (body, files) => {
    const invocation = toInvocation(discord.commands(), body, files);
    const { acknowledgement } = await discord.command({ ...target(body), ...invocation });
    return toAnswer(await acknowledgement);
  });

  post(routes, '/complete', completion, async (body) => {
    const invocation = toInvocation(discord.commands(), body, {}, body.focused);
    const choices = await discord.autocomplete({ ...target(body), ...invocation });
    return { choices: choices.map(({ name, value }) => ({ value: String(value), label: name })) };
  });

  post(routes, '/press', press, async (body) => {
    const { value = [], message, action: customId } = body;
    const { user } = reach.place(body);
    const { acknowledgement } = discord.press({ user, message, customId, values: [value].flat() });
    return toAnswer(await acknowledgement);
  });

  return {
    routes,
    overview: () => renderOverview(discord, directory),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What people see of a change. */
function toShown(
  change: DiscordChange,
  discord: DiscordServer,
  messages: DiscordMessages,
): ShownChange[] {
  switch (change.kind) {
    case 'message': {
      if (!isSaid(change.message)) return [];
      const message = messages.show(change.message);
      if (change.event !== 'removed') return [{ kind: 'message', message }];
      const { channel, thread, id } = message;
      return [{ kind: 'removed', channel, thread, id }];
    }
    case 'typing': {
      const text = messages.activity(change.user);
      return [
        { kind: 'activity', ...messages.place(change.channel), text, lasts: typingDurationMs },
      ];
    }
    case 'channel': {
      const thread = toThread(change.channel, discord);
      if (!thread) return [{ kind: 'channel', channel: toPlace(change.channel, discord) }];
      // The message that the thread starts from now shows a link to it.
      const opener = discord.message(thread.id);
      const isOpener = opener?.channel === thread.channel;
      const opened = isOpener ? [{ kind: 'message', message: messages.show(opener) } as const] : [];
      return [{ kind: 'thread', thread }, ...opened];
    }
    case 'modal': {
      const { modal } = change;
      return [{ kind: 'modals', user: modal.user, modals: [toModal(modal)] }];
    }
    case 'commands':
      return [{ kind: 'commands', commands: toCommands(discord), shortcuts: toShortcuts(discord) }];
    case 'gateway':
      return [{ kind: 'connections', connections: discord.gateway.connections }];
    case 'refused':
      return [];
    case 'guilds':
      return [{ kind: 'workspaces' }];
    case 'emptied':
      return [change];
  }
}

/** The bot's first response; its messages and changes follow as events. */
function toAnswer(acknowledgement: Acknowledgement) {
  if (acknowledgement.kind === 'failed') {
    return { outcome: 'failed', reason: acknowledgement.reason } as const;
  }
  return { outcome: acknowledgement.kind };
}
