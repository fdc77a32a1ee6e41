import { assertExpandable, maxMarkdownLength, parseMessageBlocks } from './block-validation.ts';
import { type Block, withIds } from './block.ts';
import type { MessageMetadata } from './content.ts';
import type { Messages } from './message-store.ts';
import type { SlackMessage } from './model.ts';
import { SlackError } from './slack-error.ts';

/** Streamed messages, which grow while the app writes them. */
export interface Streams {
  isOpen(message: SlackMessage): boolean;
  /** @throws {SlackError} `streaming_state_conflict` while a message is streamed */
  assertEnded(message: SlackMessage): void;
  /**
   * Appends to a message.
   * @throws {SlackError} when it is not streamed, or becomes too long
   */
  append(message: SlackMessage, markdown: string): SlackMessage;
  /**
   * Appends the rest, and blocks below it, and ends the stream.
   * @throws {SlackError} like `append`
   */
  finish(message: SlackMessage, end: StreamEnd): SlackMessage;
  /** Ends the stream because a person stopped it. */
  interrupt(message: SlackMessage): void;
}

/** The end of a stream. */
interface StreamEnd {
  markdown: string;
  blocks?: unknown;
  metadata?: MessageMetadata | null;
}

/**
 * Max lifetime of a stream in ms, whether or not it is written to: slackapi/node-slack-sdk#2702.
 */
const lifetimeMs = 300_000;

/** A stream is a message with a `streaming_state`; it starts at its timestamp. */
export function createStreams(messages: Messages, now: () => number): Streams {
  function isOpen({ streaming_state: state, ts }: SlackMessage): boolean {
    return state === 'in_progress' && now() - Number(ts) * 1000 < lifetimeMs;
  }

  function assertOpen(message: SlackMessage): void {
    if (message.interrupted) throw new SlackError('stopped_by_user');
    if (!isOpen(message)) throw new SlackError('message_not_in_streaming_state');
  }

  return {
    isOpen,
    assertEnded(message) {
      if (isOpen(message)) throw new SlackError('streaming_state_conflict');
    },
    append(message, markdown) {
      assertOpen(message);
      const text = message.text + markdown;
      return messages.edit(message, { text, blocks: toBlocks(text) });
    },
    finish(message, { markdown, blocks, metadata }) {
      if (!isOpen(message)) throw new SlackError('message_not_in_streaming_state');
      const text = message.text + markdown;
      const below = blocks === undefined ? [] : parseMessageBlocks(blocks);
      const whole = [...toBlocks(text), ...below];
      assertExpandable(whole);
      return messages.edit(message, {
        text,
        blocks: withIds(whole),
        streaming_state: 'completed',
        metadata,
      });
    },
    interrupt(message) {
      messages.amend(message, { streaming_state: 'completed', interrupted: true });
    },
  };
}

/**
 * The blocks of a streamed text.
 * @throws {SlackError} `msg_blocks_too_long` past 12,000 characters, `invalid_blocks`
 */
export function toBlocks(text: string): Block[] {
  if (text.length > maxMarkdownLength) throw new SlackError('msg_blocks_too_long');
  const blocks = text ? withIds([{ type: 'markdown', text }]) : [];
  assertExpandable(blocks);
  return blocks;
}
