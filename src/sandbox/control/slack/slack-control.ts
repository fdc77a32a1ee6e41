import { Hono } from 'hono';
import { z } from 'zod';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import { ControlError } from '../control-error.ts';
import type { Subscribe } from '../events.ts';
import { messagesQuery, takeNewest } from '../messages-query.ts';
import { parseWith, readBody } from '../request-body.ts';
import type { PlatformOverview, SubmitOutcome } from '../shown.ts';
import { createSubscribe, openForms, statusDurationMs } from './changes.ts';
import { createSlackMessages } from './messages.ts';
import { renderOverview } from './overview.ts';
import { createReach } from './reach.ts';

/** The Slack part of the control API. */
export interface SlackControl {
  routes: Hono;
  overview(): PlatformOverview;
  subscribe: Subscribe;
}

const person = z.string().min(1).max(100);
const channel = z.string().min(1).max(100);
const ts = z.string().regex(/^\d+\.\d+$/, 'must be the ts of a message');
const text = z.string().max(40_000);

const saying = z.strictObject({
  user: person,
  channel,
  thread: ts.optional(),
  text: text.default(''),
  broadcast: z.boolean().optional(),
});
const edit = z.strictObject({ user: person, channel, message: ts, text });
const removal = z.strictObject({ user: person, channel, message: ts });
const stop = z.strictObject({ user: person, channel, thread: ts });
const command = z.strictObject({
  user: person,
  channel,
  text: text.regex(/^\/\S/, 'must start with a slash and the command’s name'),
});
const press = z.strictObject({
  user: person,
  /** For a message; a modal has neither. */
  channel: channel.optional(),
  message: ts.optional(),
  form: z.string().max(100).optional(),
  action: z.string().max(255),
  value: z.union([z.string(), z.array(z.string()).max(100)]).optional(),
});
const submission = z.strictObject({
  user: person,
  form: z.string().max(100),
  values: z.record(z.string(), z.union([z.string(), z.array(z.string()).max(100)])).default({}),
});
const typing = z.strictObject({
  user: person,
  form: z.string().max(100),
  action: z.string().max(255),
  typed: z.string().max(1_000).default(''),
});
const shortcut = z.strictObject({
  user: person,
  channel,
  message: ts,
  shortcut: z.string().max(255),
});
const closing = z.strictObject({ user: person, form: z.string().max(100) });

/**
 * The Slack part of the control API. People are named by id or name, channels by id or `#name`, and
 * `@` is the person's direct message with the bot.
 */
export function createSlackControl(slack: SlackWorkspace): SlackControl {
  const routes = new Hono();
  const messages = createSlackMessages(slack);
  const reach = createReach(slack, messages.find);

  routes.get('/messages', (context) => {
    const query = parseWith(messagesQuery, context.req.query());
    const { thread } = query;
    const { user, channel } = reach.place(query);
    const { newest, more } = takeNewest(messages.list({ user, channel, thread }), query);
    return context.json({
      messages: newest,
      more,
      activity: thread ? messages.activity(channel, thread) : '',
      lasts: statusDurationMs,
      stoppable: thread !== undefined && slack.session(channel, thread) === 'processing',
    });
  });

  routes.post('/say', async (context) => {
    const { body, files } = await readBody(context, saying);
    const { thread, text, broadcast = false } = body;
    const said = await slack.say({
      ...reach.place(body),
      text,
      broadcast,
      ...(thread && { thread }),
      files: files['files'] ?? [],
    });
    return context.json({ message: messages.show(said) });
  });

  routes.post('/edit', async (context) => {
    const { body } = await readBody(context, edit);
    const { text, ...at } = body;
    return context.json({ message: messages.show(slack.edit({ ...reach.own(at), text })) });
  });

  routes.post('/delete', async (context) => {
    const { body } = await readBody(context, removal);
    slack.remove(reach.own(body));
    return context.json({});
  });

  routes.post('/stop', async (context) => {
    const { body } = await readBody(context, stop);
    slack.stop({ ...reach.place(body), thread: body.thread });
    return context.json({});
  });

  routes.post('/command', async (context) => {
    const { body } = await readBody(context, command);
    const [, name = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(body.text) ?? [];
    const acknowledged = await slack.command({ ...reach.place(body), command: name, text: rest });
    return context.json({ acknowledged });
  });

  routes.post('/press', async (context) => {
    const { body } = await readBody(context, press);
    const { action, value, message, form } = body;
    const chosen = { actionId: action, value };
    if (form !== undefined) {
      const user = reach.person(body.user);
      return context.json({ acknowledged: await slack.press({ user, view: form, ...chosen }) });
    }
    if (body.channel === undefined || message === undefined) {
      throw new ControlError(400, 'Give the channel and the message, or the form.');
    }
    const at = reach.place({ user: body.user, channel: body.channel });
    const acknowledged = await slack.press({ ...at, ts: message, ...chosen });
    return context.json({ acknowledged });
  });

  routes.post('/shortcut', async (context) => {
    const { body } = await readBody(context, shortcut);
    const { message, shortcut: callbackId } = body;
    const used = { ...reach.place(body), ts: message, callbackId };
    return context.json({ acknowledged: await slack.shortcut(used) });
  });

  routes.post('/suggest', async (context) => {
    const { body } = await readBody(context, typing);
    const { form: view, action: actionId, typed } = body;
    const user = reach.person(body.user);
    const options = await slack.suggest({ user, view, actionId, typed });
    const choices = options.map(({ text, value }) => ({ value, label: text.text }));
    return context.json({ choices });
  });

  routes.get('/forms', (context) => {
    const { user } = parseWith(z.object({ user: person }), context.req.query());
    return context.json({ forms: openForms(slack, reach.person(user)) });
  });

  routes.post('/submit', async (context) => {
    const { body, files } = await readBody(context, submission);
    const user = reach.person(body.user);
    const { form: view, values } = body;
    const result = await slack.submit({ user, view, values, files });
    const outcome: SubmitOutcome =
      result.outcome === 'errors' || result.outcome === 'failed' ? result : { outcome: 'sent' };
    return context.json(outcome);
  });

  routes.post('/close', async (context) => {
    const { body } = await readBody(context, closing);
    const user = reach.person(body.user);
    if (!slack.modals(user).some(({ id }) => id === body.form)) {
      throw new ControlError(400, `form: no form ${body.form} is open for ${body.user}.`);
    }
    await slack.close(body.form);
    return context.json({});
  });

  routes.get('/files/:id', (context) => {
    const found = slack.file(context.req.param('id'));
    if (!found)
      throw new ControlError(
        404,
        'The file does not exist, or was deleted to make room for newer ones.',
      );
    return new Response(found.bytes, { headers: downloadHeaders(found.file) });
  });

  return {
    routes,
    overview: () => renderOverview(slack),
    subscribe: createSubscribe(slack, messages),
  };
}

/** A file is downloaded rather than displayed, and could run no scripts if it were. */
function downloadHeaders({ name, size }: { name: string; size: number }): Record<string, string> {
  return {
    'content-type': 'application/octet-stream',
    'content-length': String(size),
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
  };
}
