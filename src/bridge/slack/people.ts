import type { webApi } from '@slack/bolt';
import type { Names } from '../commands/command.ts';
import type { Author, Outsider } from '../conversation/platform.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { slackErrorCode, toPlatformError } from './errors.ts';
import { createLookUp, type UserGroups } from './user-groups.ts';

/**
 * A person. Admins and owners of this workspace are managers. Guests, and people of a workspace that
 * shares a channel with this one (Slack Connect), are outsiders. `groups` are Slack user groups.
 */
export interface Person extends Author {
  locale: string;
}

/** Looks up people by id. */
export interface People {
  /**
   * The id stands for the name of someone whom Slack does not describe. If Slack does not answer, what
   * it said before counts for another hour. Rejects only if the lease was lost.
   */
  find(id: string): Promise<Person>;
}

/** Slack's answers about people of other workspaces. */
const strangers = new Set(['user_not_found', 'user_not_visible']);

/** How long an earlier answer counts: admins and members may be guests by now. */
const freshMs = 5 * 60 * 1000;

const unreadName = 'a name could not be read from Slack';

/** Looks up people with users.info (scope users:read), and their user groups. */
export function createPeople(options: {
  client: webApi.WebClient;
  /** The id of the bot's workspace. */
  workspace: () => string;
  groups: Pick<UserGroups, 'of'>;
  log: Log;
  now: () => number;
}): People {
  const { client, workspace, groups, log, now } = options;

  async function load(id: string): Promise<Person | undefined> {
    try {
      const { user } = await client.users.info({ user: id, include_locale: true });
      const name = user?.profile?.display_name || user?.real_name || user?.name || id;
      const isAdmin = user?.is_admin === true || user?.is_owner === true;
      const outsider = user && outsiderOf(user, workspace());
      return {
        id,
        name,
        isManager: isAdmin && !outsider,
        outsider,
        locale: user?.locale ?? 'en-US',
        timeZone: user?.tz,
      };
    } catch (error) {
      if (strangers.has(slackErrorCode(error) ?? '')) {
        log.debug({ user: id }, 'Slack does not describe a person of another workspace');
        return undefined;
      }
      const err = toPlatformError(error, 'users:read');
      log.warn({ err, user: id }, unreadName);
      throw err;
    }
  }

  const lookUp = createLookUp(load, { freshMs, now });

  return {
    async find(id) {
      const [{ value, isFailed }, groupIds] = await Promise.all([lookUp(id), groups.of(id)]);
      const person = value ?? toOutsider(id, isFailed ? 'unknown' : 'stranger');
      if (!groupIds) return { ...person, areGroupsUnknown: true };
      return { ...person, ...(groupIds.length > 0 && { groups: groupIds }) };
    },
  };
}

/** What Slack says of a person: docs.slack.dev/reference/objects/user-object. */
interface SlackUser {
  team_id?: string;
  enterprise_user?: { teams?: string[] };
  is_stranger?: boolean;
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
}

function outsiderOf(user: SlackUser, workspace: string): Outsider | undefined {
  if (user.is_stranger || !belongsTo(workspace, user)) return 'stranger';
  return user.is_restricted || user.is_ultra_restricted ? 'guest' : undefined;
}

/**
 * Whether a workspace is a person's own. On Enterprise Grid, `team_id` may be another workspace of
 * the organization, and all of theirs are listed.
 */
function belongsTo(workspace: string, user: SlackUser): boolean {
  const { team_id: home = workspace, enterprise_user: enterprise } = user;
  return home === workspace || (enterprise?.teams?.includes(workspace) ?? false);
}

/** A person with nothing known but the id. */
export function toOutsider(id: string, outsider: Outsider): Person {
  return { id, name: id, isManager: false, outsider, locale: 'en-US' };
}

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
