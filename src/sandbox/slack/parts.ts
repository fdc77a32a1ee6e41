import type { Changes } from '../changes.ts';
import type { Faults } from '../faults.ts';
import type { AgentSessions } from './agent-sessions.ts';
import type { AppLink } from './app-link.ts';
import type { Delivery, DeliveryChange } from './delivery.ts';
import type { Directory } from './directory.ts';
import type { Files, Uploads } from './files.ts';
import type { Timestamps } from './identifiers.ts';
import type { Installations } from './installations.ts';
import type { InteractionPayloads, Triggers } from './interaction-payloads.ts';
import type { AppManifest } from './manifest.ts';
import type { Ephemerals, Messages } from './message-store.ts';
import type { SlackApp, SlackChange, SlackClient, SlackSwitches } from './model.ts';
import type { OAuth } from './oauth.ts';
import type { Removal } from './removal.ts';
import type { ResponseLinks, ResponseUrls } from './response-urls.ts';
import type { SocketMode } from './socket-mode.ts';
import type { Streams } from './streams.ts';
import type { Tokens } from './tokens.ts';
import type { Views } from './views.ts';
import type { Wire } from './wire.ts';

/** Sends an event to the app, in the envelope that all events share. */
export type SendEvent = (event: object) => void;

/** The parts of the app, which all workspaces share. */
export interface AppParts {
  /** The app's secrets; its bot is another in each workspace. */
  app: SlackApp & SlackClient;
  manifest: AppManifest;
  installations: Installations;
  tokens: Tokens;
  oauth: OAuth;
  removal: Removal;
  timestamps: Timestamps;
  uploads: Uploads;
  responseLinks: ResponseLinks;
  socketMode: SocketMode;
  link: AppLink;
  delivery: Delivery;
  deliveries: Changes<DeliveryChange>;
  faults: Faults;
  switches: SlackSwitches;
  /** All workspaces, in the order in which they were added. */
  workspaces(): Parts[];
  /** The address of the sandbox's Slack, such as `http://127.0.0.1:3000/sandbox/slack`. */
  baseUrl: () => string;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** The parts of a workspace: people's actions and the Web API work on the same ones. */
export interface Parts extends AppParts {
  changes: Changes<SlackChange>;
  directory: Directory;
  messages: Messages;
  ephemerals: Ephemerals;
  files: Files;
  streams: Streams;
  views: Views;
  sessions: AgentSessions;
  wire: Wire;
  sendEvent: SendEvent;
  triggers: Triggers;
  payloads: InteractionPayloads;
  responseUrls: ResponseUrls;
}
