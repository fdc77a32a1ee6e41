import type { RequestListener } from 'node:http';
import type { Installation } from '@slack/oauth';
import type { Seal } from '../../shared/primitives/seal.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import type { Receiver } from '../conversation/platform.ts';
import { createAppEvents, teamsOf } from './app-events.ts';
import { createInstalledWorkspaces } from './installed-workspaces.ts';
import { createInstallations, type InstallationRecord } from './installations.ts';
import { createInstallPages, createInstallProvider, type OAuthCredentials } from './oauth.ts';
import { createTokens } from './token-renewal.ts';
import type { AppTools, Workspaces } from './workspace.ts';

/** How workspaces install the app, and where that is kept. */
export interface InstallOptions extends OAuthCredentials {
  /** The scopes that the app asks for. */
  scopes: readonly string[];
  installations: KeyedStore<InstallationRecord>;
  /** Which workspace's bot spoke first in a thread of a shared channel. */
  shared: KeyedStore<string>;
  seal: Seal;
  /** How long the data of a workspace that removed the app stays; by default, for good. */
  retentionMs?: number;
  /** Deletes all that is kept of a workspace. */
  forget(team: string): Promise<void>;
}

/** The workspaces of the app: one with a token from the configuration, or all that installed it. */
export interface Access {
  workspaces: Workspaces;
  /**
   * Finds out where the bot is, and reports it. Resolves with what to log of that.
   * @throws {PlatformError} when Slack refuses the token
   */
  start(receiver: Receiver): Promise<object>;
  /** Called with each event, command and interaction before it is handled. */
  note(body: object): Promise<void>;
  /** Pages for browsers, by path. */
  pages?: ReadonlyMap<string, RequestListener>;
  /** What is done each minute. */
  keepUp?(): Promise<void>;
  /** How many installations are in which state. */
  countInstallations?(): Record<string, number>;
}

/** Serves every workspace that installs the app by OAuth. */
export function createManyWorkspaces(options: InstallOptions, app: AppTools): Access {
  const { scopes, shared, seal, installations: store, retentionMs = Infinity, forget } = options;
  const { apiUrl, logger, log, sleep, receiver } = app;
  const installations = createInstallations({ store, seal, log });
  const provide = (installationStore: typeof installations.onInstall) =>
    createInstallProvider(options, { installationStore, apiUrl, logger });
  const provider = provide(installations.onRenewal);
  const tokenOf = createTokens({ installations, provider, sleep, now: Date.now, log });
  const { note } = createAppEvents({ installations, receiver, log });

  function onInstalled({ team, enterprise }: Installation): void {
    log.info({ team: team?.id, enterprise: enterprise?.id }, 'a workspace installed the app');
    if (team) void receiver()?.joined('slack', [team.id], true);
  }

  /**
   * Deletes what is kept of workspaces that removed the app longer than `retentionMs` ago.
   * @throws {Error} when that fails; the next call goes on
   */
  async function forgetRemoved(): Promise<void> {
    for (const kept of installations.all()) {
      const { key, removedAt = Infinity } = kept;
      if (removedAt + retentionMs > Date.now()) continue;
      for (const team of teamsOf(kept)) if (!installations.serving(team)) await forget(team);
      await installations.delete(key);
      log.info({ installation: key }, 'all that was kept of a workspace that left is deleted');
    }
  }

  return {
    workspaces: createInstalledWorkspaces({ installations, tokenOf, shared, app }),
    async start(told) {
      await installations.load();
      const active = installations.all().filter(({ removedAt }) => removedAt === undefined);
      const teams = new Set(active.flatMap(teamsOf));
      await told.joined('slack', [...teams], true);
      return { installations: active.length, workspaces: teams.size };
    },
    note,
    countInstallations: () => countStates(installations.all()),
    keepUp: forgetRemoved,
    pages: createInstallPages(provide(installations.onInstall), { scopes, onInstalled, log }),
  };
}

function countStates(all: readonly InstallationRecord[]) {
  const states = { active: 0, refused: 0, removed: 0 };
  for (const { removedAt, refused } of all) {
    const state =
      removedAt === undefined ? (refused === undefined ? 'active' : 'refused') : 'removed';
    states[state] += 1;
  }
  return states;
}
