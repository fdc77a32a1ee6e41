import { type ActiveInstallation, type Caller, isOrganisation } from '../installations.ts';
import type { SlackTeam } from '../model.ts';
import type { Parts } from '../parts.ts';
import { SlackError } from '../slack-error.ts';
import { type Views, parseView } from '../views.ts';
import { agentMethods } from './agents.ts';
import {
  type ApiMethod,
  apiMethod,
  flag,
  json,
  optional,
  pageOf,
  paged,
  perMinute,
  required,
  tiers,
} from './api-method.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import { fileMethods } from './files.ts';
import { listChannels } from './reach.ts';

/** All Web API methods of the sandbox, by name: docs.slack.dev/reference/methods. */
export function createMethods(parts: Parts): Record<string, ApiMethod> {
  return {
    ...agentMethods(parts),
    ...appMethods(parts),
    ...chatMethods(parts),
    ...conversationMethods(parts),
    ...fileMethods(parts),
    ...installMethods(parts),
    ...userMethods(parts),
    ...viewMethods(parts),
  };
}

/** What an app asks about itself. */
function appMethods({ directory, manifest, socketMode, baseUrl }: Parts) {
  const { app, team } = directory;
  return {
    'auth.test': apiMethod({
      limit: tiers.special,
      arguments: {},
      run(_args, caller) {
        const { enterprise } = team;
        const isOfAll = caller?.kind === 'bot' && isOrganisation(caller.installation);
        const { id, name } = isOfAll && enterprise ? enterprise : team;
        return {
          url: `${baseUrl()}/`,
          team: name,
          team_id: id,
          user: directory.user(app.botUser)?.name,
          user_id: app.botUser,
          bot_id: app.botId,
          enterprise_id: enterprise?.id,
          is_enterprise_install: isOfAll,
        };
      },
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

    'bots.info': apiMethod({
      limit: tiers.three,
      scope: 'users:read',
      arguments: { bot: required },
      run({ bot }) {
        if (bot !== app.botId) throw new SlackError('bot_not_found');
        const { id, botUser: user_id } = app;
        const about = { name: 'Causeway', deleted: false, updated: 0 };
        return { bot: { id: bot, ...about, app_id: id, user_id, icons: {} } };
      },
    }),
  };
}

/** People and user groups. */
function userMethods({ directory, wire }: Parts) {
  const { app, team } = directory;
  return {
    'users.conversations': apiMethod({
      limit: tiers.three,
      scope: { ofTypes: 'read' },
      ofTeam: true,
      arguments: { types: optional, user: optional, exclude_archived: flag, ...paged },
      run({ types, user = app.botUser, ...wanted }) {
        if (!directory.user(user)) throw new SlackError('user_not_found');
        // Of another user, those that are public or that the bot is in as well.
        const seen = listChannels(directory, types);
        const theirs = seen.filter(({ members }) => members.includes(user));
        const { items, response_metadata } = pageOf(theirs, wanted);
        return { channels: items.map((channel) => wire.ownChannel(channel)), response_metadata };
      },
    }),

    'users.info': apiMethod({
      limit: tiers.four,
      scope: 'users:read',
      arguments: { user: required, include_locale: flag },
      run({ user: id, include_locale: withLocale }) {
        const user = directory.user(id);
        if (!user) throw new SlackError('user_not_found');
        const { locale, ...rest } = wire.user(user) as { locale: string };
        return { user: withLocale ? { ...rest, locale } : rest };
      },
    }),

    'usergroups.list': apiMethod({
      limit: tiers.two,
      scope: 'usergroups:read',
      ofTeam: true,
      arguments: { include_users: flag, include_count: flag, include_disabled: flag },
      run: ({ include_users: withUsers, include_count: withCount }) => ({
        usergroups: directory.userGroups().map(({ id, handle, users }) => ({
          id,
          team_id: team.id,
          is_usergroup: true,
          name: handle,
          handle,
          description: '',
          date_delete: 0,
          users: withUsers ? users : undefined,
          user_count: withCount ? users.length : undefined,
        })),
      }),
    }),
  };
}

/** Modals. */
function viewMethods({ views, triggers }: Parts) {
  const opening = (open: Views['open']) =>
    apiMethod({
      limit: tiers.four,
      arguments: { trigger_id: required, view: json },
      run({ trigger_id, view }) {
        const definition = parseView(view);
        return { view: open(triggers.exchange(trigger_id), definition) };
      },
    });
  return {
    'views.open': opening(views.open),
    'views.push': opening(views.push),

    'views.update': apiMethod({
      limit: tiers.four,
      arguments: { view_id: optional, external_id: optional, hash: optional, view: json },
      run({ view_id, external_id, hash, view }) {
        const definition = parseView(view);
        const id = view_id ?? external_id;
        if (!id) {
          throw new SlackError('invalid_arguments', ['[ERROR] missing required field: view_id']);
        }
        const open = views.find(id);
        if (!open) throw new SlackError('not_found');
        return { view: views.update(open, definition, hash) };
      },
    }),
  };
}

/** The methods by which the app is installed and removed: docs.slack.dev/reference/methods. */
function installMethods(parts: Parts): Record<string, ApiMethod> {
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
      refresh_token: refreshToken,
      expires_in: expiresAt && Math.round((expiresAt - parts.now()) / 1000),
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
