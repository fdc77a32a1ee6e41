import { z } from 'zod';
import { SlackError } from './slack-error.ts';

/**
 * What an app adds to a message for itself and other apps:
 * docs.slack.dev/messaging/message-metadata.
 */
export interface MessageMetadata {
  event_type: string;
  event_payload: Record<string, unknown>;
}

const schema = z.object({
  event_type: z.string().min(1),
  event_payload: z.record(z.string(), z.unknown()),
});

/**
 * The metadata of a call: undefined if the argument is missing, null if it is an empty object, which
 * removes the metadata of an edited message.
 * @throws {SlackError} `invalid_metadata_format` or `invalid_metadata_schema`
 */
export function parseMetadata(metadata: unknown): MessageMetadata | null | undefined {
  if (metadata === undefined) return undefined;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw new SlackError('invalid_metadata_format');
  }
  if (Object.keys(metadata).length === 0) return null;
  const { data } = schema.safeParse(metadata);
  if (!data) throw new SlackError('invalid_metadata_schema');
  return data;
}
