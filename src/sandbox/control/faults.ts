import { Hono } from 'hono';
import { z } from 'zod';
import type { Fault, FaultKind, Faults } from '../faults.ts';
import { readBody } from './request-body.ts';

/** A month, in seconds: platforms have said so. */
const maxRetryAfter = 31 * 24 * 3_600;

const kind = z.strictObject({
  status: z.int().min(200).max(599).optional(),
  retryAfter: z.number().min(0).max(maxRetryAfter).optional(),
  error: z.union([z.string().min(1).max(100), z.int()]).optional(),
  html: z.string().max(10_000).optional(),
  afterEffect: z.boolean().optional(),
  drop: z.boolean().optional(),
});
const fault = kind.extend({
  method: z.string().min(1).max(200),
  times: z.int().min(1).max(1_000),
});

const change = z.strictObject({
  faults: z.array(fault).max(100).optional(),
  /** Milliseconds. */
  latency: z.number().min(0).max(60_000).optional(),
  rateLimits: z.boolean().optional(),
  /** Null ends it. */
  every: kind.nullable().optional(),
  /** Cuts all connections for events, and refuses new ones. */
  offline: z.boolean().optional(),
});

/**
 * The faults of a platform: GET reads what is switched on, POST adds faults and changes that, DELETE
 * resets everything. `cut` cuts the bot's connections for events.
 */
export function createFaultsControl(faults: Faults, cut: () => void): Hono {
  const routes = new Hono();
  const read = () => readFaults(faults);
  routes.get('/', (context) => context.json(read()));
  routes.post('/', async (context) => {
    const { body } = await readBody(context, change);
    if (body.latency !== undefined) faults.latency = body.latency;
    if (body.rateLimits !== undefined) faults.rateLimits = body.rateLimits;
    if (body.every !== undefined) faults.every = body.every ? withoutGaps(body.every) : undefined;
    if (body.offline !== undefined) faults.offline = body.offline;
    if (body.offline) cut();
    for (const one of body.faults ?? []) faults.inject(withoutGaps(one) as Fault);
    return context.json(read());
  });
  routes.delete('/', (context) => {
    faults.clear();
    return context.json(read());
  });
  return routes;
}

/** What is switched on; JSON omits what isn't. */
export function readFaults({ latency, rateLimits, every, offline }: Faults) {
  return { latency, rateLimits, every, offline: offline || undefined };
}

/** Without its undefined fields, which a fault must not have. */
function withoutGaps(parsed: z.infer<typeof kind>): FaultKind {
  const given = Object.entries(parsed).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}
