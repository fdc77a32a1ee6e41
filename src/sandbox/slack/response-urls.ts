import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createLru } from '../../shared/primitives/lru.ts';
import type { RecordCall } from '../inspector/api-calls.ts';
import { monotonicMs } from '../../shared/primitives/monotonic.ts';
import type { SayTo, Replies } from './replies.ts';
import { newDigits, newSecret } from './identifiers.ts';
import { SlackError } from './slack-error.ts';

/** URLs at which an app can respond to a command or interaction: five times within 30 minutes. */
export interface ResponseUrls {
  create(to: SayTo): string;
  routes: Hono;
}

interface ResponseUrlsOptions {
  replies: Replies;
  record: RecordCall;
  baseUrl: () => string;
  now: () => number;
}

const maxUses = 5;
const lifetimeMs = 30 * 60_000;
const maxUrls = 1_000;
const maxBytes = 1024 * 1024;

/** URLs are kept in memory, at most the last thousand. */
export function createResponseUrls({
  replies,
  record,
  baseUrl,
  now,
}: ResponseUrlsOptions): ResponseUrls {
  const urls = createLru<{ to: SayTo; uses: number; expires: number }>(maxUrls);
  const routes = new Hono();

  function respond(key: string, payload: unknown): { status: 200 | 400 | 404 | 500; says: string } {
    const url = urls.get(key);
    if (!url) return { status: 404, says: 'invalid_url' };
    if (url.expires < now()) return { status: 404, says: 'expired_url' };
    if (url.uses >= maxUses) return { status: 404, says: 'used_url' };
    try {
      replies.say(url.to, payload);
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
    const call = {
      platform: 'slack',
      method: 'response_url',
      beganMs,
      arguments: payload,
    } as const;
    record({ ...call, status, response: says, isInjected: false });
    return context.text(says, status);
  });

  return {
    routes,
    create(to) {
      const key = `${newDigits(13)}/${newSecret(12)}`;
      urls.set(key, { to, uses: 0, expires: now() + lifetimeMs });
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
