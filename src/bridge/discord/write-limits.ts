import { type APIRequest, type REST, RESTEvents } from 'discord.js';
import { createLru } from '../../shared/primitives/cache.ts';
import type { WriteBudget } from '../conversation/thread.ts';

export type WriteKind = 'post' | 'edit';

type Figure = Pick<WriteBudget, 'writes' | 'windowMs'>;

/** How many writes of each kind Discord accepts in a channel or thread. */
export interface WriteLimits {
  of(kind: WriteKind, channel: string): Figure;
}

/** Developers report 5 writes in 5 seconds. Discord documents no figure. */
const usual: Figure = { writes: 5, windowMs: 5_000 };

/** Max channels with figures of their own; beyond that, the least recently used is dropped. */
const maxChannels = 1_000;

const route = /^\/channels\/(\d+)\/messages(\/\d+)?$/;

/**
 * The usual figures, corrected by the rate limit headers of Discord's responses:
 * docs.discord.com/developers/topics/rate-limits#header-format.
 */
export function learnWriteLimits(rest: Pick<REST, 'on'>): WriteLimits {
  const differing = createLru<Figure>(maxChannels);

  function of(kind: WriteKind, channel: string): Figure {
    return differing.get(`${kind}:${channel}`) ?? usual;
  }

  function learn(kind: WriteKind, channel: string, figure: Figure): void {
    const key = `${kind}:${channel}`;
    differing.delete(key);
    if (figure.writes === usual.writes && figure.windowMs === usual.windowMs) return;
    differing.set(key, figure);
  }

  rest.on(RESTEvents.Response, (request, { status, headers }) => {
    // A 429 may come from a different limit, so its headers say nothing about this one.
    const write = status === 429 ? undefined : toWrite(request);
    const seen = write && readFigure(headers);
    if (!seen) return;
    const known = of(write.kind, write.channel);
    const windowMs = seen.isWhole ? seen.windowMs : Math.max(seen.windowMs, known.windowMs);
    learn(write.kind, write.channel, { writes: seen.writes, windowMs });
  });
  return { of };
}

function toWrite(request: APIRequest): { kind: WriteKind; channel: string } | undefined {
  const [, channel, message] = route.exec(request.path) ?? [];
  if (!channel) return undefined;
  if (request.method === 'POST' && !message) return { kind: 'post', channel };
  if (request.method === 'PATCH' && message) return { kind: 'edit', channel };
  return undefined;
}

/** With the first write in a window, the time to its end is its length (`isWhole`). */
function readFigure(headers: Pick<Headers, 'get'>): (Figure & { isWhole: boolean }) | undefined {
  const writes = Number(headers.get('x-ratelimit-limit'));
  const remaining = Number(headers.get('x-ratelimit-remaining'));
  const seconds = Number(headers.get('x-ratelimit-reset-after'));
  if (!(writes >= 1) || !(seconds > 0)) return undefined;
  // Part of the window has passed when the response arrives, so round up to the next half second.
  return { writes, windowMs: Math.ceil(seconds * 2) * 500, isWhole: remaining === writes - 1 };
}
