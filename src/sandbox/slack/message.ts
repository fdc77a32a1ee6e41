import type { Block } from './block.ts';
import type { SlackFile } from './files.ts';
import type { MessageMetadata } from './metadata.ts';

/** A message in Slack's format, plus what only the sandbox knows. */
export interface SlackMessage {
  type: 'message';
  channel: string;
  ts: string;
  user: string;
  text: string;
  subtype?: 'file_share' | 'thread_broadcast' | 'me_message' | 'channel_join' | 'tombstone';
  bot_id?: string;
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
