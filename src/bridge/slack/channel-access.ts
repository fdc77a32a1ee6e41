import type { webApi } from '@slack/bolt';
import type { ChannelAccess } from '../commands/channel-access.ts';
import { isRefusal } from '../conversation/platform-error.ts';
import { toPlatformError } from './errors.ts';
import { isDirect } from './incoming-message.ts';

/**
 * What the bot can read in a channel, from conversations.info (scopes channels:read and
 * groups:read), which does not know private channels that the bot is not in. Not cached: people
 * invite the bot and look again. If Slack gives no answer, the channel counts as readable. Never
 * rejects. docs.slack.dev/reference/methods/conversations.info.
 */
export async function readChannelAccess(
  client: webApi.WebClient,
  channel: string,
): Promise<ChannelAccess> {
  if (isDirect(channel)) return 'direct';
  try {
    const found = await client.conversations.info({ channel });
    return found.channel?.is_member === false ? 'uninvited' : 'everything';
  } catch (error) {
    return isRefusal(toPlatformError(error), 'gone') ? 'uninvited' : 'everything';
  }
}
