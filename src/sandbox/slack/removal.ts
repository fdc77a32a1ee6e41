import { type Delivery, wrapEvent } from './delivery.ts';
import type { Directory } from './directory.ts';
import type { Installations } from './installations.ts';
import type { AppManifest } from './manifest.ts';
import type { SlackApp } from './model.ts';

/** How the app loses what it was granted, by the id of a workspace or an organisation. */
export interface Removal {
  /** Removes the app, as a person does, or the app itself. */
  uninstall(id: string): void;
  /** Ends the bot's token alone. */
  revoke(id: string): void;
  /** Adds a workspace to its organisation's installation, or takes it out. */
  setAccess(organisation: string, team: string, hasAccess: boolean): void;
}

/** Tells the app of what it lost by events, which nothing but the app itself has to authorize. */
export function createRemoval(options: {
  app: SlackApp;
  manifest: AppManifest;
  installations: Installations;
  delivery: Delivery;
  directories: () => Directory[];
  now: () => number;
}): Removal {
  const { app, manifest, installations, delivery, directories, now } = options;
  let removals = 0;

  function send(id: string, event: { type: string; [field: string]: unknown }): void {
    if (!manifest.hasEvent(event.type)) return;
    const enterprise_id = find(id)?.team.enterprise?.id;
    delivery.deliverEvent({ ...wrapEvent(event, app, now()), team_id: id, enterprise_id });
  }

  /** A workspace, or one of an organisation, which all have the same bot. */
  function find(id: string): Directory | undefined {
    return directories().find(({ team }) => team.id === id || team.enterprise?.id === id);
  }

  /** It names users, not tokens: docs.slack.dev/reference/events/tokens_revoked. */
  function tokensRevoked(id: string) {
    const bot = find(id)?.app.botUser;
    return { type: 'tokens_revoked', tokens: { oauth: [], bot: bot === undefined ? [] : [bot] } };
  }

  return {
    uninstall(id) {
      if (!installations.get(id)) return;
      installations.end(id, 'account_inactive');
      // In either order: docs.slack.dev/reference/events/app_uninstalled
      const events = [tokensRevoked(id), { type: 'app_uninstalled' }];
      for (const event of removals++ % 2 === 0 ? events : events.toReversed()) send(id, event);
    },
    revoke(id) {
      if (!installations.get(id)) return;
      installations.end(id, 'token_revoked');
      send(id, tokensRevoked(id));
    },
    setAccess(organisation, team, hasAccess) {
      const found = installations.get(organisation);
      if (!found || found.teams.includes(team) === hasAccess) return;
      const others = found.teams.filter((id) => id !== team);
      installations.setTeams(organisation, hasAccess ? [...others, team] : others);
      const type = hasAccess ? 'team_access_granted' : 'team_access_revoked';
      send(organisation, { type, team_ids: [team] });
    },
  };
}
