import type { DiscordChange } from '../discord/changes.ts';
import type { SlackChange } from '../slack/model.ts';
import type { Block } from '../slack/block.ts';
import { createApiCalls, type ApiCalls, type RecordCall } from './api-calls.ts';
import { createReplies, type Replies } from './replies.ts';

/** What the bot does, as the page's inspector shows it. Everything is in memory, and limited. */
export interface Inspector {
  /** Told of every call of a platform's API. */
  record: RecordCall;
  calls: Pick<ApiCalls, 'after' | 'lastId'>;
  /** Told by the bridge of its turns. */
  replies: Replies;
  sawOnSlack(change: SlackChange): void;
  sawOnDiscord(change: DiscordChange): void;
  clear(): void;
}

/** @param now milliseconds since the epoch */
export function createInspector(now: () => number): Inspector {
  const calls = createApiCalls(now);
  const replies = createReplies(now);

  return {
    calls,
    replies,
    record(call) {
      calls.record(call);
      replies.called(call);
    },
    sawOnSlack(change) {
      if (change.kind !== 'message' && change.kind !== 'removed') return;
      const { message, thread } = change;
      if (!message.bot_id || thread === undefined) return;
      const characters = change.kind === 'removed' ? 0 : countCharacters(message);
      replies.saw({ platform: 'slack', thread, id: message.ts, characters });
    },
    sawOnDiscord(change) {
      if (change.kind !== 'message' || !change.message.author.bot) return;
      const { id, channel, content } = change.message;
      const characters = change.event === 'removed' ? 0 : content.replace(smallPrint, '').length;
      replies.saw({ platform: 'discord', thread: channel, id, characters });
    },
    clear() {
      calls.clear();
      replies.clear();
    },
  };
}

/** Notes and sources below a text. */
const smallPrint = /\n?^-# .*$/gm;

/** The text of a message without what stands below it in small print. */
function countCharacters({ text, blocks = [] }: { text: string; blocks?: Block[] }): number {
  if (blocks.length === 0) return text.length;
  return blocks.reduce((sum, block) => sum + readText(block).length, 0);
}

function readText({ type, text }: Block): string {
  if (type === 'markdown') return String(text);
  const { text: inner } = (text ?? {}) as { text?: unknown };
  return type === 'section' && typeof inner === 'string' ? inner : '';
}
