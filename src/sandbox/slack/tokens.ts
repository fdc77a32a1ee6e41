import type { Directory } from './directory.ts';
import { newDigits, newId, newSecret } from './identifiers.ts';
import type { Caller, Installations } from './installations.ts';
import type { AppManifest } from './manifest.ts';
import { channelKinds, type SlackApp } from './model.ts';
import { SlackError } from './slack-error.ts';
import type { ApiMethod } from './web-api/api-method.ts';
import { isSeen, toTypes } from './web-api/reach.ts';

/** The app's tokens, and what each may do. */
export interface Tokens {
  /** Reads the app's configuration for twelve hours: docs.slack.dev/authentication/tokens. */
  configToken: string;
  /** The app token of another app, whose sockets would get that app's events. */
  otherAppToken: string;
  /**
   * Who calls with a token.
   * @throws {SlackError} `not_authed`, `invalid_auth`, `token_expired`, `token_revoked` or
   * `account_inactive`
   */
  check(token: string | undefined): Caller;
  /** The scopes granted to a token. */
  scopes(caller: Caller): readonly string[];
}

/** The scopes before the first manifest: those of Causeway's own. */
const botScopes = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'mpim:history',
  'usergroups:read',
  'users:read',
];
const otherScopes = {
  app: ['connections:write'],
  config: ['app_configurations:read', 'app_configurations:write'],
};

const configLifetimeMs = 12 * 60 * 60 * 1000;

/**
 * The configuration token is valid from now on. Before the first manifest, the bot has the scopes of
 * Causeway's manifest.
 */
export function createTokens(
  app: SlackApp,
  { manifest, installations }: { manifest: AppManifest; installations: Installations },
  now: () => number,
): Tokens {
  const configToken = `xoxe.xoxp-1-${newSecret(24)}${newDigits(8)}`;
  const expiresAt = now() + configLifetimeMs;
  const otherAppToken = `xapp-1-${newId('A')}-${newDigits(13)}-${newSecret(32)}`;
  return {
    configToken,
    otherAppToken,
    check(token) {
      if (!token) throw new SlackError('not_authed');
      if (token === app.appToken || token === otherAppToken) return { kind: 'app' };
      if (token !== configToken) {
        return { kind: 'bot', installation: installations.byToken(token) };
      }
      if (now() >= expiresAt) throw new SlackError('token_expired');
      return { kind: 'config' };
    },
    scopes(caller) {
      if (caller.kind !== 'bot') return otherScopes[caller.kind];
      return caller.installation.scopes ?? manifest.scopes() ?? botScopes;
    },
  };
}

/**
 * The scopes that a call needs of the bot's token; none for a channel that the app can't know of:
 * docs.slack.dev/reference/methods.
 */
export function neededScopes(
  directory: Directory,
  { scope }: ApiMethod,
  args: Record<string, unknown>,
): string[] {
  if (scope === undefined || typeof scope === 'string') return scope ? [scope] : [];
  if ('ofTypes' in scope) {
    const wanted = toTypes(args['types']);
    return Object.values(channelKinds)
      .filter(({ type }) => wanted.has(type))
      .map(({ scopes }) => `${scopes}:${scope.ofTypes}`);
  }
  const { channel: id } = args;
  const channel = typeof id === 'string' ? directory.channel(id) : undefined;
  if (!channel || !isSeen(directory, channel)) return [];
  return [`${channelKinds[channel.kind].scopes}:${scope.ofChannel}`];
}
