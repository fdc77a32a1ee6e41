import { z } from 'zod';
import { LooseValues, Timestamp, Uuid } from './fields.ts';

export const Session = z.looseObject({
  uuid: Uuid,
  created_at: Timestamp,
  modified_at: Timestamp,
  initial_variables: LooseValues.describe(
    'The initial variables that the session was created with, if any.',
  ),
  variables: LooseValues.describe(
    'The known values of the agent’s variables: the initial ones, and those found in the conversation.',
  ),
});
export type Session = z.infer<typeof Session>;

/** The interface writes them as 2024-09-12T00:19:12.000Z (§4.15). */
const FilterTimestamp = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be a time or a date, like 2024-09-12T00:19:12.000Z or 2024-09-12',
});

export const SessionFilter = z.object({
  start_timestamp: FilterTimestamp.optional().describe(
    'Only sessions created at this time or later, such as 2024-09-12T00:19:12.000Z, or on this day in UTC or later.',
  ),
  end_timestamp: FilterTimestamp.optional().describe(
    'Only sessions created at this time or earlier, such as 2024-09-12T00:19:12.000Z, or on this day in UTC or earlier.',
  ),
});
export type SessionFilter = z.infer<typeof SessionFilter>;

const Scalar = z.union([z.string().max(2000), z.number(), z.boolean()]);

/** The interface has no body here; the field accepts initial values for the agent's variables. */
export const SessionCreate = z.strictObject({
  initial_variables: z
    .record(z.string().max(200), Scalar)
    .optional()
    .describe('Initial values of the agent’s variables.'),
});
