import type { webApi } from '@slack/bolt';
import { z } from 'zod';
import { isPassingRefusal, PlatformError } from '../conversation/errors.ts';
import type { FileReader } from '../commands/files.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { shorten } from '../../shared/primitives/text.ts';
import type { MessageContent, SentMessage, Thread, UncertainPost } from '../conversation/thread.ts';
import type { ThreadAddress } from '../conversation/address.ts';
import type { WorkingStatus } from './agent-status.ts';
import type { FeedbackStyles } from './buttons.ts';
import type { Clients } from './clients.ts';
import { orPlatformError, toPlatformError } from './errors.ts';
import type { createHistory } from './history.ts';
import { isDirect } from './incoming-message.ts';
import {
  createMessageWriter,
  messageLimits,
  parseKey,
  renderBelow,
  renderInSections,
  renderKey,
} from './message.ts';
import { postFile, type SlackFile } from './files.ts';
import { deleteMessage, sendEdit, sendPost } from './send-message.ts';
import type { Streams } from './streams.ts';

/** What all threads of a workspace share. */
export interface ThreadTools extends LostMessagesTools {
  status: WorkingStatus;
  feedback: FeedbackStyles;
  streams: Streams;
  history: ReturnType<typeof createHistory>;
  files: Pick<FileReader<SlackFile>, 'readAttachment'>;
}

/** A Slack thread; each message is a markdown block with small print and buttons below it. */
export function createThread(address: ThreadAddress, tools: ThreadTools): Thread {
  const { status, streams } = tools;
  const { writes: client } = tools.clients;
  const { workspace, channel, thread } = address;

  const mayStream = () => isDirect(channel) && streams.available;

  let poster = createMessageWriter(tools);

  function message(id: string, key?: string, writer = createMessageWriter(tools)): SentMessage {
    return {
      id,
      edit: (content) =>
        writer.write(content, (rendered) =>
          sendEdit(client, { channel, ts: id }, { ...rendered, ...renderKey(key) }),
        ),
      keep: (note, buttons) => keepMessage(address, id, { markdown: note, buttons }, tools),
      remove: () => deleteMessage(client, { channel, ts: id }),
      ...(isDirect(channel) && {
        endStream: () => streams.end(address, id),
      }),
    };
  }

  return {
    address,
    limits: messageLimits,
    budgets: {
      // "One message per second per channel, short bursts allowed": docs.slack.dev/apis/web-api/rate-limits
      post: {
        key: `slack:${workspace}:post:${channel}`,
        writes: 5,
        // Requests don't arrive at the intervals at which they are sent.
        windowMs: 5_250,
        // "Several hundred messages per minute" in all of a workspace: the same page.
        within: { key: `slack:${workspace}:post`, writes: 300, windowMs: 60_000 },
      },
      // Tier 3: 50 a minute per method, app and workspace.
      edit: { key: `slack:${workspace}:edit`, writes: 50, windowMs: 60_000 },
      // Tier 2.
      stream: mayStream()
        ? { key: `slack:${workspace}:stream`, writes: 20, windowMs: 60_000 }
        : undefined,
      // 600 a minute: docs.slack.dev/reference/methods/assistant.threads.setStatus.
      working: { key: `slack:${workspace}:status`, writes: 600, windowMs: 60_000 },
    },
    async post(content, key) {
      const place = { channel, thread_ts: thread };
      const writer = poster;
      const { ts } = await writer.write(content, (rendered) =>
        sendPost(client, place, { ...rendered, ...renderKey(key) }),
      );
      poster = createMessageWriter(tools);
      return message(ts, key, writer);
    },
    async findPosted(post) {
      const { posted, strays } = await findLostMessages(address, post, tools);
      for (const stray of strays) await streams.discard(address, message(stray));
      return posted === undefined ? undefined : message(posted, post.key);
    },
    message: (id) => message(id),
    readFile: (ref, signal) => tools.files.readAttachment(ref, signal),
    ...(!isDirect(channel) && {
      readBefore: (id: string, where: 'thread' | 'channel', max: number) =>
        tools.history(address, { message: id, where, max }),
    }),
    showWorking: (doing) => status.show(channel, thread, doing),
    hideWorking: () => status.show(channel, thread, ''),
    /** Nobody else can open a direct message. */
    async link() {
      return isDirect(channel) ? undefined : findLink(client, channel, thread);
    },
    postFile: (file, _key, texts) => postFile(client, { channel, thread }, file, texts),
    // Elsewhere, only one person would see the text grow.
    ...(mayStream() && {
      openStream: (markdown: string, key?: string) =>
        streams.open(address, (id) => message(id, key), { markdown, key }),
    }),
  };
}

