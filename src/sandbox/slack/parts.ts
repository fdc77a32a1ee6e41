import type { AgentSessions } from './agent-sessions.ts';
import type { AppLink } from './app-link.ts';
import type { Delivery } from './delivery.ts';
import type { Directory } from './directory.ts';
import type { SendEvent } from './events.ts';
import type { Files, Uploads } from './files.ts';
import type { Timestamps } from './identifiers.ts';
import type { InteractionPayloads, Triggers } from './interaction-payloads.ts';
import type { AppManifest } from './manifest.ts';
import type { Ephemerals, Messages } from './message-store.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { SocketMode } from './socket-mode.ts';
import type { Streams } from './streams.ts';
import type { Tokens } from './tokens.ts';
import type { Views } from './views.ts';
import type { Wire } from './wire.ts';

/** The parts of the workspace: people's actions and the Web API work on the same ones. */
export interface Parts {
  directory: Directory;
  messages: Messages;
  ephemerals: Ephemerals;
  files: Files;
  uploads: Uploads;
  streams: Streams;
  views: Views;
  sessions: AgentSessions;
  timestamps: Timestamps;
  manifest: AppManifest;
  tokens: Tokens;
  wire: Wire;
  socketMode: SocketMode;
  link: AppLink;
  delivery: Delivery;
  sendEvent: SendEvent;
  triggers: Triggers;
  payloads: InteractionPayloads;
  responseUrls: ResponseUrls;
  /** The address of the sandbox's Slack, such as `http://127.0.0.1:3000/sandbox/slack`. */
  baseUrl: () => string;
}
