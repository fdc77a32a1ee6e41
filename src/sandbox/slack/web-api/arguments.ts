import { z } from 'zod';

/** A text that must be there. */
export const required = z.string().min(1);

/** A text that may be left out. */
export const optional = z.string().optional();

/** A true or false, which forms spell out. */
export const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
  .transform((value) => value === true || value === 'true' || value === '1')
  .optional();

/** A whole number, which forms spell out. */
const whole = z.coerce.number().int().min(0).optional();

/** A JSON value, which forms hold as text; a text that is no JSON stays as it is. */
export const json = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? parseJson(value) : value))
  .optional();

/** Whether a JSON value is an object, or a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Which page of a list a call wants. */
export interface Wanted {
  cursor?: string | undefined;
  limit?: number | undefined;
}

const listing = { cursor: optional, limit: whole };

/** The arguments of a method that lists, and its pages. */
export const paged = {
  arguments: listing,
  /** The page a cursor points at. Throws nothing: a cursor nobody handed out starts anew. */
  page<Item>(items: Item[], { cursor, limit = 100 }: Wanted) {
    const start = Number(Buffer.from(cursor ?? '', 'base64url').toString()) || 0;
    const end = start + Math.min(Math.max(limit, 1), 1_000);
    const more = end < items.length;
    const next_cursor = more ? Buffer.from(String(end)).toString('base64url') : '';
    return { items: items.slice(start, end), more, response_metadata: { next_cursor } };
  },
};
