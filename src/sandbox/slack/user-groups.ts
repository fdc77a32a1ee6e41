import type { Records } from '../records.ts';
import { newId } from './identifiers.ts';
import type { SlackUserGroup } from './workspace.ts';

/** User groups, which can be mentioned by handle. */
export interface UserGroups {
  userGroups(): SlackUserGroup[];
  /** Replaces the members of the group with this handle; creates the group if needed. */
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
