import type { Delivery } from './delivery.ts';
import type { Directory } from './directory.ts';
import { newId } from './identifiers.ts';

/** Sends an event to the app, in the envelope that all events share. */
export type SendEvent = (event: object) => void;

/** docs.slack.dev/apis/events-api, "Event type structure". */
export function createEventSender(options: {
  delivery: Delivery;
  directory: Directory;
  now: () => number;
}): SendEvent {
  const { delivery, directory, now } = options;
  const { app, team } = directory;
  return (event) => {
    const authorization = { team_id: team.id, user_id: app.botUser };
    delivery.deliverEvent({
      token: app.verificationToken,
      team_id: team.id,
      context_team_id: team.id,
      api_app_id: app.id,
      event,
      type: 'event_callback',
      event_id: newId('Ev'),
      event_time: Math.floor(now() / 1000),
      authorizations: [{ ...authorization, is_bot: true, is_enterprise_install: false }],
      is_ext_shared_channel: false,
      event_context: newId('EC'),
    });
  };
}
