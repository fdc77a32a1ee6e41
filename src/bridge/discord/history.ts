import { type Message, MessageType } from 'discord.js';
import type { ThreadAddress } from '../conversation/address.ts';
import type { Spoken } from '../conversation/thread.ts';
import type { DiscordContext } from './context.ts';
import { toPlatformError } from './errors.ts';
import { isSaid, readWords } from './message-text.ts';
import { fetchAuthors } from './missed-messages.ts';

/**
 * Reads what others said before a message, in a thread or its channel. Without the Message Content
 * intent, Discord hides the texts of messages that don't mention the bot.
 * @throws {PlatformError}
 */
export async function readBefore(
  address: ThreadAddress,
  { message: before, where, max }: { message: string; where: 'thread' | 'channel'; max: number },
  { shards }: Pick<DiscordContext, 'shards'>,
): Promise<Spoken[]> {
  const client = shards.clientOf(address.workspace);
  try {
    const channel = await client?.channels.fetch(address[where]);
    if (!client || !channel?.isTextBased()) return [];
    const page = await channel.messages.fetch({ before, limit: max, cache: false });
    const found = [...page.values()].toReversed();
    const [first] = found;
    // The message that a thread was opened on stands in its channel.
    if (first?.type === MessageType.ThreadStarterMessage && channel.isThread()) {
      const root = await channel.fetchStarterMessage({ cache: false }).catch(() => null);
      if (root) found.splice(0, 1, root);
    }
    const others = found.filter((each) => isSaid(each) && each.author.id !== client.user.id);
    // Without them, people have the names that they have elsewhere on Discord.
    await fetchAuthors(others).catch(() => undefined);
    return others.map((each) => {
      const { id: sent, author } = each;
      return { sent, by: author.id, name: nameOf(each), text: readWords(each) };
    });
  } catch (error) {
    throw toPlatformError(error);
  }
}

function nameOf({ member, guild, author }: Message): string {
  return (member ?? guild?.members.cache.get(author.id) ?? author).displayName;
}
