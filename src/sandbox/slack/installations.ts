import type { Records } from '../records.ts';
import { newBotToken, newDigits, newSecret } from './identifiers.ts';
import { SlackError } from './slack-error.ts';

/** What a workspace, or an organisation for several workspaces, has granted to the app. */
export interface Installation {
  /** The id of the workspace or the organisation. */
  id: string;
  /** The ids of the workspaces in which the token works. */
  teams: string[];
  /** The bot's token; undefined once it was revoked or the app was removed. */
  token?: string;
  /** Those of the app's manifest, if omitted. */
  scopes?: readonly string[];
  /** Gets the next token, once. */
  refreshToken?: string;
  /** When the token expires, in ms since the epoch. */
  expiresAt?: number;
}

/** An installation with a token. */
export type ActiveInstallation = Installation & { token: string };

/** Who calls a method: the bot of an installation, or the app itself. */
export type Caller = { kind: 'bot'; installation: ActiveInstallation } | { kind: 'app' | 'config' };

/** Why a token is no longer accepted: Slack's error codes. */
type Ending = 'account_inactive' | 'token_revoked' | 'token_expired';

/** The installations of the app, and the tokens that belong to them. */
export interface Installations {
  /** Adds an installation from before there was OAuth, unless the records know what became of it. */
  found(installation: Installation): void;
  get(id: string): ActiveInstallation | undefined;
  /** The installation that answers in a workspace: its own, or its organisation's. */
  serving(team: string): ActiveInstallation | undefined;
  /** @throws {SlackError} when the token is not accepted */
  byToken(token: string): ActiveInstallation;
  /**
   * Installs the app, or installs it again. A token that expires replaces the one before; one that
   * doesn't stays the same, as in Slack.
   * @param lifetimeMs how long the token lives; undefined for one that never expires
   */
  grant(
    granted: Pick<Installation, 'id' | 'teams' | 'scopes'>,
    lifetimeMs?: number,
  ): ActiveInstallation;
  /**
   * Exchanges a refresh token for a new pair of tokens, which ends the pair before.
   * @throws {SlackError} `invalid_refresh_token` when it was used before, or never existed
   */
  refresh(refreshToken: string, lifetimeMs: number): ActiveInstallation;
  /** Ends the token of an installation. */
  end(id: string, ending: Ending): void;
  setTeams(id: string, teams: string[]): void;
  /** Lets a token expire now. */
  expire(id: string): void;
}

const maxEnded = 1_000;

/** The installations stored in the records. */
export function createInstallations(
  records: Records,
  now: () => number,
  onChange: () => void,
): Installations {
  const stored = records.list<Installation>('slack.installation');
  const all = new Map(stored.map((installation) => [installation.id, installation]));

  function save<T extends Installation>(installation: T): T {
    all.set(installation.id, installation);
    records.put('slack.installation', installation.id, installation);
    onChange();
    return installation;
  }

  function get(id: string): ActiveInstallation | undefined {
    const found = all.get(id);
    return found && isActive(found) ? found : undefined;
  }

  function endToken({ token }: Installation, ending: Ending): void {
    if (token === undefined) return;
    records.put('slack.ended-token', token, { ending });
    records.trim('slack.ended-token', maxEnded);
  }

  return {
    found(installation) {
      if (!all.has(installation.id)) save(installation);
    },
    get,
    serving(team) {
      return (
        get(team) ?? [...all.values()].filter(isActive).find(({ teams }) => teams.includes(team))
      );
    },
    byToken(token) {
      const found = [...all.values()].filter(isActive).find((each) => each.token === token);
      if (!found) {
        const ended = records.get<{ ending: Ending }>('slack.ended-token', token);
        throw new SlackError(ended?.ending ?? 'invalid_auth');
      }
      if (found.expiresAt !== undefined && found.expiresAt <= now()) {
        throw new SlackError('token_expired');
      }
      return found;
    },
    grant(granted, lifetimeMs) {
      const before = all.get(granted.id);
      const isKept = lifetimeMs === undefined && before?.expiresAt === undefined;
      const token = isKept ? before?.token : undefined;
      if (before && token === undefined) endToken(before, 'token_revoked');
      return save({ ...granted, ...(token ? { token } : newTokens(now(), lifetimeMs)) });
    },
    refresh(refreshToken, lifetimeMs) {
      const found = [...all.values()].find((each) => each.refreshToken === refreshToken);
      if (!found) throw new SlackError('invalid_refresh_token');
      endToken(found, 'token_expired');
      return save({ ...found, ...newTokens(now(), lifetimeMs) });
    },
    end(id, ending) {
      const found = all.get(id);
      if (!found) return;
      endToken(found, ending);
      save({ id, teams: found.teams });
    },
    setTeams(id, teams) {
      const found = all.get(id);
      if (found) save({ ...found, teams });
    },
    expire(id) {
      const found = all.get(id);
      if (found?.refreshToken) save({ ...found, expiresAt: now() });
    },
  };
}

/** Whether an installation is an organisation's: its token works in several workspaces. */
export function isOrganisation({ id }: Pick<Installation, 'id'>): boolean {
  return id.startsWith('E');
}

function isActive(installation: Installation): installation is ActiveInstallation {
  return installation.token !== undefined;
}

/** docs.slack.dev/authentication/using-token-rotation */
function newTokens(now: number, lifetimeMs: number | undefined) {
  if (lifetimeMs === undefined) return { token: newBotToken() };
  return {
    token: `xoxe.xoxb-1-${newSecret(24)}${newDigits(8)}`,
    refreshToken: `xoxe-1-${newSecret(24)}${newDigits(8)}`,
    expiresAt: now + lifetimeMs,
  };
}
