import { z } from 'zod';
import { createOnceAtATime } from '../../shared/primitives/cache.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Receiver } from '../conversation/platform.ts';
import { type Installations, type KeptInstallation, nameOf } from './installations.ts';
import { readOrigin } from './payload.ts';

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
 * An organisation took workspaces out of its installation:
 * docs.slack.dev/reference/events/team_access_revoked
 */
const exclusion = z.object({
  event: z.object({ type: z.literal('team_access_revoked'), team_ids: z.array(z.string()) }),
});

/** What happens to the app itself. */
export interface AppEvents {
  /**
   * Takes note of what an event, a command or an interaction says about the installations: that one
   * was removed, or that an organisation's serves a workspace that was not seen before. Called before
   * it is handled.
   * @throws {Error} when that can't be stored
   */
  note(body: object): Promise<void>;
}

export function createAppEvents(options: {
  installations: Installations;
  receiver(): Receiver | undefined;
  log: Log;
}): AppEvents {
  const { installations, receiver, log } = options;
  /** Slack tells of a removal by two events, and of a message too. */
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
    await installations.change(found.key, ({ teams, ...record }) => ({
      ...record,
      teams: teams.filter((team) => !gone.includes(team)),
    }));
    for (const team of gone) {
      if (!installations.serving(team)) await receiver()?.left('slack', team);
    }
  }

  /** A workspace that is first seen in an event of its organisation joins like one that installed the app. */
  async function join(team: string, found: KeptInstallation): Promise<void> {
    await installations.change(found.key, ({ teams, ...record }) => ({
      ...record,
      teams: [...new Set([...teams, team])],
    }));
    await receiver()?.joined('slack', [team], true);
  }

  return {
    async note(body) {
      const { team, enterprise } = readOrigin(body);
      if (team !== undefined) await installations.find(team, enterprise);
      const { data } = removal.safeParse(body);
      if (data) return removed(body, data.event_time);
      const { data: revoked } = exclusion.safeParse(body);
      if (revoked) return excluded(body, revoked.event.team_ids);
      const found = team === undefined ? undefined : installations.serving(team, enterprise);
      if (!team || !found || found.team || found.teams.includes(team)) return;
      await once(team, () => join(team, found));
    },
  };
}

/** The workspaces in which an installation was seen. */
export function teamsOf({ team, teams }: KeptInstallation): readonly string[] {
  return team ? [team.id] : teams;
}
