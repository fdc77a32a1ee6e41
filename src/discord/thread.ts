import type { Sleep } from '../primitives/sleep.ts';
import { isRefusal } from '../conversation/platform-error.ts';
import type {
  Log,
  SentMessage,
  Thread,
  ThreadAddress,
  WriteBudget,
} from '../conversation/ports.ts';
import { type MessagePart, messageLimits, renderMessage } from './message.ts';
import { addBelow, createSentMessage } from './sent-message.ts';
import type { WriteKind, WriteLimits } from './write-limits.ts';
import type { Writer } from './writer.ts';
import { cut } from '../primitives/shorten.ts';

/** The message that a thread answers. */
export interface Question {
  id: string;
  text: string;
  /** Whether a thread is opened on it to answer in; otherwise the first post replies to it. */
  opensThread: boolean;
}

/** What threads need of the rest of the adapter. */
export interface ThreadTools {
  writer: Writer;
  writeLimits: WriteLimits;
  log: Log;
  sleep: Sleep;
}

/** Where a thread's messages are written. */
interface Place {
  channel: string;
  /** The message that the next post replies to. */
  replyTo?: string;
}

/**
 * A conversation on Discord: in a thread, a direct channel, or, where no thread can be opened, in
 * the channel itself. Without a question it is there already; `mayBeMissing`, where it is known
 * from an earlier run, which may have ended before it opened the thread. It is opened by the first
 * sign of a reply, typing included, so that the first text need not wait for it.
 */
export function createThread(
  options: ThreadTools & {
    address: ThreadAddress;
    question?: Question;
    mayBeMissing?: true;
  },
): Thread {
  const { address, question, writer, writeLimits } = options;
  const { channel, thread } = address;
  let place: Place | undefined = question?.opensThread
    ? undefined
    : { channel: thread, replyTo: question?.id };
  let opening: Promise<Place> | undefined;

  async function open(): Promise<Place> {
    const name = toThreadName(question?.text ?? '');
    const opened = await writer.openThread({ channel, message: thread, name });
    place = opened ? { channel: thread } : { channel, replyTo: thread };
    return place;
  }

  /** One opening serves all who wait for it. */
  async function findPlace(): Promise<Place> {
    if (place) return place;
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function postPart(part: MessagePart): Promise<SentMessage> {
    const target = await findPlace();
    const { replyTo } = target;
    const id = await writer.post(target.channel, part, { replyTo });
    delete target.replyTo;
    return createSentMessage({ writer, channel: target.channel, id });
  }

  async function postPartOrOpen(part: MessagePart) {
    try {
      return await postPart(part);
    } catch (error) {
      const isMissing = options.mayBeMissing && thread !== channel && isRefusal(error, 'gone');
      if (!isMissing) throw error;
      place = undefined;
      return postPart(part);
    }
  }

  function budgetOf(kind: WriteKind): WriteBudget {
    const where = place?.channel ?? thread;
    return { key: `discord:${kind}:${where}`, ...writeLimits.of(kind, where) };
  }

  return {
    address,
    limits: messageLimits,
    get budgets() {
      return { post: budgetOf('post'), edit: budgetOf('edit') };
    },
    async post(content) {
      const [head, ...below] = renderMessage(content);
      const message = await postPartOrOpen(head);
      if (below.length > 0) await addBelow(message, content, options);
      return message;
    },
    message: (id) => createSentMessage({ writer, channel: place?.channel ?? thread, id }),
    async showWorking() {
      const target = await findPlace();
      await writer.showTyping(target.channel);
    },
    /** A direct message can be opened by nobody else. */
    async link() {
      if (address.workspace === 'dm') return undefined;
      return `https://discord.com/channels/${address.workspace}/${place?.channel ?? thread}`;
    },
    async postFile(file) {
      const target = await findPlace();
      await writer.postFile(target.channel, file);
    },
  };
}

/** docs.discord.com/developers/resources/channel#start-thread-from-message, `name`. */
const maxNameLength = 100;

/** A thread's name, from the question that it answers. */
function toThreadName(question: string): string {
  const plain = question
    .replace(/^[#>\s]+|[`*]+|~~|\|\|/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (plain === '') return 'Conversation';
  if (plain.length <= maxNameLength) return plain;
  const start = cut(plain, maxNameLength - 1);
  const space = start.lastIndexOf(' ');
  return `${space > maxNameLength / 2 ? start.slice(0, space) : start}…`;
}
