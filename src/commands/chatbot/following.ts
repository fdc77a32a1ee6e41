import type { Following } from '../../conversation/settings.ts';
import type { ActionContext } from '../command.ts';
import type { ChannelAccess } from '../channel-access.ts';

/** What is answered in a channel that is followed so, and what keeps the bot from hearing of it. */
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
