import { isOrganisation } from '../installations.ts';
import { typeOf } from '../model.ts';
import type { Parts } from '../parts.ts';
import { SlackError } from '../slack-error.ts';
import { parseView, type Views } from '../views.ts';
import { agentMethods } from './agents.ts';
import {
  type ApiMethod,
  apiMethod,
  flag,
  json,
  optional,
  paged,
  pageOf,
  required,
  tiers,
} from './api-method.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import { fileMethods } from './files.ts';
import { installMethods } from './installs.ts';
import { isSeen } from './reach.ts';

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
          ...(enterprise && { enterprise_id: enterprise.id }),
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
      run({ types = 'public_channel', user = app.botUser, ...wanted }) {
        if (!directory.user(user)) throw new SlackError('user_not_found');
        const kinds = new Set(types.split(',').map((type) => type.trim()));
        // Of another user, those that are public or that the bot is in as well.
        const theirs = directory
          .channels()
          .filter((channel) => channel.members.includes(user) && isSeen(directory, channel))
          .filter((channel) => kinds.has(typeOf(channel)));
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
          ...(withUsers && { users }),
          ...(withCount && { user_count: users.length }),
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
