import { type BaseInteraction, GatewayIntentBits, PermissionFlagsBits } from 'discord.js';
import type { ChannelAccess } from '../commands/command.ts';
import { noWorkspace, type ThreadAddress } from '../conversation/address.ts';

/** Where a command was used or a button was pressed; outside a thread, `thread` is the channel. */
export function toPlace({
  channel,
  channelId,
  guildId,
}: Pick<BaseInteraction, 'channel' | 'channelId' | 'guildId'>): ThreadAddress {
  const parent = channel?.isThread() ? channel.parentId : null;
  const thread = channelId ?? '';
  return {
    platform: 'discord',
    workspace: guildId ?? noWorkspace,
    channel: parent ?? thread,
    thread,
  };
}

/**
 * What the bot can read where a command was used, as far as the gateway told; a thread counts as
 * its channel.
 */
export function readChannelAccess(
  origin: Pick<BaseInteraction, 'client' | 'guild' | 'guildId' | 'channel' | 'channelId'>,
): ChannelAccess {
  const { client, guild, guildId } = origin;
  if (!guildId) return 'direct';
  const channel = guild?.channels.cache.get(toPlace(origin).channel);
  const granted = channel?.permissionsFor(client.user);
  if (!granted?.has(PermissionFlagsBits.ViewChannel)) return 'unseen';
  const { intents } = client.options;
  return intents.has(GatewayIntentBits.MessageContent) ? 'everything' : 'mentions';
}
