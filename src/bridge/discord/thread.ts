import { cut, isBlank, withoutTurns } from '../../shared/primitives/text.ts';
import { isOutsideWorkspaces, type ThreadAddress } from '../conversation/address.ts';
import { isRefusal } from '../conversation/errors.ts';
import type { SentMessage, Thread, UncertainPost, WriteBudget } from '../conversation/thread.ts';
import type { DiscordContext } from './context.ts';
import { readBefore } from './history.ts';
import { renderMoment } from './render.ts';
import { messageLimits, type MessagePart, renderMessage } from './message.ts';
import type { WriteKind } from './write-limits.ts';
import type { Writer } from './writer.ts';

/** The message that is answered in a thread. */
export interface Question {
  id: string;
  text: string;
  /** Whether to open a thread on it; otherwise the first post replies to it. */
  opensThread: boolean;
}

/** Where a thread's messages are posted. */
interface Place {
  channel: string;
  /** The message that the next post replies to. */
  replyTo?: string;
}

/**
 * A conversation on Discord: in a thread, a direct message channel or, if no thread can be opened,
 * the channel itself. Without a question the thread exists already; with `mayBeMissing` it is known
 * from an earlier run that may have ended before opening it. The first sign of a reply opens it,
 * typing included, so the first text does not have to wait.
 */
export function createThread(
  options: { address: ThreadAddress; question?: Question; mayBeMissing?: true },
  discord: DiscordContext,
): Thread {
  const { address, question } = options;
  const { writer, writeLimits, shards, log } = discord;
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

  /** All concurrent callers share one attempt to open it. */
  async function findPlace(): Promise<Place> {
    if (place) return place;
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function postPart(part: MessagePart, key?: string): Promise<SentMessage> {
    const target = await findPlace();
    const { replyTo } = target;
    const id = await writer.post(target.channel, part, { replyTo, key });
    delete target.replyTo;
    return createSentMessage({ writer, channel: target.channel, id });
  }

  async function postPartOrOpen(part: MessagePart, key?: string) {
    try {
      return await postPart(part, key);
    } catch (error) {
      const isMissing = options.mayBeMissing && thread !== channel && isRefusal(error, 'gone');
      if (!isMissing) throw error;
      place = undefined;
      return postPart(part, key);
    }
  }

  /**
   * Discord forgets a key after some minutes. But a message whose post was lost keeps its stop
   * button or, in the middle of a long reply, its text. If no thread could be opened, it is in the
   * channel.
   */
  async function findPosted(post: UncertainPost): Promise<SentMessage | undefined> {
    const isLost = (id: string) => BigInt(id) > BigInt(post.question) && !post.known.includes(id);
    for (const where of new Set([place?.channel ?? thread, channel])) {
      const id = (await findIn(where, post)).find(isLost);
      if (id) return createSentMessage({ writer, channel: where, id });
    }
    return undefined;
  }

  async function findIn(where: string, { turn, content }: UncertainPost): Promise<string[]> {
    const part = content && renderMessage(content);
    try {
      const by = shards.clientOf(address.workspace)?.user.id;
      return await writer.find(where, { turn, part, by });
    } catch (error) {
      if (!isRefusal(error, 'gone', 'forbidden')) throw error;
      log.info({ err: error, channel: where }, 'the bot may not read this place in Discord');
      return [];
    }
  }

  /** The bot's requests are divided by its shards, whichever processes run them. */
  function botBudget(): WriteBudget {
    const writes = Math.max(minShare, Math.floor(maxWrites * shards.share));
    return { key: 'discord:bot', writes, windowMs: 1_000 };
  }

  function budgetOf(kind: WriteKind): WriteBudget {
    const where = place?.channel ?? thread;
    return {
      key: `discord:${kind}:${where}`,
      ...writeLimits.of(kind, where),
      within: botBudget(),
    };
  }

  return {
    address,
    limits: messageLimits,
    get budgets() {
      // The first sign of a reply opens the thread.
      const calls = place || opening ? 1 : 2;
      const post = { ...budgetOf('post'), calls };
      return { post, edit: budgetOf('edit'), working: { ...botBudget(), calls } };
    },
    post: (content, key) => postPartOrOpen(renderMessage(content), key),
    findPosted,
    ...(!isOutsideWorkspaces(address) && {
      readBefore: (message: string, where: 'thread' | 'channel', max: number) =>
        readBefore(address, { message, where, max }, discord),
    }),
    message: (id) =>
      createSentMessage({ writer, channel: place?.channel ?? thread, id, elsewhere: channel }),
    ...(thread !== channel && { untitle: () => writer.rename(thread, toThreadName('')) }),
    readFile: (ref, signal) => discord.files.readAttachment(ref, signal),
    async showWorking() {
      const target = await findPlace();
      await writer.showTyping(target.channel);
    },
    markSolved: (tag, isSet, author) => writer.setTag(thread, tag, { isSet, author }),
    renderMoment,
    /** Nobody else can open a direct message. */
    async link(unopened = place ? undefined : thread) {
      if (isOutsideWorkspaces(address)) return undefined;
      const where = unopened ? `${channel}/${unopened}` : (place?.channel ?? thread);
      return `https://discord.com/channels/${address.workspace}/${where}`;
    },
    async postFile(file, key) {
      const target = await findPlace();
      await writer.postFile(target.channel, file, key);
    },
  };
}

/**
 * A bot may send fifty requests a second, not counting answers to commands and buttons
 * (docs.discord.com/developers/topics/rate-limits#global-rate-limit). A tenth is left for requests that
 * don't write into threads.
 */
const maxWrites = 45;
/** Even among many processes, replies go on. */
const minShare = 3;

/** docs.discord.com/developers/resources/channel#start-thread-from-message, `name`. */
const maxNameLength = 100;

/** Code, and what is hidden until somebody clicks on it. */
const codeOrSpoiler = /`[^`]*`|\|\|(?:[^|]|\|(?!\|))+\|\|/g;

/** Makes a thread's name from its question; names hide nothing. */
function toThreadName(question: string): string {
  const plain = withoutTurns(question)
    .replace(codeOrSpoiler, (found) => (found.startsWith('`') ? found : '…'))
    .replace(/^[#>\s]+|[`*]+|~~/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (isBlank(plain)) return 'Conversation';
  if (plain.length <= maxNameLength) return plain;
  const start = cut(plain, maxNameLength - 1);
  const space = start.lastIndexOf(' ');
  return `${space > maxNameLength / 2 ? start.slice(0, space) : start}…`;
}

/** A message of ours. */
function createSentMessage(options: {
  writer: Writer;
  channel: string;
  id: string;
  /** Where it is if no thread could be opened. */
  elsewhere?: string;
}): SentMessage {
  const { writer, id, elsewhere = options.channel } = options;
  let { channel } = options;

  /** Calls Discord about the message where it is, which the first call finds out. */
  async function inPlace(call: (where: string) => Promise<void>): Promise<void> {
    try {
      await call(channel);
    } catch (error) {
      if (channel === elsewhere || !isRefusal(error, 'gone')) throw error;
      await call(elsewhere);
      channel = elsewhere;
    }
  }

  return {
    id,
    edit: (content) => inPlace((where) => writer.edit(where, id, renderMessage(content))),
    async keep(note, buttons) {
      const part = renderMessage({ markdown: note, buttons });
      await inPlace((where) => writer.append(where, id, part));
    },
    async remove() {
      try {
        await inPlace((where) => writer.remove(where, id));
      } catch (error) {
        // Already removed.
        if (!isRefusal(error, 'gone')) throw error;
      }
    },
  };
}
