import type { webApi } from '@slack/bolt';
import type { ChannelAccess } from '../commands/channel-access.ts';
import { isRefusal } from '../conversation/platform-error.ts';
import { toPlatformError } from './errors.ts';
import { isDirect } from './incoming-message.ts';

/**
 * What the bot hears in a channel, by conversations.info (scopes channels:read and groups:read),
 * which knows no private channel that the bot is not in. Asked anew each time: people invite the bot
 * and look again. Where Slack does not tell, nothing is held against the channel. Never rejects.
 * docs.slack.dev/reference/methods/conversations.info.
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
