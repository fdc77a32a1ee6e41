import type { Block } from './block.ts';
import type { MessageMetadata } from './content.ts';
import type { SlackFile } from './files.ts';

/** The workspace itself. */
export interface SlackTeam {
  id: string;
  name: string;
  domain: string;
  /** The organisation that the workspace belongs to. */
  enterprise?: SlackEnterprise;
}

/** An organisation with several workspaces (Enterprise Grid), which share the app's bot. */
export interface SlackEnterprise {
  id: string;
  name: string;
  botUser: string;
  botId: string;
}

/** A user of the workspace; the bot and Slackbot are users too. */
export interface SlackUser {
  id: string;
  name: string;
  realName: string;
  isBot: boolean;
  isAdmin: boolean;
  /** The id of another workspace that the person belongs to (Slack Connect). */
  team?: string;
  isGuest?: true;
  /** Whether they are of another workspace, and in no channel that the bot can see. */
  isStranger?: true;
  /** IANA name, such as `Europe/London`. */
  timezone: string;
  locale: string;
}

/** The user id of Slackbot. */
export const slackbotId = 'USLACKBOT';

/**
 * A channel, a private one (`group`), a group message (`mpim`), or a direct message: the names that
 * `channel_type` has in events.
 */
export interface SlackChannel {
  id: string;
  /** Without the #; empty for a direct message. */
  name: string;
  kind: 'channel' | 'group' | 'mpim' | 'im';
  members: string[];
  /** The ids of the workspaces that share the channel (Slack Connect), its own one first. */
  teams?: string[];
  /** Seconds since the epoch. */
  created: number;
}

/**
 * How methods call each kind of channel, and what its scopes begin with:
 * docs.slack.dev/reference/methods/conversations.list.
 */
export const channelKinds = {
  channel: { type: 'public_channel', scopes: 'channels' },
  group: { type: 'private_channel', scopes: 'groups' },
  mpim: { type: 'mpim', scopes: 'mpim' },
  im: { type: 'im', scopes: 'im' },
} as const;

/** People who can be mentioned together. */
export interface SlackUserGroup {
  id: string;
  /** The name to mention it by, without the @. */
  handle: string;
  /** The ids of its members. */
  users: string[];
}

/** The app: its bot user in the workspace, and the secrets it shares with Slack. */
export interface SlackApp {
  id: string;
  botId: string;
  botUser: string;
  /** The token with which the first workspace starts; the others install the app by OAuth. */
  botToken?: string;
  appToken: string;
  signingSecret: string;
  /** The token in every payload, which predates signatures. */
  verificationToken: string;
}

/** What says that the app wrote a message. */
export function byApp({ id, botId, botUser }: SlackApp) {
  return { user: botUser, bot_id: botId, app_id: id };
}

/** The credentials with which the app identifies itself in OAuth. */
export interface SlackClient {
  clientId: string;
  clientSecret: string;
}

/** A message in Slack's format, plus what only the sandbox knows. */
export interface SlackMessage {
  type: 'message';
  channel: string;
  ts: string;
  user: string;
  text: string;
  subtype?: 'file_share' | 'thread_broadcast' | 'me_message' | 'channel_join' | 'tombstone';
  bot_id?: string;
  /** The name of the bot that wrote it, if it is another app's. */
  bot_name?: string;
  app_id?: string;
  client_msg_id?: string;
  blocks?: Block[];
  files?: SlackFile[];
  metadata?: MessageMetadata;
  thread_ts?: string;
  parent_user_id?: string;
  reply_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  edited?: { user: string; ts: string };
  /** Link previews. */
  attachments?: object[];
  /** Whether it is, or was, written by streaming. */
  streaming_state?: 'in_progress' | 'completed';
  /** Whether a person stopped its stream. */
  interrupted?: boolean;
  /** Number of edits; `revisions` has the texts shown. */
  edits: number;
}

/** What makes a message a reply in the thread of another. */
export function inThreadOf({ ts, thread_ts = ts, user }: SlackMessage) {
  return { thread_ts, parent_user_id: user };
}

/** A message that only one person sees. */
export interface EphemeralMessage {
  ts: string;
  channel: string;
  /** The user who sees it. */
  to: string;
  /** Its author: the bot, or Slackbot. */
  user: string;
  text: string;
  blocks?: Block[];
  thread_ts?: string;
}

interface PlainText {
  type: 'plain_text';
  text: string;
}

/** A modal as the app defines it. */
export interface ViewDefinition {
  type: 'modal';
  title: PlainText;
  submit?: PlainText;
  close?: PlainText;
  blocks: Block[];
  private_metadata?: string;
  callback_id?: string;
  external_id?: string;
  clear_on_close?: boolean;
  notify_on_close?: boolean;
}

/** An open modal, as Slack sends it. */
export interface SlackView extends ViewDefinition {
  id: string;
  team_id: string;
  app_id: string;
  bot_id: string;
  hash: string;
  root_view_id: string;
  previous_view_id: string | null;
  state: { values: Record<string, Record<string, object>> };
}

/** The status of an agent in a thread; with `processing`, people see a button to stop it. */
export type SessionStatus = 'active' | 'processing' | 'suspended' | 'closed';

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
  /** A workspace was added, or the app was installed or removed in one. */
  | { kind: 'workspaces' }
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

/**
 * Where the address of a file leads: to its bytes, or by a redirect to another of Slack's hosts that
 * wants the token again (`origin`), to a presigned address that must not get it (`edge`), to a page to
 * sign in (`sign-in`), or to a host that isn't Slack's (`elsewhere`).
 */
export const fileHosts = ['direct', 'origin', 'edge', 'sign-in', 'elsewhere'] as const;
export type FileHost = (typeof fileHosts)[number];

/** How Slack behaves where real workspaces differ. */
export interface SlackSwitches {
  fileHost: FileHost;
  /**
   * Whether the app is one that is distributed commercially outside the Marketplace: it reads history
   * with one call a minute, and 15 messages a call.
   */
  limitsHistory?: boolean;
  /** How long a bot’s next token lives, in seconds; by default as the app’s manifest has it. */
  tokenLifetime?: number;
  /** A redirect URL of the app besides those of its manifest, and the one for apps that name none. */
  redirectUrl?: string;
  /** The app’s own page where people begin to install it. */
  installUrl?: string;
}
