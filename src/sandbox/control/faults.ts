import { Hono } from 'hono';
import { z } from 'zod';
import type { Fault, Faults } from '../faults.ts';
import { readBody } from './request-body.ts';

/** A month, in seconds: platforms have said so. */
const maxRetryAfter = 31 * 24 * 3_600;

const fault = z.strictObject({
  method: z.string().min(1).max(200),
  times: z.int().min(1).max(1_000),
  status: z.int().min(200).max(599).optional(),
  retryAfter: z.number().min(0).max(maxRetryAfter).optional(),
  error: z.union([z.string().min(1).max(100), z.int()]).optional(),
  html: z.string().max(10_000).optional(),
  afterEffect: z.boolean().optional(),
  drop: z.boolean().optional(),
});

const change = z.strictObject({
  faults: z.array(fault).max(100).optional(),
  /** Milliseconds. */
  latency: z.number().min(0).max(60_000).optional(),
  rateLimits: z.boolean().optional(),
});

/**
 * The faults of a platform: GET reads latency and rate limits, POST adds faults and changes those,
 * DELETE resets everything.
 */
export function createFaultsControl(faults: Faults): Hono {
  const routes = new Hono();
  const read = () => ({ latency: faults.latency, rateLimits: faults.rateLimits });
  routes.get('/', (context) => context.json(read()));
  routes.post('/', async (context) => {
    const { body } = await readBody(context, change);
    if (body.latency !== undefined) faults.latency = body.latency;
    if (body.rateLimits !== undefined) faults.rateLimits = body.rateLimits;
    for (const one of body.faults ?? []) faults.inject(toFault(one));
    return context.json(read());
  });
  routes.delete('/', (context) => {
    faults.clear();
    return context.json(read());
  });
  return routes;
}

/** Without its undefined fields, which a Fault must not have. */
function toFault(parsed: z.infer<typeof fault>): Fault {
  const given = Object.entries(parsed).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as Fault;
}
