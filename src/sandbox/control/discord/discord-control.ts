import { z } from 'zod';
import type { DiscordServer } from '../../discord/discord-server.ts';
import type { Acknowledgement } from '../../discord/interactions/interactions.ts';
import {
  createPlatformRoutes,
  located,
  post,
  type Formats,
  type PlatformControl,
} from '../platform-control.ts';
import type { Located } from '../reach.ts';
import { createSubscribe, typingDurationMs } from './changes.ts';
import { toInvocation } from './commands.ts';
import { toForm } from './form.ts';
import { createDiscordMessages } from './messages.ts';
import { createOpenForms } from './open-forms.ts';
import { createDirectory, renderOverview } from './overview.ts';

const id = z.string().regex(/^\d{1,20}$/, 'must be an id');
const number = z.union([z.number(), z.boolean()]);
const texts = z.union([z.string(), z.array(z.string()).max(100)]);
const formats = {
  message: id,
  text: z.string().max(10_000),
  shortcut: z.string().min(1).max(32),
  form: id,
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
  people: z.array(z.string().min(1).max(100)).max(50).default([]),
});
const leaving = z.strictObject({ user: z.string().min(1).max(100), thread: id });
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
  const forms = createOpenForms(discord.changes);
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
    forms: (user) => forms.of(user).map(toForm),
    async submit({ user, form, values, files }) {
      const { acknowledgement } = await discord.submit({ user, modal: form, values, files });
      forms.close(user, form);
      const answer = toAnswer(await acknowledgement);
      return answer.outcome === 'failed' ? answer : { outcome: 'sent' };
    },
    closeForm: ({ user, form }) => forms.close(user, form),
  });

  /** The thread if one is named, otherwise the channel: in Discord, a thread is a channel. */
  function target(at: Located & { thread?: string }): Located {
    const { user, channel } = reach.place(at);
    return { user, channel: at.thread ?? channel };
  }

  post(routes, '/say', saying, async (body, files) => {
    const { text, replyTo } = body;
    const said = await discord.say({
      ...target(body),
      ...(text && { content: text }),
      ...(replyTo && { replyTo }),
      files: files['files'] ?? [],
    });
    return { message: messages.show(said) };
  });

  post(routes, '/private-thread', newThread, ({ name, people, ...at }) => {
    const { id: thread } = discord.openPrivateThread({ ...reach.place(at), name, people });
    return { thread };
  });

  post(routes, '/leave-thread', leaving, ({ user, thread }) => {
    discord.leaveThread(thread, reach.person(user));
    return {};
  });

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
    const { value, message, action: customId } = body;
    const chosen = value === undefined ? {} : { values: [value].flat() };
    const { user } = reach.place(body);
    const { acknowledgement } = discord.press({ user, message, customId, ...chosen });
    return toAnswer(await acknowledgement);
  });

  return {
    routes,
    overview: () => renderOverview(discord, directory),
    subscribe: createSubscribe(discord, messages, forms),
    close: () => forms.end(),
  };
}

/** The bot's first response; its messages and changes follow as events. */
function toAnswer(acknowledgement: Acknowledgement) {
  if (acknowledgement.kind === 'failed') {
    return { outcome: 'failed', reason: acknowledgement.reason } as const;
  }
  return { outcome: acknowledgement.kind };
}
