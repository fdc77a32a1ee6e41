import type { Changes } from '../changes.ts';
import type { Attachments } from './attachments.ts';
import type { DiscordChange } from './changes.ts';
import type { Documents } from './documents.ts';
import type { GatewayEvent } from './gateway/intents.ts';
import type { Rules } from './rules.ts';
import type { Typing } from './typing.ts';

/** What its owner chooses for the application in the developer portal. */
export interface ApplicationSettings {
  /** The switch Message Content Intent. */
  messageContent: boolean;
  /** The switch Public Bot: anyone may add it to a server. */
  isPublic: boolean;
  /** The switch Requires OAuth2 Code Grant. */
  needsCodeGrant: boolean;
  /** The Interactions Endpoint URL, which gets the interactions instead of the gateway. */
  interactionsUrl: string | null;
}

/** The shared state of the server. */
export interface DiscordState {
  documents: Documents;
  attachments: Attachments;
  typing: Typing;
  rules: Rules;
  changes: Changes<DiscordChange>;
  /** Sends an event to every gateway session with the required intent. */
  dispatch(event: GatewayEvent): void;
  /** Milliseconds since the epoch. */
  now: () => number;
  nextId: () => string;
  /** The server's id, which is also its @everyone role's. */
  guild: string;
  settings: ApplicationSettings;
  /** The bot: its application and its user. */
  self: { application: string; user: string };
}
