import {
  type Channel,
  type Client,
  type Message,
  MessageType,
  type PartialMessage,
} from 'discord.js';
import type { ReadSaid } from '../commands/adapters/mention-command.ts';
import { noWorkspace, type MessageAddress, type ThreadAddress } from '../conversation/address.ts';
import { PlatformError } from '../conversation/errors.ts';
import type { IncomingMessage } from '../conversation/platform.ts';
import { isToSomebody } from '../conversation/question-rule.ts';
import type { Thread } from '../conversation/thread.ts';
import type { DiscordContext } from './context.ts';
import { discordErrorCode, ErrorCode } from './errors.ts';
import {
  findPost,
  idsOfBot,
  readForwarded,
  withNames,
  withoutMentions,
  withTitle,
} from './message-text.ts';
import { attachmentsOf } from './files.ts';
import { learnMember, toAuthor } from './people.ts';
import { createThread, type Question } from './thread.ts';

/** Converts a message for the core. */
export async function toIncomingMessage(
  message: Message,
  readSaid: ReadSaid<Message>,
  discord: DiscordContext,
): Promise<IncomingMessage> {
  const { channel } = message;
  await Promise.all([learnParent(channel), learnMember(message)]);

  const mentions = mentionsOfBot(message);
  const addressed = channel.isDMBased() ? 'direct' : mentions.length > 0 ? 'mention' : 'overheard';
  const typed = withoutMentions(message.content, mentions);
  // Bots ask, and use no commands.
  const bot = idsOfBot(message);
  const said = addressed === 'overheard' || bot ? undefined : readSaid(message, typed);
  const own = withNames(message, said?.kind === 'question' ? said.text : typed);
  const post = findPost(message);
  const written = [own, ...readForwarded(message)].filter(Boolean).join('\n\n');
  const text = withTitle(message, written);
  const files = attachmentsOf(message);
  const question = { id: message.id, text };
  return {
    id: message.id,
    // The words of a command are English.
    author: bot
      ? { id: message.author.id, name: message.author.displayName, isManager: false, bot }
      : await toAuthor(
          message,
          discord.locales,
          said?.kind === 'command' ? '' : withTitle(message, own),
        ),
    text,
    ...(files.length > 0 && { files }),
    addressed,
    isToOthers: addressed === 'overheard' && isToOthers(message),
    ...(post && { post }),
    thread: findThread(channel, { question, addressed }, discord),
    ...(said?.kind === 'command' && { command: said.run, isOwn: said.isOwn }),
  };
}

/**
 * The message after a person's edit; undefined for other updates: Discord reports link previews
 * like edits. The core itself detects edits that leave the text unchanged.
 */
export async function readEdit(message: Message | PartialMessage): Promise<Message | undefined> {
  if (message.editedTimestamp === null || message.author?.bot) return undefined;
  return message.partial ? message.fetch() : message;
}

/** discord.js does not know the parent of a thread that was archived when we connected. */
async function learnParent(channel: Channel): Promise<void> {
  if (channel.isThread() && !channel.parentId) await channel.fetch();
}

/** What identifies a message for the core. */
export async function toMessageAddress(message: Message | PartialMessage): Promise<MessageAddress> {
  const { id, channel, guildId } = message;
  await learnParent(channel);
  const parent = channel.isThread() ? channel.parentId : null;
  return {
    platform: 'discord',
    workspace: guildId ?? noWorkspace,
    channel: parent ?? channel.id,
    id,
  };
}

/** The channel of a thread that the library may not know. Undefined if it can't be read. */
export async function findParent(client: Client, thread: string): Promise<string | undefined> {
  const channel = await ifReadable(() => client.channels.fetch(thread));
  return (channel?.isThread() && channel.parentId) || undefined;
}

/** A message as it is stored until it is read: Discord keeps the rest. */
export interface StoredMessage {
  channel: string;
  message: string;
}

/**
 * Reads a stored message. Undefined if it was deleted meanwhile, or can no longer be read.
 * @throws {PlatformError} while the shard of its server is not connected
 */
export async function readStoredMessage(
  event: unknown,
  server: string,
  { recent, shards }: DiscordContext,
): Promise<Message | undefined> {
  // A question that no platform delivered has none.
  const stored = event as StoredMessage | undefined;
  if (!stored) return undefined;
  const kept = recent.get(stored.message);
  if (kept) return kept;
  await shards.tried(server);
  const client = shards.clientOf(server);
  if (client) return fetchMessage(client, stored);
  throw new PlatformError('failed', {
    code: 'platform_unreachable',
    params: { platform: 'Discord' },
  });
}

/** Fetches a message. Undefined if it was deleted, or can't be read. */
export async function fetchMessage(
  client: Client,
  { channel: id, message }: StoredMessage,
): Promise<Message | undefined> {
  return ifReadable(async () => {
    const channel = await client.channels.fetch(id);
    return channel?.isTextBased() ? channel.messages.fetch({ message, cache: false }) : undefined;
  });
}

const unreadable = new Set<unknown>([
  ErrorCode.UnknownChannel,
  ErrorCode.UnknownMessage,
  ErrorCode.MissingAccess,
  // Without Read Message History.
  ErrorCode.MissingPermissions,
]);

/** Undefined if what is fetched was deleted, or can't be read. */
async function ifReadable<Found>(fetch: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await fetch();
  } catch (error) {
    if (unreadable.has(discordErrorCode(error))) return undefined;
    throw error;
  }
}

/**
 * The thread in which to answer a message. In a channel, a thread is opened on the message and gets
 * its id; if none can be opened, the bot answers mentions in the channel itself.
 */
export function findThread(
  channel: Channel,
  asked: Pick<IncomingMessage, 'addressed'> & { question: Pick<Question, 'id' | 'text'> },
  discord: DiscordContext,
): Thread {
  const { question, addressed } = asked;
  const { id } = channel;
  const open = (place: Pick<ThreadAddress, 'channel' | 'thread'>, opened?: Question) =>
    createThread({ address: { ...address, ...place }, question: opened }, discord);
  const workspace = 'guildId' in channel ? channel.guildId : noWorkspace;
  const address = { platform: 'discord', workspace };
  if (channel.isDMBased()) return open({ channel: id, thread: id });
  if (channel.isThread()) return open({ channel: channel.parentId ?? id, thread: id });
  // An answer to an overheard message always gets its own thread, apart from other people's
  // conversations.
  const opensThread = discord.permissions.canOpenThread(id) || addressed === 'overheard';
  const thread = opensThread ? question.id : id;
  return open({ channel: id, thread }, { ...question, opensThread });
}

/**
 * The ids by which a message pings the bot: its own, or that of its managed role, which people pick
 * by mistake. A reply counts if it pings the bot. @everyone does not count.
 */
function mentionsOfBot(message: Message): string[] {
  const { id } = message.client.user;
  const own = message.mentions.users.has(id) ? [id] : [];
  const roles = message.mentions.roles.filter((role) => role.tags?.botId === id);
  return [...own, ...roles.keys()];
}

/** A member or a role. */
const mentionAtStart = /^<@[!&]?\d+>/;

/** Whether a message that does not mention the bot is meant for somebody else, as far as is known. */
function isToOthers({ type, author, client, mentions, content }: Message): boolean {
  if (isToSomebody(content, mentionAtStart)) return true;
  if (type !== MessageType.Reply) return false;
  return ![author.id, client.user.id].includes(mentions.repliedUser?.id ?? '');
}

/** Whether a message is neither a direct one nor mentions the bot. */
export function isOverheard(message: Message): boolean {
  return !message.channel.isDMBased() && mentionsOfBot(message).length === 0;
}
