import type { webApi } from '@slack/bolt';
import type { Names } from '../commands/names.ts';
import type { Log } from '../conversation/ports.ts';
import { toPlatformError } from './errors.ts';
import { createLookUp } from './look-ups.ts';
import type { People } from './people.ts';
import type { UserGroups } from './user-groups.ts';

/**
 * Names of people, groups and channels, the last from conversations.info (scopes channels:read and
 * groups:read).
 */
export function createNames(options: {
  client: webApi.WebClient;
  people: People;
  groups: UserGroups;
  log: Log;
  now: () => number;
}): Names {
  const { client, people, groups, log, now } = options;

  async function loadChannelName(id: string): Promise<string | undefined> {
    try {
      const { channel } = await client.conversations.info({ channel: id });
      return channel?.name ? `#${channel.name}` : undefined;
    } catch (error) {
      const err = toPlatformError(error, 'channels:read');
      log.debug({ err, channel: id }, 'the name of a channel could not be read from Slack');
      throw err;
    }
  }

  const channelName = createLookUp(loadChannelName, { now });

  async function personName(id: string): Promise<string | undefined> {
    // MANAGERS also holds ids of people on other platforms.
    if (!/^[UW][A-Z0-9]+$/.test(id)) return undefined;
    const { name } = await people.find(id);
    return name === id ? undefined : name;
  }

  return {
    async nameOf(kind, id) {
      if (kind === 'channel') return (await channelName(id)).value;
      if (kind === 'person') return personName(id);
      return (await groups.list()).find((group) => group.id === id)?.name;
    },
    groups: () => groups.list(),
  };
}
