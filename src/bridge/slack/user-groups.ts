import type { webApi } from '@slack/bolt';
import type { Group } from '../commands/names.ts';
import type { Log } from '../conversation/ports.ts';
import { toPlatformError } from './errors.ts';
import { createLookUp } from './look-ups.ts';

/** The user groups of a workspace. */
export interface UserGroups {
  /** All user groups, by handle; empty if Slack does not list them. Never rejects. */
  list(): Promise<readonly Group[]>;
  /** The ids of the groups that a person is in. Never rejects. */
  of(user: string): Promise<string[]>;
}

interface UserGroup extends Group {
  people: ReadonlySet<string>;
}

const freshMs = 5 * 60 * 1000;

/**
 * User groups with their members, from usergroups.list (scope usergroups:read), cached for five
 * minutes. docs.slack.dev/reference/methods/usergroups.list.
 */
export function createUserGroups(options: {
  client: webApi.WebClient;
  log: Log;
  now: () => number;
}): UserGroups {
  const { client, log, now } = options;
  let complained = false;

  async function load(): Promise<UserGroup[]> {
    try {
      const { usergroups = [] } = await client.usergroups.list({ include_users: true });
      complained = false;
      return usergroups.flatMap(({ id, handle, name, users = [] }) =>
        id ? [{ id, name: `@${handle || name || id}`, people: new Set(users) }] : [],
      );
    } catch (error) {
      // A free workspace has none and refuses the call: one warning is enough.
      const level = complained ? 'debug' : 'warn';
      complained = true;
      const err = toPlatformError(error, 'usergroups:read');
      log[level]({ err }, 'could not read the user groups from Slack (scope usergroups:read)');
      throw err;
    }
  }

  const lookUp = createLookUp(load, { freshMs, now });
  const read = async () => (await lookUp('all')).value ?? [];

  return {
    list: async () => (await read()).map(({ id, name }) => ({ id, name })),
    of: async (user) => (await read()).filter(({ people }) => people.has(user)).map(({ id }) => id),
  };
}
