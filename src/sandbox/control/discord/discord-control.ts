import { Hono } from 'hono';
import { z } from 'zod';
import type { DiscordServer } from '../../discord/discord-server.ts';
import type { Acknowledgement } from '../../discord/interactions/interaction.ts';
import { ControlError } from '../control-error.ts';
import type { Subscribe } from '../events.ts';
import { messagesQuery, takeNewest } from '../messages-query.ts';
import { parseWith, readBody } from '../request-body.ts';
import type { PlatformOverview } from '../shown.ts';
import { createSubscribe, typingDurationMs } from './changes.ts';
import { toInvocation } from './commands.ts';
import { toForm } from './form.ts';
import { createDiscordMessages } from './messages.ts';
import { createOpenForms } from './open-forms.ts';
import { renderOverview } from './overview.ts';
import { createReach } from './reach.ts';

/** The Discord part of the control API. */
export interface DiscordControl {
  routes: Hono;
  overview(): PlatformOverview;
  subscribe: Subscribe;
  close(): void;
}

const person = z.string().min(1).max(100);
const channel = z.string().min(1).max(100);
const id = z.string().regex(/^\d{1,20}$/, 'must be an id');
const content = z.string().max(10_000);
const values = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).max(100)]),
);

const saying = z.strictObject({
  user: person,
  channel,
  thread: id.optional(),
  text: content.default(''),
  replyTo: id.optional(),
});
const edit = z.strictObject({ user: person, channel, message: id, text: content });
const removal = z.strictObject({ user: person, channel, message: id });
const command = z.strictObject({
  user: person,
  channel,
  thread: id.optional(),
  name: z.string().min(1).max(32),
  /** Preceded by its group, if it has one. */
  subcommand: z.string().max(80).optional(),
  options: values.default({}),
});
const completion = command.extend({ focused: z.string().min(1).max(32) });
const press = z.strictObject({
  user: person,
  channel,
  message: id,
  action: z.string().max(100),
  value: z.union([z.string(), z.array(z.string()).max(25)]).optional(),
});
const shortcut = z.strictObject({
  user: person,
  channel,
  message: id,
  shortcut: z.string().min(1).max(32),
});
const submission = z.strictObject({ user: person, form: id, values: values.default({}) });
const closing = z.strictObject({ user: person, form: id });

/**
 * The Discord part of the control API. People are named by id or name, channels by id or `#name`,
 * and `@` is the person's direct channel with the bot.
 */
export function createDiscordControl(discord: DiscordServer): DiscordControl {
  const routes = new Hono();
  const messages = createDiscordMessages(discord);
  const forms = createOpenForms(discord.changes);
  const reach = createReach(discord);

  routes.get('/messages', (context) => {
    const query = parseWith(messagesQuery, context.req.query());
    const { user, channel } = reach.place(query);
    const { thread } = query;
    const { newest, more } = takeNewest(messages.list({ user, channel, thread }), query);
    const typing = discord.typing(thread ?? channel);
    return context.json({
      messages: newest.map(messages.show),
      more,
      activity: typing.map(messages.activity).join(' '),
      lasts: typingDurationMs,
    });
  });

  routes.post('/say', async (context) => {
    const { body, files } = await readBody(context, saying);
    const { text, replyTo } = body;
    const said = await discord.say({
      ...reach.target(body),
      ...(text && { content: text }),
      ...(replyTo && { replyTo }),
      files: files['files'] ?? [],
    });
    return context.json({ message: messages.show(said) });
  });

  routes.post('/edit', async (context) => {
    const { body } = await readBody(context, edit);
    const { user } = reach.place(body);
    const edited = await discord.edit({ user, message: body.message, content: body.text });
    return context.json({ message: messages.show(edited) });
  });

  routes.post('/delete', async (context) => {
    const { body } = await readBody(context, removal);
    discord.remove({ user: reach.person(body.user), message: body.message });
    return context.json({});
  });

  routes.post('/command', async (context) => {
    const { body, files } = await readBody(context, command);
    const invocation = toInvocation(discord.commands(), body, files);
    const { acknowledgement } = await discord.command({ ...reach.target(body), ...invocation });
    return context.json(toAnswer(await acknowledgement));
  });

  routes.post('/complete', async (context) => {
    const { body } = await readBody(context, completion);
    const invocation = toInvocation(discord.commands(), body, {}, body.focused);
    const choices = await discord.autocomplete({ ...reach.target(body), ...invocation });
    return context.json({
      choices: choices.map(({ name, value }) => ({ value: String(value), label: name })),
    });
  });

  routes.post('/press', async (context) => {
    const { body } = await readBody(context, press);
    const { value } = body;
    const chosen = value === undefined ? {} : { values: [value].flat() };
    const { user } = reach.place(body);
    const pressed = discord.press({
      user,
      message: body.message,
      customId: body.action,
      ...chosen,
    });
    return context.json(toAnswer(await pressed.acknowledgement));
  });

  routes.post('/shortcut', async (context) => {
    const { body } = await readBody(context, shortcut);
    const { user } = reach.place(body);
    const { message, shortcut: name } = body;
    const { acknowledgement } = discord.messageCommand({ user, message, name });
    return context.json(toAnswer(await acknowledgement));
  });

  routes.get('/forms', (context) => {
    const { user } = parseWith(z.object({ user: person }), context.req.query());
    return context.json({ forms: forms.of(reach.person(user)).map(toForm) });
  });

  routes.post('/submit', async (context) => {
    const { body, files } = await readBody(context, submission);
    const user = reach.person(body.user);
    const filledIn = Object.fromEntries(
      Object.entries(body.values).map(([name, value]) => [
        name,
        Array.isArray(value) ? value : String(value),
      ]),
    );
    const doing = await discord.submit({ user, modal: body.form, values: filledIn, files });
    forms.close(user, body.form);
    const answer = toAnswer(await doing.acknowledgement);
    return context.json(answer.outcome === 'failed' ? answer : { outcome: 'sent' });
  });

  routes.post('/close', async (context) => {
    const { body } = await readBody(context, closing);
    const user = reach.person(body.user);
    if (!forms.close(user, body.form)) {
      throw new ControlError(400, `form: no form ${body.form} is open for ${body.user}.`);
    }
    return context.json({});
  });

  return {
    routes,
    overview: () => renderOverview(discord),
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
