import type { Directory } from './directory.ts';
import type { Triggers } from './triggers.ts';

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
  team: { id: string; domain: string };
  is_enterprise_install: boolean;
  user: { id: string; username?: string; name?: string; team_id: string };
  trigger_id: string;
}

interface InteractionPayloadsOptions {
  directory: Directory;
  triggers: Triggers;
}

/** docs.slack.dev/reference/interaction-payloads. */
export function createInteractionPayloads(
  options: InteractionPayloadsOptions,
): InteractionPayloads {
  const { directory, triggers } = options;
  const { app, team } = directory;
  return {
    common(user) {
      const name = directory.user(user)?.name;
      return {
        token: app.verificationToken,
        api_app_id: app.id,
        team: { id: team.id, domain: team.domain },
        is_enterprise_install: false,
        user: { id: user, username: name, name, team_id: team.id },
        trigger_id: triggers.create(user),
      };
    },
    channel(id) {
      const { kind, name = '' } = directory.channel(id) ?? {};
      return { id, name: kind === 'group' ? 'privategroup' : name || 'directmessage' };
    },
  };
}
