import { createLru } from '../../shared/primitives/cache.ts';
import type { Directory } from './directory.ts';
import { type Installations, isOrganisation } from './installations.ts';
import { newDigits, newSecret } from './identifiers.ts';
import { SlackError } from './slack-error.ts';

/** The common parts of interaction payloads. */
export interface InteractionPayloads {
  /** The fields that every payload has, with a new trigger id. */
  common(user: string): CommonFields;
  /** A channel as `{ id, name }`. */
  channel(id: string): { id: string; name: string };
}

interface CommonFields {
  token: string;
  api_app_id: string;
  team: { id: string; domain: string; enterprise_id?: string; enterprise_name?: string };
  enterprise?: { id: string; name: string };
  is_enterprise_install: boolean;
  user: { id: string; username?: string; name?: string; team_id: string };
  trigger_id: string;
}

/** docs.slack.dev/reference/interaction-payloads. */
export function createInteractionPayloads(
  directory: Directory,
  installations: Installations,
  triggers: Triggers,
): InteractionPayloads {
  const { app, team } = directory;
  const { id, domain, enterprise } = team;
  return {
    common(user) {
      const { name, team: home = id } = directory.user(user) ?? {};
      const installation = installations.serving(id);
      return {
        token: app.verificationToken,
        api_app_id: app.id,
        team: {
          id,
          domain,
          ...(enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name }),
        },
        ...(enterprise && { enterprise: { id: enterprise.id, name: enterprise.name } }),
        is_enterprise_install: installation !== undefined && isOrganisation(installation),
        user: { id: user, username: name, name, team_id: home },
        trigger_id: triggers.create(user),
      };
    },
    channel(id) {
      const { kind, name = '' } = directory.channel(id) ?? {};
      return { id, name: kind === 'group' ? 'privategroup' : name || 'directmessage' };
    },
  };
}

/** Trigger ids: each lets the app open one modal for a user, within 3 seconds of their action. */
export interface Triggers {
  create(user: string): string;
  has(id: string): boolean;
  /**
   * Uses up a trigger and returns its user.
   * @throws {SlackError} `invalid_trigger_id`, `expired_trigger_id` or `exchanged_trigger_id`
   */
  exchange(id: string): string;
}

const lifetimeMs = 3_000;
const maxTriggers = 1_000;

/** Triggers are kept in memory, at most the last thousand. */
export function createTriggers(now: () => number): Triggers {
  const triggers = createLru<{ user: string; expires: number; exchanged: boolean }>(maxTriggers);
  return {
    create(user) {
      const id = `${newDigits(13)}.${newDigits(12)}.${newSecret(16)}`;
      triggers.set(id, { user, expires: now() + lifetimeMs, exchanged: false });
      return id;
    },
    has: (id) => triggers.has(id),
    exchange(id) {
      const trigger = triggers.get(id);
      if (!trigger) throw new SlackError('invalid_trigger_id');
      if (trigger.exchanged) throw new SlackError('exchanged_trigger_id');
      if (trigger.expires < now()) throw new SlackError('expired_trigger_id');
      trigger.exchanged = true;
      return trigger.user;
    },
  };
}
