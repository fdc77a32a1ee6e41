import type { Directory } from '../directory.ts';
import type { SocketMode } from '../socket-mode.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';

/** What these methods work on. */
export interface AuthOptions {
  directory: Directory;
  socketMode: SocketMode;
  baseUrl: () => string;
}

/** `auth.test`, and `apps.connections.open` which hands out Socket Mode's addresses. */
export function authMethods(options: AuthOptions): Record<string, ApiMethod> {
  const { directory, socketMode, baseUrl } = options;
  const { app, team } = directory;
  return {
    'auth.test': apiMethod({
      limit: tiers.special,
      arguments: {},
      run: () => ({
        url: `${baseUrl()}/`,
        team: team.name,
        team_id: team.id,
        user: directory.user(app.botUser)?.name,
        user_id: app.botUser,
        bot_id: app.botId,
        is_enterprise_install: false,
      }),
    }),

    'apps.connections.open': apiMethod({
      limit: tiers.three,
      token: 'app',
      arguments: {},
      run: () => ({ url: baseUrl().replace(/^http/, 'ws') + socketMode.newLink() }),
    }),
  };
}
