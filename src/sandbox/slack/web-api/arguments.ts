import { z } from 'zod';

/** A required text. */
export const required = z.string().min(1);

/** An optional text. */
export const optional = z.string().optional();

/** A boolean, which forms send as text. */
export const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
  .transform((value) => value === true || value === 'true' || value === '1')
  .optional();

/** An integer, which forms send as text. */
const whole = z.coerce.number().int().min(0).optional();

/** A JSON value, which forms send as text. A text that is not JSON stays as it is. */
export const json = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? parseJson(value) : value))
  .optional();

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The page of a list that a call asks for. */
export interface Wanted {
  cursor?: string;
  limit?: number;
}

const listing = { cursor: optional, limit: whole };

/** The arguments of a list method, and its pages. */
export const paged = {
  arguments: listing,
  /** The page a cursor points at. Never throws: an unknown cursor starts anew. */
  page<Item>(all: Iterable<Item>, { cursor, limit = 100 }: Wanted) {
    const start = Math.max(0, Number(Buffer.from(cursor ?? '', 'base64url').toString()) || 0);
    const size = Math.min(Math.max(limit, 1), 1_000);
    const items = [
      ...Iterator.from(all)
        .drop(start)
        .take(size + 1),
    ];
    const more = items.length > size;
    const next_cursor = more ? Buffer.from(String(start + size)).toString('base64url') : '';
    return { items: items.slice(0, size), more, response_metadata: { next_cursor } };
  },
};
