import type { Changes } from '../changes.ts';
import type { Attachments } from './attachments.ts';
import type { DiscordChange } from './changes.ts';
import type { Documents } from './documents.ts';
import type { GatewayEvent } from './gateway/intents.ts';
import type { Typing } from './typing.ts';

/** What every part of the server works on. */
export interface DiscordState {
  documents: Documents;
  attachments: Attachments;
  typing: Typing;
  changes: Changes<DiscordChange>;
  /** Sends an event to every gateway session that asked for its kind. */
  dispatch(event: GatewayEvent): void;
  /** Milliseconds since the epoch. */
  now: () => number;
  nextId: () => string;
  /** The one server's id, which is its @everyone role's too. */
  guild: string;
  /** The bot: its application and its user. */
  self: { application: string; user: string };
}
