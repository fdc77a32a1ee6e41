import { z } from 'zod';
import { maxMarkdownLength, parseMessageBlocks } from './block-validation.ts';
import type { Block } from './block.ts';
import { SlackError } from './slack-error.ts';

/** The content arguments of a message from the app. */
export interface ContentArguments {
  text?: string;
  blocks?: unknown;
  markdown_text?: string;
}

/** The validated content of a message. */
export interface Content {
  /** Absent if only blocks were given. */
  text?: string;
  blocks?: Block[];
}

/** Max characters of `text`; longer text is cut with a warning. */
const maxTextLength = 40_000;

/**
 * Checks the content of a message; a `markdown_text` becomes a markdown block.
 * @throws {SlackError} `no_text`, `msg_too_long`, `invalid_arguments`, or an error of its blocks
 */
export function parseContent({ text, blocks, markdown_text: markdown }: ContentArguments): Content {
  if (markdown) {
    if (text || blocks !== undefined) {
      throw new SlackError('invalid_arguments', [
        '[ERROR] markdown_text cannot be used with text or blocks',
      ]);
    }
    if (markdown.length > maxMarkdownLength) throw new SlackError('msg_too_long');
    return { text: markdown, blocks: parseMessageBlocks([{ type: 'markdown', text: markdown }]) };
  }
  const parsed = blocks === undefined ? undefined : parseMessageBlocks(blocks);
  if (!text && (!parsed || parsed.length === 0)) throw new SlackError('no_text');
  return { text: text ? text.slice(0, maxTextLength) : undefined, blocks: parsed };
}

/** The warning in a response when a message's text was cut. */
export function truncationWarning(text: string | undefined): object {
  if (!text || text.length <= maxTextLength) return {};
  const warning = 'message_truncated';
  return { warning, response_metadata: { warnings: [warning] } };
}

const metadataSchema = z.object({
  event_type: z.string().min(1),
  event_payload: z.record(z.string(), z.unknown()),
});

/**
 * What an app adds to a message for itself and other apps:
 * docs.slack.dev/messaging/message-metadata.
 */
export type MessageMetadata = z.infer<typeof metadataSchema>;

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
  const { data } = metadataSchema.safeParse(metadata);
  if (!data) throw new SlackError('invalid_metadata_schema');
  return data;
}
