import type { webApi } from '@slack/bolt';
import { isRefusal } from '../conversation/platform-error.ts';
import type { Log, ThreadAddress, UncertainPost } from '../conversation/ports.ts';
import type { Clients } from './clients.ts';
import { toPlatformError } from './errors.ts';
import { parseKey } from './message.ts';

/** What is needed to look for messages. */
export interface LostMessagesTools {
  clients: Clients;
  /** The bot's id, which its messages carry. */
  botId: () => string;
  log: Log;
}

/** What was found of messages whose post or stream start got no response. */
interface LostMessages {
  /** The message with the post's key. */
  posted?: string;
  /** Streaming messages that nobody knows. */
  strays: string[];
}

/** The library's type is made from samples, none of which streams. */
type Reply = NonNullable<webApi.ConversationsRepliesResponse['messages']>[number] & {
  /** `in_progress`, `completed` or `errored`; absent in messages that never streamed. */
  streaming_state?: string;
};

/** One page has up to 200 messages. */
const maxPages = 5;

/**
 * Looks at the bot's messages after a question. Needs the `history` scope of the channel's type,
 * and Slack documents that it may refuse bots in channels
 * (docs.slack.dev/reference/methods/conversations.replies): then nothing is found.
 * @throws {PlatformError}
 */
export async function findLostMessages(
  address: ThreadAddress,
  { key, question, known }: UncertainPost,
  { clients, botId, log }: LostMessagesTools,
): Promise<LostMessages> {
  try {
    const replies = await readReplies(clients.calls, address, question);
    const ours = replies.filter(
      ({ bot_id: bot, ts = '' }) =>
        bot === botId() && Number(ts) > Number(question) && !known.includes(ts),
    );
    return {
      posted: ours.find(({ metadata }) => parseKey(metadata) === key)?.ts,
      strays: ours.filter(isStray).flatMap(({ ts }) => ts ?? []),
    };
  } catch (caught) {
    const error = toPlatformError(caught);
    if (isRefusal(error, 'rate_limited', 'failed')) throw error;
    const message =
      'a thread in Slack can’t be read: a message whose response was lost may appear twice';
    log.warn({ err: error, thread: address }, message);
    return { strays: [] };
  }
}

async function readReplies(
  client: webApi.WebClient,
  { channel, thread }: ThreadAddress,
  question: string,
): Promise<Reply[]> {
  const replies: Reply[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await client.conversations.replies({
      channel,
      ts: thread,
      oldest: question,
      include_all_metadata: true,
      limit: 200,
      ...(cursor && { cursor }),
    });
    replies.push(...(answer.messages ?? []));
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor) break;
  }
  return replies;
}

/**
 * A streaming message gets its key and its buttons when it is finished. Slack ends one itself after
 * some minutes, so that it need not be in progress.
 */
function isStray({ streaming_state: state, metadata, blocks = [] }: Reply): boolean {
  const hasButtons = blocks.some(({ type }) => type?.includes('actions'));
  return state !== undefined && parseKey(metadata) === undefined && !hasButtons;
}
