import type { EphemeralMessage, SlackMessage } from './message.ts';
import type { SessionStatus } from './session.ts';
import type { SlackView } from './view.ts';
import type { SlackChannel } from './workspace.ts';

/** The changes in the workspace, as the page and tests see them. */
export type SlackChange =
  | MessageChange
  | RemovedChange
  | { kind: 'ephemeral'; channel: string; user: string; message: EphemeralMessage }
  | { kind: 'ephemeral-removed'; channel: string; user: string; ts: string }
  | { kind: 'modal'; user: string; views: SlackView[] }
  | { kind: 'status'; channel: string; thread: string; status: string }
  | { kind: 'session'; channel: string; thread: string; status: SessionStatus }
  /** A channel was opened, or its members changed. */
  | { kind: 'channel'; channel: SlackChannel }
  | { kind: 'connections'; count: number }
  /** All messages and files are gone. */
  | { kind: 'emptied' };

/** A message was posted or changed. */
export interface MessageChange {
  kind: 'message';
  /** `replied`: a message became a thread's root, or its count of replies changed. */
  event: 'posted' | 'edited' | 'replied';
  channel: string;
  /** The ts of the thread's first message. */
  thread?: string;
  message: SlackMessage;
  /** The message before the edit. */
  previous?: SlackMessage;
}

/** A message was deleted. */
export interface RemovedChange {
  kind: 'removed';
  channel: string;
  /** The ts of the thread's first message. */
  thread?: string;
  message: SlackMessage;
  /** What remains of a message with replies, to keep its thread. */
  stub?: SlackMessage;
}
