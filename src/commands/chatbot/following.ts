import type { Following } from '../../conversation/settings.ts';
import type { ActionContext } from '../command.ts';
import type { ChannelAccess } from '../channel-access.ts';

/** Says what the bot answers in a channel with this setting, and what keeps it from reading it. */
export function renderFollowing(
  following: Following,
  hearing: ChannelAccess,
  { texts }: ActionContext,
): string {
  const { chatbot } = texts;
  if (hearing === 'direct') return chatbot.followingDirect;
  const isEnough = hearing === 'everything' || (hearing === 'mentions' && following === 'mentions');
  const lack = isEnough ? [] : [`⚠️ ${chatbot.hearing[hearing]}`];
  return [chatbot.following[following], ...lack].join(' ');
}
