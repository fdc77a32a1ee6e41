import { z } from 'zod';
import { Timestamp, Uuid } from './fields.ts';

export const Session = z.looseObject({
  uuid: Uuid,
  created_at: Timestamp,
  modified_at: Timestamp,
});
export type Session = z.infer<typeof Session>;

/** `2024-09-12T00:19:12.000Z`: milliseconds always present, as the interface asks (§4.15). */
const FilterTimestamp = z.iso.datetime({
  precision: 3,
  error: 'must be a UTC time with milliseconds, like 2024-09-12T00:19:12.000Z',
});

/** Both ends are inclusive and speak of the session's creation. */
export const SessionFilter = z.strictObject({
  start_timestamp: FilterTimestamp.optional(),
  end_timestamp: FilterTimestamp.optional(),
});
export type SessionFilter = z.infer<typeof SessionFilter>;

const Scalar = z.union([z.string().max(2000), z.number(), z.boolean()]);

/** The interface has no body here; the field accepts first values for the agent's variables. */
export const SessionCreate = z.strictObject({
  initial_variables: z.record(z.string().max(200), Scalar).optional(),
});
