import type { webApi } from '@slack/bolt';
import type { Author, Log } from '../conversation/ports.ts';
import { slackErrorCode, toPlatformError } from './errors.ts';
import { createLookUp } from './look-ups.ts';
import type { UserGroups } from './user-groups.ts';

/**
 * A person: a manager if an admin or owner of this workspace, not of another that shares a channel
 * with it (Slack Connect); `groups` are Slack user groups.
 */
export interface Person extends Author {
  /** BCP 47, such as `en-US`. */
  locale: string;
  /** Such as `Europe/Berlin`. */
  timeZone?: string;
}

/** Looks up people by id. */
export interface People {
  /**
   * Never rejects: a person unknown to Slack gets the id as name and is no manager, and so does one
   * whom Slack has not told yet (`isUnknown`).
   */
  find(id: string): Promise<Person>;
}

/** People of other workspaces, met in channels of Slack Connect. */
const strangers = new Set(['user_not_found', 'user_not_visible']);

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
      const isManager = isAdmin && belongsTo(workspace(), user);
      const timeZone = user?.tz;
      return {
        id,
        name,
        isManager,
        locale: user?.locale ?? 'en-US',
        ...(timeZone && { timeZone }),
      };
    } catch (error) {
      if (strangers.has(slackErrorCode(error) ?? '')) {
        log.debug({ user: id }, 'Slack shows nothing of a person from elsewhere');
        return undefined;
      }
      const err = toPlatformError(error, 'users:read');
      log.warn({ err, user: id }, unreadName);
      throw err;
    }
  }

  const lookUp = createLookUp(load, { now });

  return {
    async find(id) {
      const [{ value, isFailed }, groupIds] = await Promise.all([lookUp(id), groups.of(id)]);
      const person = value ?? { ...toUnknown(id), ...(isFailed && { isUnknown: true }) };
      return { ...person, ...(groupIds.length > 0 && { groups: groupIds }) };
    },
  };
}

/**
 * Whether a workspace is a person's own. On Enterprise Grid, `team_id` may be another workspace of
 * the organization, and all of theirs are listed: docs.slack.dev/reference/objects/user-object.
 */
function belongsTo(
  workspace: string,
  user: { team_id?: string; enterprise_user?: { teams?: string[] } },
): boolean {
  const { team_id: home = workspace, enterprise_user: enterprise } = user;
  return home === workspace || (enterprise?.teams?.includes(workspace) ?? false);
}

/** A person of whom only the id is known. */
export function toUnknown(id: string): Person {
  return { id, name: id, isManager: false, locale: 'en-US' };
}

/** Converts a person for the core. */
export function toAuthor({ id, name, isManager, isUnknown, groups, locale }: Person): Author {
  return { id, name, isManager, isUnknown, groups, locale };
}
