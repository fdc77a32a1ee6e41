import type { SlackTeam } from '../workspace.ts';
import type { UserGroups } from '../user-groups.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { flag } from './arguments.ts';

/** What these methods work on. */
export interface UsergroupsOptions {
  directory: { team: SlackTeam };
  groups: UserGroups;
}

/** docs.slack.dev/reference/methods/usergroups.list. */
export function usergroupsMethods(options: UsergroupsOptions): Record<string, ApiMethod> {
  const { directory, groups } = options;
  return {
    'usergroups.list': apiMethod({
      limit: tiers.two,
      arguments: { include_users: flag, include_count: flag, include_disabled: flag },
      run: ({ include_users: withUsers, include_count: withCount }) => ({
        usergroups: groups.userGroups().map(({ id, handle, users }) => ({
          id,
          team_id: directory.team.id,
          is_usergroup: true,
          name: handle,
          handle,
          description: '',
          date_delete: 0,
          ...(withUsers && { users }),
          ...(withCount && { user_count: users.length }),
        })),
      }),
    }),
  };
}
