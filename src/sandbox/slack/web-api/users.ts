import type { Directory } from '../directory.ts';
import { SlackError } from '../slack-error.ts';
import type { Wire } from '../wire.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { flag, required } from './arguments.ts';

/** What these methods work on. */
export interface UsersOptions {
  directory: Directory;
  wire: Wire;
}

/** docs.slack.dev/reference/methods/users.info. */
export function usersMethods({ directory, wire }: UsersOptions): Record<string, ApiMethod> {
  return {
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
