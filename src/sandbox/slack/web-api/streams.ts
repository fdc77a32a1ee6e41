import { z } from 'zod';
import { maxMarkdownLength } from '../block-validation.ts';
import type { Directory } from '../directory.ts';
import type { AppManifest } from '../manifest.ts';
import type { Messages } from '../messages.ts';
import { parseMetadata } from '../metadata.ts';
import type { Sessions } from '../sessions.ts';
import { SlackError } from '../slack-error.ts';
import { type Streams, toBlocks } from '../streams.ts';
import type { Wire } from '../wire.ts';
import type { SlackChannel } from '../workspace.ts';
import { sessionStatus } from './agents.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { json, optional, required } from './arguments.ts';
import { reachOwnChannel, reachOwnMessage, reachThread } from './reach.ts';

/** What these methods work on. */
export interface StreamsOptions {
  directory: Directory;
  messages: Messages;
  sessions: Sessions;
  manifest: Pick<AppManifest, 'isAgent'>;
  streams: Streams;
  wire: Wire;
}

const chunk = z.strictObject({ type: z.literal('markdown_text'), text: z.string() });
const said = { markdown_text: optional, chunks: json };
const place = { channel: required, ts: required };

/** docs.slack.dev/reference/methods/chat.startStream, chat.appendStream and chat.stopStream. */
export function streamsMethods(options: StreamsOptions): Record<string, ApiMethod> {
  const { directory, manifest, messages, sessions, streams, wire } = options;
  const { app } = directory;

  function reachStream(channel: string, ts: string) {
    const refusal = 'message_not_owned_by_app';
    return reachOwnMessage({ directory, messages }, { channel, ts }, refusal);
  }

  return {
    'chat.startStream': apiMethod({
      limit: tiers.two,
      arguments: {
        channel: required,
        thread_ts: required,
        recipient_user_id: optional,
        recipient_team_id: optional,
        task_display_mode: z.enum(['timeline', 'plan']).optional(),
        ...said,
      },
      run({ channel: id, thread_ts, recipient_user_id, recipient_team_id, ...rest }) {
        const channel = reachOwnChannel(directory, id);
        assertRecipient(channel, { user: recipient_user_id, team: recipient_team_id });
        const root = reachThread(messages, channel.id, thread_ts);
        const text = parseText(rest);
        const blocks = toBlocks(text);
        const { ts } = messages.post({
          channel: channel.id,
          user: app.botUser,
          bot_id: app.botId,
          app_id: app.id,
          text,
          ...(blocks.length > 0 && { blocks }),
          thread_ts: root.ts,
          parent_user_id: root.user,
          streaming_state: 'in_progress',
        });
        if (manifest.isAgent()) sessions.set(channel.id, root.ts, 'processing');
        return { channel: channel.id, ts };
      },
    }),

    'chat.appendStream': apiMethod({
      limit: tiers.four,
      arguments: { ...place, ...said },
      run({ channel, ts, ...rest }) {
        const message = reachStream(channel, ts);
        const text = parseText(rest);
        if (!text) throw new SlackError('no_text');
        streams.append(message, text);
        return { channel, ts };
      },
    }),

    'chat.stopStream': apiMethod({
      limit: tiers.two,
      arguments: { ...place, ...said, blocks: json, metadata: json, session_status: sessionStatus },
      run({ channel, ts, blocks, metadata, session_status: status = 'active', ...rest }) {
        const message = reachStream(channel, ts);
        const markdown = parseText(rest);
        const end = { markdown, blocks, metadata: parseMetadata(metadata) };
        const ended = streams.finish(message, end);
        if (manifest.isAgent()) sessions.set(channel, message.thread_ts ?? ts, status);
        return { channel, ts, message: wire.message(ended, { without: ['metadata'] }) };
      },
    }),
  };
}

/** In a channel, only one person sees a message grow, and the app names them. */
function assertRecipient(
  { kind }: SlackChannel,
  { user, team }: { user: string | undefined; team: string | undefined },
): void {
  if (kind === 'im') return;
  if (!user) throw new SlackError('missing_recipient_user_id');
  if (!team) throw new SlackError('missing_recipient_team_id');
}

/**
 * The text of a call.
 * @throws {SlackError} `msg_too_long`, `invalid_arguments` or `invalid_chunks`
 */
function parseText(said: { markdown_text?: string; chunks?: unknown }): string {
  const { markdown_text: markdown = '', chunks } = said;
  if (markdown && chunks !== undefined) {
    throw new SlackError('invalid_arguments', ['[ERROR] markdown_text cannot be used with chunks']);
  }
  const { data } = z.array(chunk).safeParse(chunks ?? []);
  if (!data) {
    throw new SlackError('invalid_chunks', [
      '[ERROR] the sandbox takes chunks of the type markdown_text [json-pointer:/chunks]',
    ]);
  }
  const text = markdown + data.map((each) => each.text).join('');
  if (text.length > maxMarkdownLength) throw new SlackError('msg_too_long');
  return text;
}
