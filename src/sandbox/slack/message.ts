import type { Block } from './block.ts';
import type { SlackFile } from './files.ts';

/** A message in Slack's own terms, with what the sandbox knows beyond them. */
export interface SlackMessage {
  type: 'message';
  channel: string;
  ts: string;
  user: string;
  text: string;
  subtype?: 'file_share' | 'thread_broadcast' | 'tombstone';
  bot_id?: string;
  app_id?: string;
  client_msg_id?: string;
  blocks?: Block[];
  files?: SlackFile[];
  metadata?: object;
  thread_ts?: string;
  parent_user_id?: string;
  reply_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  edited?: { user: string; ts: string };
  /** Previews of the addresses in it. */
  attachments?: object[];
  /** Whether it grows, or grew, by streaming. */
  streaming_state?: 'in_progress' | 'completed';
  /** A person stopped it growing. */
  interrupted?: boolean;
  /** How often the message was edited; `revisions` has what it showed. */
  edits: number;
}

/** A message only one person sees. */
export interface EphemeralMessage {
  ts: string;
  channel: string;
  /** Who sees it. */
  to: string;
  /** Who wrote it: the bot, or Slackbot. */
  user: string;
  text: string;
  blocks?: Block[];
  thread_ts?: string;
}
