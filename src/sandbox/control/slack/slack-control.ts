import { z } from 'zod';
import { type SlackChange, fileHosts } from '../../slack/model.ts';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import {
  type Formats,
  type MessageAt,
  type PlatformControl,
  createPlatformRoutes,
  located,
  post,
} from '../platform-control.ts';
import { ControlError } from '../request-body.ts';
import type { Modal, ShownChange } from '../shown.ts';
import { toModal } from './blocks.ts';
import { type SlackMessages, createSlackMessages } from './shown-messages.ts';
import { createDirectory, renderOverview, toPlace } from './overview.ts';

/** Milliseconds: https://docs.slack.dev/reference/methods/assistant.threads.setStatus. */
const statusDurationMs = 120_000;

const ts = z.string().regex(/^\d+\.\d+$/, 'must be the ts of a message');
const modal = z.string().max(100);
const action = z.string().max(255);
const formats = {
  message: ts,
  text: z.string().max(40_000),
  shortcut: z.string().max(255),
  modal,
  values: z.record(z.string(), z.union([z.string(), z.array(z.string()).max(100)])),
} satisfies Formats;

const saying = located.extend({
  thread: ts.optional(),
  text: formats.text.default(''),
  broadcast: z.boolean().optional(),
});
const stop = located.extend({ thread: ts });
const command = located.extend({
  thread: ts.optional(),
  text: formats.text.regex(/^\/\S/, 'must start with a slash and the command’s name'),
});
const press = located.partial({ channel: true }).extend({
  /** For a message; a modal has neither this nor the channel. */
  message: ts.optional(),
  modal: modal.optional(),
  action,
  value: z.union([z.string(), z.array(z.string()).max(100)]).optional(),
});
const typing = located
  .omit({ channel: true })
  .extend({ modal, action, typed: z.string().max(1_000).default('') });

const switches = z
  .strictObject({
    fileHost: z.enum(fileHosts),
    limitsHistory: z.boolean(),
    /** Seconds; null for what the manifest says. */
    tokenLifetime: z
      .int()
      .min(1)
      .max(30 * 24 * 3_600)
      .nullable()
      .transform((seconds) => seconds ?? undefined),
  })
  .partial()
  .refine(
    (given) => Object.keys(given).length > 0,
    'Give fileHost, limitsHistory or tokenLifetime.',
  );

/**
 * The Slack part of the control API. People are named by id or name, channels by id or `#name`, and
 * `@` is the person's direct message with the bot.
 *
 * @param findFile finds a file of any workspace
 */
