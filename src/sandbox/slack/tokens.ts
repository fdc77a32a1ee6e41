import { newDigits, newId, newSecret } from './identifiers.ts';
import type { AppManifest } from './manifest.ts';
import { SlackError } from './slack-error.ts';
import type { TokenKind } from './web-api/api-method.ts';
import type { SlackApp } from './workspace.ts';

/** The app's tokens, and what each may do. */
export interface Tokens {
  /** Reads the app's configuration for twelve hours: docs.slack.dev/authentication/tokens. */
  configToken: string;
  /** The app token of another app, whose sockets would get that app's events. */
  otherAppToken: string;
  /**
   * The kind of a token.
   * @throws {SlackError} `not_authed`, `invalid_auth` or `token_expired`
   */
  check(token: string | undefined): TokenKind;
  /** The scopes granted to a kind of token. */
  scopes(kind: TokenKind): readonly string[];
}

/** What is granted before the first manifest: no more than Causeway's own asks for. */
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
 * The configuration token begins to live now. Before the first manifest, the bot has the scopes that
 * Causeway's asks for.
 */
export function createTokens(options: {
  app: SlackApp;
  manifest: Pick<AppManifest, 'scopes'>;
  now: () => number;
}): Tokens {
  const { app, manifest, now } = options;
  const configToken = `xoxe.xoxp-1-${newSecret(24)}${newDigits(8)}`;
  const expiresAt = now() + configLifetimeMs;
  const otherAppToken = `xapp-1-${newId('A')}-${newDigits(13)}-${newSecret(32)}`;
  return {
    configToken,
    otherAppToken,
    check(token) {
      if (!token) throw new SlackError('not_authed');
      if (token === app.botToken) return 'bot';
      if (token === app.appToken || token === otherAppToken) return 'app';
      if (token !== configToken) throw new SlackError('invalid_auth');
      if (now() >= expiresAt) throw new SlackError('token_expired');
      return 'config';
    },
    scopes: (kind) => (kind === 'bot' ? (manifest.scopes() ?? botScopes) : otherScopes[kind]),
  };
}
