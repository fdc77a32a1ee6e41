import type { BaseInteraction } from 'discord.js';
import type { ThreadAddress } from '../conversation/ports.ts';

/** Where a command was used or a button pressed: a thread counts as its channel. */
export function toPlace({
  channel,
  channelId,
  guildId,
}: Pick<BaseInteraction, 'channel' | 'channelId' | 'guildId'>): Omit<ThreadAddress, 'thread'> {
  const parent = channel?.isThread() ? channel.parentId : null;
  return {
    platform: 'discord',
    workspace: guildId ?? 'dm',
    channel: parent ?? channelId ?? '',
  };
}
