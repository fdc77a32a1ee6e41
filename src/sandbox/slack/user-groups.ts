import type { Records } from '../records.ts';
import { newId } from './identifiers.ts';
import type { SlackUserGroup } from './workspace.ts';

/** The groups of people that can be mentioned by a handle. */
export interface UserGroups {
  userGroups(): SlackUserGroup[];
  /** Puts people into the group with this handle, in place of those in it; it is made where there is none. */
  saveUserGroup(group: Pick<SlackUserGroup, 'handle' | 'users'>): SlackUserGroup;
}

export function createUserGroups(records: Records): UserGroups {
  const userGroups = () => records.list<SlackUserGroup>('slack.usergroup');
  return {
    userGroups,
    saveUserGroup({ handle, users }) {
      const id = userGroups().find((group) => group.handle === handle)?.id ?? newId('S');
      const group = { id, handle, users };
      records.put('slack.usergroup', id, group);
      return group;
    },
  };
}
