import type { Directory } from './directory.ts';
import type { Triggers } from './triggers.ts';

/** The common parts of interaction payloads. */
export interface InteractionPayloads {
  /** The fields that every payload has, with a new trigger id. */
  common(user: string): object;
  /** A channel as `{ id, name }`. */
  channel(id: string): { id: string; name: string };
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
        enterprise: null,
        is_enterprise_install: false,
        user: { id: user, username: name, name, team_id: team.id },
        trigger_id: triggers.create(user),
      };
    },
    channel: (id) => ({ id, name: directory.channel(id)?.name || 'directmessage' }),
  };
}
