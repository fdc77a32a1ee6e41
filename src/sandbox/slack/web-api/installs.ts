import { type ActiveInstallation, type Caller, isOrganisation } from '../installations.ts';
import type { SlackTeam } from '../model.ts';
import type { Parts } from '../parts.ts';
import { SlackError } from '../slack-error.ts';
import {
  type ApiMethod,
  apiMethod,
  flag,
  optional,
  paged,
  pageOf,
  perMinute,
  required,
  tiers,
} from './api-method.ts';

/** The methods by which the app is installed and removed: docs.slack.dev/reference/methods. */
export function installMethods(parts: Parts): Record<string, ApiMethod> {
  const { oauth, removal, tokens, workspaces } = parts;
  const teams = () => workspaces().map(({ directory }) => directory.team);

  function toAnswer(installation: ActiveInstallation): object {
    const { token, refreshToken, expiresAt, teams: granted } = installation;
    const isOfAll = isOrganisation(installation);
    const found = workspaces().find(({ directory: { team } }) =>
      isOfAll ? team.enterprise?.id === installation.id : team.id === installation.id,
    );
    if (!found) throw new SlackError('internal_error');
    const { app, team, users } = found.directory;
    const installer = users().find(({ isAdmin }) => isAdmin);
    return {
      app_id: app.id,
      authed_user: { id: installer?.id ?? granted[0] },
      scope: tokens.scopes({ kind: 'bot', installation }).join(','),
      token_type: 'bot',
      access_token: token,
      ...(refreshToken &&
        expiresAt && {
          refresh_token: refreshToken,
          expires_in: Math.round((expiresAt - parts.now()) / 1000),
        }),
      bot_user_id: app.botUser,
      team: isOfAll ? null : name(team),
      enterprise: team.enterprise ? name(team.enterprise) : null,
      is_enterprise_install: isOfAll,
    };
  }

  return {
    'oauth.v2.access': apiMethod({
      limit: tiers.special,
      token: 'none',
      arguments: {
        client_id: optional,
        client_secret: optional,
        code: optional,
        redirect_uri: optional,
        grant_type: optional,
        refresh_token: optional,
      },
      run({ code = '', redirect_uri, grant_type: grant, refresh_token: token = '', ...client }) {
        oauth.authenticate(client);
        if (grant === 'refresh_token') return toAnswer(oauth.refresh(token));
        if (grant && grant !== 'authorization_code') throw new SlackError('invalid_grant_type');
        return toAnswer(oauth.install(code, redirect_uri));
      },
    }),

    'auth.revoke': apiMethod({
      limit: tiers.three,
      arguments: { test: flag },
      run({ test = false }, caller) {
        if (!test) removal.revoke(installationOf(caller).id);
        return { revoked: !test };
      },
    }),

    'auth.teams.list': apiMethod({
      limit: tiers.two,
      arguments: paged,
      run(wanted, caller) {
        const { teams: granted } = installationOf(caller);
        const found = teams().filter(({ id }) => granted.includes(id));
        const { items, response_metadata } = pageOf(found, wanted);
        return { teams: items.map(name), response_metadata };
      },
    }),

    'apps.uninstall': apiMethod({
      limit: perMinute(1),
      arguments: { client_id: required, client_secret: required },
      run(client, caller) {
        oauth.authenticate(client);
        removal.uninstall(installationOf(caller).id);
        return {};
      },
    }),
  };
}

function installationOf(caller: Caller | undefined): ActiveInstallation {
  if (caller?.kind !== 'bot') throw new SlackError('not_allowed_token_type');
  return caller.installation;
}

function name({ id, name }: Pick<SlackTeam, 'id' | 'name'>): { id: string; name: string } {
  return { id, name };
}
