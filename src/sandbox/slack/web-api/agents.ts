import { z } from 'zod';
import { maxMarkdownLength } from '../block-validation.ts';
import { parseMetadata } from '../content.ts';
import { byApp, inThreadOf, type SlackChannel } from '../model.ts';
import type { Parts } from '../parts.ts';
import { SlackError } from '../slack-error.ts';
import { toBlocks } from '../streams.ts';
import { type ApiMethod, apiMethod, json, optional, required, tiers } from './api-method.ts';
import { reachOwnChannel, reachOwnMessage, reachThread } from './reach.ts';

const status = z.enum(['active', 'processing', 'suspended', 'closed']);
const loadingMessages = json.pipe(z.array(z.string().max(50)).min(1).max(10).optional());
const chunk = z.strictObject({ type: z.literal('markdown_text'), text: z.string() });
const said = { markdown_text: optional, chunks: json };
const place = { channel: required, ts: required };

/**
 * The methods for agents: agents.sessions.setStatus, assistant.threads.setStatus, and those that
 * stream a message. docs.slack.dev/reference/methods
 */
export function agentMethods(parts: Parts): Record<string, ApiMethod> {
  const { directory, manifest, messages, sessions, streams, wire } = parts;
  const { app } = directory;

  function reachStream(channel: string, ts: string) {
    return reachOwnMessage(parts, { channel, ts }, 'message_not_owned_by_app');
  }

  return {
    'agents.sessions.setStatus': apiMethod({
      limit: tiers.three,
      scope: 'chat:write',
      arguments: {
        channel_id: required,
        thread_ts: required,
        status,
        title: z.string().max(200).optional(),
        initiator_user_id: optional,
      },
      run({ channel_id, thread_ts, status, title, initiator_user_id: initiator }) {
        if (!manifest.isAgent()) throw new SlackError('not_authorized');
        const channel = reachOwnChannel(directory, channel_id);
        const root = reachThread(messages, channel.id, thread_ts);
        if (initiator && !channel.members.includes(initiator)) {
          throw new SlackError('user_not_in_channel');
        }
        const { title: kept } = sessions.set(channel.id, root.ts, status, title);
        return { status, agent_status: status, title: kept };
      },
    }),

    'assistant.threads.setStatus': apiMethod({
      limit: tiers.special,
      scope: 'chat:write',
      arguments: {
        channel_id: required,
        thread_ts: required,
        status: z.string(),
        loading_messages: loadingMessages,
      },
      run({ channel_id, thread_ts, status }) {
        const channel = reachOwnChannel(directory, channel_id);
        const root = reachThread(messages, channel.id, thread_ts);
        sessions.setStatus(channel.id, root.ts, status);
        return {};
      },
    }),

    'chat.startStream': apiMethod({
      limit: tiers.two,
      scope: 'chat:write',
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
          ...byApp(app),
          ...inThreadOf(root),
          text,
          blocks: blocks.length > 0 ? blocks : undefined,
          streaming_state: 'in_progress',
        });
        if (manifest.isAgent()) sessions.set(channel.id, root.ts, 'processing');
        return { channel: channel.id, ts };
      },
    }),

    'chat.appendStream': apiMethod({
      limit: tiers.four,
      scope: 'chat:write',
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
      scope: 'chat:write',
      arguments: {
        ...place,
        ...said,
        blocks: json,
        metadata: json,
        session_status: status.optional(),
      },
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
