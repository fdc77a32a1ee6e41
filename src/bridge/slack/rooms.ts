import type { webApi } from '@slack/bolt';
import { createOnceAtATime } from '../../shared/primitives/cache.ts';
import type { ChannelAccess } from '../commands/command.ts';
import { isPassingRefusal, isRefusal, type PlatformError } from '../conversation/errors.ts';
import { isLostLease } from '../conversation/leases.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Room, Rooms } from '../conversation/platform.ts';
import { toPlatformError } from './errors.ts';
import { isDirect } from './incoming-message.ts';

/** docs.slack.dev/reference/methods/users.conversations, `limit`. */
const pageLength = 999;
/** A person who shares more private channels with the bot counts as absent from the others. */
const maxPages = 10;

/**
 * Who reads a channel. Whether it is public comes from conversations.info (scopes channels:read and
 * groups:read). Who is in a private channel comes from the list of those that a person shares with
 * the bot (users.conversations, scope groups:read). A list of conversations asks about many threads
 * at once, so each channel and each person is looked up once.
 */
export function createRooms({ client, log }: { client: webApi.WebClient; log: Log }): Rooms {
  const roomOnce = createOnceAtATime<Room | undefined>();
  const channelsOnce = createOnceAtATime<ReadonlySet<string>>();

  /** The private channels that a person shares with the bot. */
  async function readChannels(user: string): Promise<ReadonlySet<string>> {
    const asked = { user, types: 'private_channel', exclude_archived: false, limit: pageLength };
    const found = new Set<string>();
    let cursor = '';
    for (let page = 0; page < maxPages; page += 1) {
      const list = await client.users.conversations({ ...asked, ...(cursor && { cursor }) });
      for (const { id } of list.channels ?? []) if (id) found.add(id);
      cursor = list.response_metadata?.next_cursor ?? '';
      if (!cursor) return found;
    }
    log.warn(
      { user, maxPages },
      'a person shares more private channels with the bot than are read',
    );
    return found;
  }

  async function readRoom(id: string): Promise<Room | undefined> {
    const closed: Room = { id, isPublic: false };
    try {
      const { channel: found } = await client.conversations.info({ channel: id });
      return found && { id, isPublic: found.is_private === false && !found.is_mpim };
    } catch (error) {
      if (isLostLease(error)) throw error;
      const err = toPlatformError(error, 'channels:read');
      if (isOfGroupMessage(err)) return closed;
      log.warn({ err, channel: id }, 'whether a channel is public could not be read from Slack');
      return undefined;
    }
  }

  return {
    of: async ({ channel: id }) =>
      isDirect(id) ? { id, isPublic: false, isDirect: true } : roomOnce(id, () => readRoom(id)),
    async has(_, { id }, person) {
      if (isDirect(id)) return false;
      try {
        return (await channelsOnce(person, () => readChannels(person))).has(id);
      } catch (error) {
        if (isLostLease(error)) throw error;
        const err = toPlatformError(error, 'groups:read');
        log.warn(
          { err, channel: id, user: person },
          'whether a person is in a channel could not be read from Slack',
        );
        return false;
      }
    },
  };
}

/** The bot has no scope for group messages: if Slack requires it, the channel is one. */
function isOfGroupMessage({ problem: { code, params } }: PlatformError): boolean {
  return code === 'slack_scope_missing' && params.scope === 'mpim:read';
}

/**
 * Whether a workspace has a channel.
 * @throws {PlatformError} when Slack can't tell now
 */
export async function seesChannel(client: webApi.WebClient, channel: string): Promise<boolean> {
  try {
    await client.conversations.info({ channel });
    return true;
  } catch (caught) {
    const error = toPlatformError(caught);
    if (isPassingRefusal(error)) throw error;
    return isOfGroupMessage(error);
  }
}

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
