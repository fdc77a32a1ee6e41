import type { Delivery } from './delivery.ts';
import type { Directory } from './directory.ts';
import { newId } from './identifiers.ts';
import type { AppManifest } from './manifest.ts';
import type { SlackChannel } from './workspace.ts';

/** Sends an event to the app, in the envelope that all events share. */
export type SendEvent = (event: object) => void;

/** docs.slack.dev/apis/events-api, "Event type structure". */
export function createEventSender(options: {
  delivery: Delivery;
  directory: Directory;
  manifest: Pick<AppManifest, 'hasEvent'>;
  now: () => number;
}): SendEvent {
  const { delivery, directory, manifest, now } = options;
  const { app, team } = directory;
  return (event) => {
    if (!manifest.hasEvent(subscriptionOf(event))) return;
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

const messageEvents = {
  channel: 'message.channels',
  group: 'message.groups',
  mpim: 'message.mpim',
  im: 'message.im',
};

/** The name by which apps subscribe to an event: docs.slack.dev/reference/events. */
function subscriptionOf(event: object): string {
  const { type, channel_type: kind } = event as {
    type: string;
    channel_type: SlackChannel['kind'];
  };
  return type === 'message' ? messageEvents[kind] : type;
}
