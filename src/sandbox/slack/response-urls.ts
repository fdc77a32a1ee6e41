import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { createLru } from '../../shared/primitives/cache.ts';
import { monotonicMs } from '../../shared/primitives/time.ts';
import type { RecordCall } from '../inspector/api-calls.ts';
import { withIds } from './block.ts';
import { parseContent } from './content.ts';
import { newDigits, newSecret } from './identifiers.ts';
import type { Ephemerals, Messages } from './message-store.ts';
import { byApp, type SlackApp } from './model.ts';
import { SlackError } from './slack-error.ts';

/** The recipient of a response to a command or interaction. */
interface SayTo {
  user: string;
  channel: string;
  thread?: string;
  /**
   * The message that a response can replace or delete: the one with the pressed control. A command
   * has none, so each response adds a message (slackapi/bolt-js#2287).
   */
  original?: string;
}

/**
 * The app's responses to commands and interactions: with the acknowledgement, or at URLs, five times
 * within 30 minutes. docs.slack.dev/interactivity/handling-user-interaction, "Message responses".
 */
export interface ResponseUrls {
  create(to: SayTo): string;
  /**
   * Posts, replaces or deletes as the payload says; by default only the user sees the response.
   * @throws {SlackError} `invalid_payload`, `server_error`, or an error of its content
   */
  say(to: SayTo, payload: unknown): void;
}

/** The URLs of all workspaces. */
export interface ResponseLinks {
  /** A URL whose payloads go to `say`, which throws a SlackError for one that is refused. */
  create(say: (payload: unknown) => void): string;
  routes: Hono;
}

const payloadSchema = z.object({
  // Refused here, unlike in methods: vercel/chat#440.
  markdown_text: z.never().optional(),
  text: z.string().optional(),
  blocks: z.unknown().optional(),
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
  replace_original: z.boolean().optional(),
  delete_original: z.boolean().optional(),
  thread_ts: z.string().optional(),
});

const maxUses = 5;
const lifetimeMs = 30 * 60_000;
const maxUrls = 1_000;
const maxBytes = 1024 * 1024;

/** The responses in one workspace. */
export function createResponseUrls(options: {
  app: SlackApp;
  messages: Messages;
  ephemerals: Ephemerals;
  links: ResponseLinks;
}): ResponseUrls {
  const { app, messages, ephemerals, links } = options;

  function say({ user, channel, thread, original: ts }: SayTo, payload: unknown): void {
    const parsed = payloadSchema.safeParse(payload);
    if (!parsed.success) throw new SlackError('invalid_payload');
    const { response_type: audience, replace_original: replaces, ...rest } = parsed.data;
    const whispered = ts === undefined ? undefined : ephemerals.find(channel, ts);
    const original = ts === undefined ? undefined : messages.find(channel, ts);

    if (rest.delete_original) {
      if (whispered) ephemerals.remove(whispered);
      if (original) messages.remove(original);
      return;
    }
    const { text = '', blocks } = parseContent(rest);
    // Slack fails at them here: gofish-graphics#602, slackapi/slack-github-action#440.
    if (blocks?.some(({ type }) => type === 'markdown')) throw new SlackError('server_error');
    const said = { text, blocks: blocks && withIds(blocks) };
    const place = { channel, thread_ts: rest.thread_ts ?? thread };
    if (replaces && whispered) ephemerals.replace(whispered, said);
    else if (replaces && original) messages.edit(original, { ...said, blocks: said.blocks ?? [] });
    else if (audience === 'in_channel') messages.post({ ...place, ...said, ...byApp(app) });
    else ephemerals.post({ ...place, ...said, user: app.botUser, to: user });
  }

  return { say, create: (to) => links.create((payload) => say(to, payload)) };
}

/** URLs are kept in memory, at most the last thousand. */
export function createResponseLinks(options: {
  record: RecordCall;
  baseUrl: () => string;
  now: () => number;
}): ResponseLinks {
  const { record, baseUrl, now } = options;
  const urls = createLru<{ say(payload: unknown): void; uses: number; expires: number }>(maxUrls);
  const routes = new Hono();

  function respond(key: string, payload: unknown): { status: 200 | 400 | 404 | 500; says: string } {
    const url = urls.get(key);
    if (!url) return { status: 404, says: 'invalid_url' };
    if (url.expires < now()) return { status: 404, says: 'expired_url' };
    if (url.uses >= maxUses) return { status: 404, says: 'used_url' };
    try {
      url.say(payload);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return { status: error.code === 'server_error' ? 500 : 400, says: error.message };
    }
    url.uses += 1;
    return { status: 200, says: 'ok' };
  }

  routes.use(bodyLimit({ maxSize: maxBytes, onError: (context) => context.text('', 413) }));
  routes.post('/:id/:secret', async (context) => {
    const beganMs = monotonicMs();
    const { id, secret } = context.req.param();
    const payload = parsePayload(await context.req.text());
    const { status, says } = respond(`${id}/${secret}`, payload);
    record({
      platform: 'slack',
      method: 'response_url',
      beganMs,
      arguments: payload,
      status,
      response: says,
      isInjected: false,
    });
    return context.text(says, status);
  });

  return {
    routes,
    create(say) {
      const key = `${newDigits(13)}/${newSecret(12)}`;
      urls.set(key, { say, uses: 0, expires: now() + lifetimeMs });
      return `${baseUrl()}/respond/${key}`;
    },
  };
}

/** Undefined if it isn't JSON. */
function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
