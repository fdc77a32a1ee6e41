import type { Directory } from '../directory.ts';
import { SlackError } from '../slack-error.ts';
import type { Wire } from '../wire.ts';
import { typeOf } from '../workspace.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { flag, optional, paged, required } from './arguments.ts';
import { isSeen } from './reach.ts';

/** What these methods work on. */
export interface UsersOptions {
  directory: Directory;
  wire: Wire;
}

/** docs.slack.dev/reference/methods, the family `users`, and `bots.info`. */
export function usersMethods({ directory, wire }: UsersOptions): Record<string, ApiMethod> {
  const { app } = directory;
  return {
    'bots.info': apiMethod({
      limit: tiers.three,
      arguments: { bot: required },
      run({ bot }) {
        if (bot !== app.botId) throw new SlackError('bot_not_found');
        const { id, botUser: user_id } = app;
        const about = { name: 'Causeway', deleted: false, updated: 0 };
        return { bot: { id: bot, ...about, app_id: id, user_id, icons: {} } };
      },
    }),

    'users.conversations': apiMethod({
      limit: tiers.three,
      arguments: {
        types: optional,
        user: optional,
        exclude_archived: flag,
        ...paged.arguments,
      },
      run({ types = 'public_channel', user = app.botUser, ...wanted }) {
        if (!directory.user(user)) throw new SlackError('user_not_found');
        const kinds = new Set(types.split(',').map((type) => type.trim()));
        // Of another user, those that are public or that the bot is in as well.
        const theirs = directory
          .channels()
          .filter((channel) => channel.members.includes(user) && isSeen(directory, channel))
          .filter((channel) => kinds.has(typeOf(channel)));
        const { items, response_metadata } = paged.page(theirs, wanted);
        return { channels: items.map((channel) => wire.ownChannel(channel)), response_metadata };
      },
    }),

    'users.info': apiMethod({
      limit: tiers.four,
      arguments: { user: required, include_locale: flag },
      run({ user: id, include_locale: withLocale }) {
        const user = directory.user(id);
        if (!user) throw new SlackError('user_not_found');
        const { locale, ...rest } = wire.user(user) as { locale: string };
        return { user: withLocale ? { ...rest, locale } : rest };
      },
    }),
  };
}