/** docs.slack.dev/reference/methods/chat.getPermalink. */
async function findLink(
  client: webApi.WebClient,
  channel: string,
  message: string,
): Promise<string | undefined> {
  const link = client.chat.getPermalink({ channel, message_ts: message });
  return (await orPlatformError(link)).permalink;
}

/** A message as conversations.replies tells it. */
const shownMessage = z.object({
  ts: z.string(),
  text: z.string().default(''),
  blocks: z
    .array(z.looseObject({ type: z.string(), block_id: z.string().default('') }))
    .default([]),
});

const buttonBlocks = new Set(['actions', 'context_actions']);
/** What is put below a kept message has such ids, by which it is replaced. */
const belowId = 'below-';

/** Slack refuses an edit whose text is longer than 4,000 characters. */
const maxUpdatedText = 3_000;

/**
 * Puts a note and buttons below what a message shows, in place of its buttons. The note is a section:
 * Slack turns a markdown block into others, which have no id of ours.
 */
async function keepMessage(
  { channel, thread }: ThreadAddress,
  id: string,
  below: MessageContent,
  { clients }: ThreadTools,
): Promise<void> {
  const at = { oldest: id, latest: id, inclusive: true, limit: 2 };
  const place = { channel, ts: thread, ...at };
  const { messages } = await orPlatformError(clients.calls.conversations.replies(place));
  const found = messages?.map((each) => shownMessage.safeParse(each).data);
  const shown = found?.find((each) => each?.ts === id);
  if (!shown) throw new PlatformError('gone', 'message_gone');
  const { text, blocks } = await renderInSections(below);
  const hasNote = below.markdown !== '';
  const isKept = (block: { type: string; block_id: string }) =>
    !buttonBlocks.has(block.type) && (!hasNote || !block.block_id.startsWith(belowId));
  const further = (hasNote ? blocks : renderBelow(below, 'plain')).map((block, at) => ({
    ...block,
    block_id: `${belowId}${at}`,
  }));
  const all = [...shown.blocks.filter(isKept), ...further] as typeof blocks;
  // That of a streamed message is all that it says.
  const content = { text: shorten(shown.text || text, maxUpdatedText), blocks: all };
  await sendEdit(clients.writes, { channel, ts: id }, content);
}

/** What is needed to look for messages. */
interface LostMessagesTools {
  clients: Clients;
  /** The bot's id, which its messages carry. */
  botId: () => string;
  log: Log;
}

/** The messages found of a post or stream start that got no response. */
interface LostMessages {
  /** The message with the post's key. */
  posted?: string;
  /** Streaming messages that the reply does not know. */
  strays: string[];
}

/** Missing in the library's type, which is generated from samples without streams. */
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
async function findLostMessages(
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
    if (isPassingRefusal(error)) throw error;
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
      cursor,
    });
    replies.push(...(answer.messages ?? []));
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor) break;
  }
  return replies;
}

/**
 * A streaming message gets its key and its buttons when it is finished. It need not be in progress,
 * because Slack ends streams after some minutes.
 */
function isStray({ streaming_state: state, metadata, blocks = [] }: Reply): boolean {
  const hasButtons = blocks.some(({ type }) => type?.includes('actions'));
  return state !== undefined && parseKey(metadata) === undefined && !hasButtons;
}
