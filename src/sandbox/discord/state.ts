import type { Changes } from '../changes.ts';
import type { Attachments } from './attachments.ts';
import type { DiscordChange } from './changes.ts';
import type { Documents } from './documents.ts';
import type { GatewayEvent } from './gateway/intents.ts';
import type { Typing } from './typing.ts';

/** The shared state of the server. */
export interface DiscordState {
  documents: Documents;
  attachments: Attachments;
  typing: Typing;
  changes: Changes<DiscordChange>;
  /** Sends an event to every gateway session with the required intent. */
  dispatch(event: GatewayEvent): void;
  /** Milliseconds since the epoch. */
  now: () => number;
  nextId: () => string;
  /** The server's id, which is also its @everyone role's. */
  guild: string;
  /** The bot: its application and its user. */
  self: { application: string; user: string };
}
