import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { LRUCache } from 'lru-cache';
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
  baseUrl: () => string;
  now: () => number;
}

const maxUses = 5;
const lifetimeMs = 30 * 60_000;
const maxUrls = 1_000;
const maxBytes = 1024 * 1024;

/** URLs are kept in memory, at most the last thousand. */
export function createResponseUrls({ replies, baseUrl, now }: ResponseUrlsOptions): ResponseUrls {
  const urls = new LRUCache<string, { to: SayTo; uses: number; expires: number }>({ max: maxUrls });
  const routes = new Hono();

  routes.use(bodyLimit({ maxSize: maxBytes, onError: (context) => context.text('', 413) }));
  routes.post('/:id/:secret', async (context) => {
    const url = urls.get(`${context.req.param('id')}/${context.req.param('secret')}`);
    if (!url) return context.text('invalid_url', 404);
    if (url.expires < now()) return context.text('expired_url', 404);
    if (url.uses >= maxUses) return context.text('used_url', 404);
    try {
      replies.say(url.to, parsePayload(await context.req.text()));
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return context.text(error.message, error.code === 'server_error' ? 500 : 400);
    }
    url.uses += 1;
    return context.text('ok');
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

function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new SlackError('invalid_payload');
  }
}
