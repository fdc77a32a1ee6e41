import { z } from 'zod';

const id = z
  .string()
  .min(1)
  .nullish()
  .transform((value) => value ?? undefined);
const named = z.object({ id }).nullish().catch(undefined);

/** The fields of an event, a command or an interaction that say whose it is. */
const payload = z.object({
  type: id.catch(undefined),
  // Events: docs.slack.dev/apis/events-api#event-type-structure
  authorizations: z
    .array(
      z.object({ team_id: id, enterprise_id: id, is_enterprise_install: z.boolean().nullish() }),
    )
    .nullish()
    .catch(undefined),
  context_team_id: id.catch(undefined),
  context_enterprise_id: id.catch(undefined),
  team_id: id.catch(undefined),
  enterprise_id: id.catch(undefined),
  // Interactions: docs.slack.dev/reference/interaction-payloads
  view: z.object({ app_installed_team_id: id }).nullish().catch(undefined),
  message: z.object({ user: id }).nullish().catch(undefined),
  team: named,
  enterprise: named,
  user: z.object({ team_id: id }).nullish().catch(undefined),
});

/** Where something in Slack was meant for the app. */
export interface Origin {
  /** The workspace for which the app got it. */
  team?: string;
  /** The organisation of that workspace, if it is in one. */
  enterprise?: string;
  /** The user id of the bot whose message it is about, if it is about one. */
  bot?: string;
}

/**
 * Reads whose an event, a command or an interaction is. Of an event, its authorization tells: in a
 * shared channel, its `team_id` may be that of a workspace without the app. An organisation's
 * authorization names no workspace; then `context_team_id` does.
 */
export function readOrigin(body: object): Origin {
  const { data } = payload.safeParse(body);
  if (!data) return {};
  const { authorizations, context_team_id: context, team_id: sent, view, user } = data;
  const granted = authorizations?.[0];
  const ofTeam = granted?.is_enterprise_install ? undefined : granted?.team_id;
  const ofEvent = ofTeam ?? context ?? granted?.team_id ?? sent;
  const team = view?.app_installed_team_id ?? ofEvent ?? data.team?.id ?? user?.team_id;
  const enterprise =
    granted?.enterprise_id ??
    data.context_enterprise_id ??
    data.enterprise_id ??
    data.enterprise?.id;
  return { team, enterprise, bot: data.message?.user };
}
