import type { Directory } from '../directory.ts';
import type { AppManifest } from '../manifest.ts';
import { SlackError } from '../slack-error.ts';
import type { SocketMode } from '../socket-mode.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { required } from './arguments.ts';

/** What these methods work on. */
export interface AuthOptions {
  directory: Directory;
  manifest: Pick<AppManifest, 'manifest'>;
  socketMode: SocketMode;
  baseUrl: () => string;
}

/**
 * `auth.test`, `apps.connections.open` which hands out Socket Mode's addresses, and
 * `apps.manifest.export`: docs.slack.dev/reference/methods.
 */
export function authMethods(options: AuthOptions): Record<string, ApiMethod> {
  const { directory, manifest, socketMode, baseUrl } = options;
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

    'apps.manifest.export': apiMethod({
      limit: tiers.three,
      token: 'config',
      arguments: { app_id: required },
      run({ app_id: id }) {
        if (!/^A[A-Z0-9]+$/.test(id)) throw new SlackError('invalid_app_id');
        if (id !== app.id) throw new SlackError('app_not_found');
        return { manifest: manifest.manifest() };
      },
    }),
  };
}
