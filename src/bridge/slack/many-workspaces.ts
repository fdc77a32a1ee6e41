import type { RequestListener } from 'node:http';
import type { Installation } from '@slack/oauth';
import type { Seal } from '../../shared/primitives/seal.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import type { Receiver } from '../conversation/platform.ts';
import { createInstalledWorkspaces } from './installed-workspaces.ts';
import {
  type InstallationRecord,
  type Installations,
  type KeptInstallation,
  createInstallations,
  nameOf,
} from './installations.ts';
import { type OAuthCredentials, createInstallPages, createInstallProvider } from './oauth.ts';
import { createTokens } from './token-renewal.ts';
import type { AppTools, Workspaces } from './workspace.ts';
import { z } from 'zod';
import { createOnceAtATime } from '../../shared/primitives/cache.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { readOrigin } from './payload.ts';

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
  const note = createNote({ installations, receiver, log });

  function onInstalled({ team, enterprise }: Installation): void {
    log.info({ team: team?.id, enterprise: enterprise?.id }, 'a workspace installed the app');
    if (team) void receiver()?.joined('slack', [team.id], true);
  }

  /**
   * Deletes what is kept of workspaces that removed the app, or that their organisation took out,
   * longer than `retentionMs` ago.
   * @throws {Error} when that fails; the next call goes on
   */
  async function forgetRemoved(): Promise<void> {
    const isOver = (at = Infinity) => at + retentionMs <= Date.now();
    for (const kept of installations.all()) {
      const { key, excluded = [] } = kept;
      const isRemoved = isOver(kept.removedAt);
      const out = excluded.filter(({ at }) => isRemoved || isOver(at)).map(({ team }) => team);
      const teams = isRemoved ? [...teamsOf(kept), ...out] : out;
      for (const team of teams) if (!installations.serving(team)) await forget(team);
      if (isRemoved) await installations.deleteRemoved(key);
      else if (out.length > 0) await installations.change(key, (record) => without(out, record));
      else continue;
      log.info(
        { installation: key, teams },
        'all data kept of a workspace that left has been deleted',
      );
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

/**
 * The app was removed: docs.slack.dev/reference/events/app_uninstalled. Or its bot's token was:
 * docs.slack.dev/reference/events/tokens_revoked, which also tells of people's.
 */
const removal = z.object({
  event_time: z.number(),
  event: z.union([
    z.object({ type: z.literal('app_uninstalled') }),
    z.object({
      type: z.literal('tokens_revoked'),
      tokens: z.object({ bot: z.array(z.string()).min(1) }),
    }),
  ]),
});

/**
 * An organisation took workspaces out of its installation, or added them:
 * docs.slack.dev/reference/events/team_access_revoked and team_access_granted
 */
const access = z.object({
  event: z.object({
    type: z.enum(['team_access_revoked', 'team_access_granted']),
    team_ids: z.array(z.string()),
  }),
});

/**
 * Takes note of what an event, a command or an interaction says about the installations: that one was
 * removed, or that an organisation's serves a workspace that was not seen before. It rejects when that
 * can't be stored.
 */
function createNote(options: {
  installations: Installations;
  receiver(): Receiver | undefined;
  log: Log;
}): Access['note'] {
  const { installations, receiver, log } = options;
  /** Slack reports a removal with two events, and a message with two as well. */
  const once = createOnceAtATime<void>();

  async function removed(body: object, eventSeconds: number): Promise<void> {
    const { team = '', enterprise } = readOrigin(body);
    const found = installations.get(`T:${team}`) ?? installations.get(`E:${enterprise ?? team}`);
    if (!found || found.removedAt !== undefined) return;
    // It may come late, after the app was installed again.
    if ((eventSeconds + 1) * 1000 < found.installedAt) return;
    await once(found.key, () => remove(found));
  }

  async function remove(found: KeptInstallation): Promise<void> {
    const removedAt = Date.now();
    await installations.change(found.key, (record) => ({ ...record, removedAt }));
    log.info(
      { installation: found.key, name: nameOf(found) },
      'a workspace removed the app: its data stays for RETENTION_DAYS',
    );
    for (const id of teamsOf(found)) {
      if (!installations.serving(id)) await receiver()?.left('slack', id);
    }
  }

  async function excluded(body: object, gone: readonly string[]): Promise<void> {
    const found = installations.get(`E:${readOrigin(body).enterprise}`);
    if (!found) return;
    const at = Date.now();
    await installations.change(found.key, ({ teams, excluded = [], ...record }) => ({
      ...record,
      teams: teams.filter((team) => !gone.includes(team)),
      excluded: [
        ...excluded,
        ...teams.filter((team) => gone.includes(team)).map((team) => ({ team, at })),
      ],
    }));
    for (const team of gone) {
      if (!installations.serving(team)) await receiver()?.left('slack', team);
    }
  }

  /** Workspaces that were taken out are back; others join when they are first seen. */
  async function included(body: object, teams: readonly string[]): Promise<void> {
    const found = installations.get(`E:${readOrigin(body).enterprise}`);
    for (const { team } of found?.excluded ?? []) {
      if (found && teams.includes(team)) await once(team, () => join(team, found));
    }
  }

  /** A workspace that is first seen in an event of its organisation joins like one that installed the app. */
  async function join(team: string, found: KeptInstallation): Promise<void> {
    await installations.change(found.key, ({ teams, ...record }) => ({
      ...without([team], record),
      teams: [...new Set([...teams, team])],
    }));
    await receiver()?.joined('slack', [team], true);
  }

  return async (body) => {
    const { team, enterprise } = readOrigin(body);
    if (team !== undefined) await installations.find(team, enterprise);
    const { data } = removal.safeParse(body);
    if (data) return removed(body, data.event_time);
    const { data: changed } = access.safeParse(body);
    if (changed) {
      const { type, team_ids: teams } = changed.event;
      return type === 'team_access_revoked' ? excluded(body, teams) : included(body, teams);
    }
    const found = team === undefined ? undefined : installations.serving(team, enterprise);
    if (!team || !found || found.team || found.teams.includes(team)) return;
    await once(team, () => join(team, found));
  };
}

/** The record once workspaces are no longer out of it. */
function without<Kept extends Pick<InstallationRecord, 'excluded'>>(
  teams: readonly string[],
  record: Kept,
): Kept {
  const { excluded } = record;
  return { ...record, excluded: excluded?.filter(({ team }) => !teams.includes(team)) };
}

/** The workspaces in which an installation was seen. */
function teamsOf({ team, teams }: KeptInstallation): readonly string[] {
  return team ? [team.id] : teams;
}