export function createSlackControl(
  slack: SlackWorkspace,
  findFile: SlackWorkspace['file'],
): PlatformControl {
  const messages = createSlackMessages(slack);
  const directory = createDirectory(slack);
  const { routes, reach } = createPlatformRoutes({
    directory,
    formats,
    list: messages.list,
    activity: ({ channel, thread }) => ({
      activity: thread ? messages.activity(channel, thread) : '',
      lasts: statusDurationMs,
      stoppable: thread !== undefined && slack.session(channel, thread) === 'processing',
    }),
    edit: ({ text, ...at }) => messages.show(slack.edit({ ...own(at), text })),
    remove: (at) => slack.remove(own(at)),
    async shortcut({ user, channel, message, shortcut }) {
      const used = { user, channel, ts: message, callbackId: shortcut };
      return { acknowledged: await slack.shortcut(used) };
    },
    modals: (user) => openModals(slack, user),
    async submit({ modal: view, ...submission }) {
      const result = await slack.submit({ view, ...submission });
      const isOpen = result.outcome === 'errors' || result.outcome === 'failed';
      return isOpen ? result : { outcome: 'sent' };
    },
    async closeModal({ user, modal: view }) {
      if (!slack.modals(user).some(({ id }) => id === view)) return false;
      await slack.close(view);
      return true;
    },
  });

  /** A message the person wrote. */
  function own({ user, channel, message: id }: MessageAt): { channel: string; ts: string } {
    const message = slack.message(channel, id);
    if (message && message.user !== user) {
      throw new ControlError(400, 'message: people change and delete their own messages only.');
    }
    return { channel, ts: id };
  }

  post(routes, '/say', saying, async (body, { files }) => {
    const { thread, text, broadcast } = body;
    const said = { ...reach.place(body), text, broadcast, thread, files };
    return { message: messages.show(await slack.say(said)) };
  });

  post(routes, '/stop', stop, (body) => slack.stop({ ...reach.place(body), thread: body.thread }));

  post(routes, '/command', command, async (body) => {
    const [, name = '', rest = ''] = /^(\S+)\s*([^]*)/.exec(body.text) ?? [];
    const typed = { command: name, text: rest, thread: body.thread };
    return { acknowledged: await slack.command({ ...reach.place(body), ...typed }) };
  });

  post(routes, '/press', press, async (body) => {
    const { channel, message, value } = body;
    const chosen = { actionId: body.action, value };
    if (body.modal !== undefined) {
      const user = reach.person(body.user);
      return { acknowledged: await slack.press({ user, view: body.modal, ...chosen }) };
    }
    if (channel === undefined || message === undefined) {
      throw new ControlError(400, 'Give the channel and the message, or the modal.');
    }
    const at = reach.place({ user: body.user, channel });
    return { acknowledged: await slack.press({ ...at, ts: message, ...chosen }) };
  });

  post(routes, '/suggest', typing, async (body) => {
    const { modal: view, action: actionId, typed } = body;
    const user = reach.person(body.user);
    const options = await slack.suggest({ user, view, actionId, typed });
    return { choices: options.map(({ text, value }) => ({ value, label: text.text })) };
  });

  post(routes, '/switches', switches, (body) => Object.assign(slack.switches, body));

  routes.get('/files/:id', (context) => {
    const found = findFile(context.req.param('id'));
    if (!found) throw new ControlError(404, missingFile);
    return new Response(found.bytes, { headers: downloadHeaders(found.file) });
  });

  post(routes, '/uninstall', z.strictObject({}), slack.uninstall);
  post(routes, '/revoke', z.strictObject({}), slack.revoke);
  post(routes, '/expire', z.strictObject({}), slack.expireToken);

  return {
    routes,
    overview: () => renderOverview(slack, directory),
    subscribe: (listener) =>
      slack.changes.subscribe((change) => listener(toShown(change, slack, messages))),
  };
}

const missingFile = 'The file does not exist, or was deleted to make room for newer ones.';

/** A change as people see it. */
function toShown(change: SlackChange, slack: SlackWorkspace, messages: SlackMessages): ShownChange {
  switch (change.kind) {
    case 'message':
      return { kind: 'message', message: messages.show(change.message) };
    case 'ephemeral':
      return { kind: 'message', message: messages.showHidden(change.message) };
    case 'removed': {
      const { channel, thread, message, stub } = change;
      if (stub) return { kind: 'message', message: messages.show(stub) };
      return { kind: 'removed', channel, thread, id: message.ts };
    }
    case 'ephemeral-removed':
      return { kind: 'removed', channel: change.channel, id: change.ts };
    case 'status': {
      const { channel, thread } = change;
      const text = messages.activity(channel, thread);
      return { kind: 'activity', channel, thread, text, lasts: statusDurationMs };
    }
    case 'session': {
      const { channel, thread, status } = change;
      return { kind: 'working', channel, thread, stoppable: status === 'processing' };
    }
    case 'modal':
      return { kind: 'modals', user: change.user, modals: openModals(slack, change.user) };
    case 'channel':
      return { kind: 'channel', channel: toPlace(change.channel, slack) };
    case 'connections':
      return { kind: 'connections', connections: change.count };
    case 'emptied':
    case 'workspaces':
      return change;
  }
}

/** The modals a person has open; the last one is on top. */
function openModals(slack: SlackWorkspace, user: string): Modal[] {
  return slack.modals(user).map((view) => toModal(view, slack));
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
