import type { webApi } from '@slack/bolt';
import { isRefusal, PlatformError } from '../conversation/platform-error.ts';
import type { Log, MessageStream, SentMessage, ThreadAddress } from '../conversation/ports.ts';
import { refusesContent, slackErrorCode, toPlatformError } from './errors.ts';
import { renderBelow, renderKey } from './message.ts';
import { renderStream, streamStart } from './stream-text.ts';
import { endSession } from './agent-status.ts';
import type { FeedbackStyles } from './buttons.ts';

/** Slack's own streaming messages. */
export interface Streams {
  /** False once Slack has refused to let the app stream. */
  readonly available: boolean;
  /** @throws {PlatformError} */
  open(
    address: ThreadAddress,
    message: (id: string) => SentMessage,
    first: { markdown: string; key: string | undefined },
  ): Promise<MessageStream>;
  /**
   * Ends the stream of a message that another process opened, if it is one.
   * @throws {PlatformError}
   */
  end(address: ThreadAddress, id: string): Promise<void>;
  /**
   * Ends a stream that nobody will finish, and removes its message.
   * @throws {PlatformError}
   */
  discard(address: ThreadAddress, message: SentMessage): Promise<void>;
}

/** Errors that apply to the whole app, not to one thread or a passing state. */
const notForThisApp = new Set([
  'unknown_method',
  'method_deprecated',
  'deprecated_endpoint',
  'method_not_supported_for_channel_type',
  'channel_type_not_supported',
  'feature_not_enabled',
  'feature_disabled',
  'not_allowed',
  'not_authorized',
  'not_allowed_token_type',
  'not_agent_app',
  'access_denied',
  'no_permission',
  'missing_scope',
]);

const endedBefore = new Set(['message_not_in_streaming_state', 'stopped_by_user']);

/** Slack ends a stream about five minutes after its start, even if text still arrives. */
const lastsMs = 240_000;

/**
 * Tier 2 allows about 20 starts and 20 stops a minute, and the stops must not run out. Beyond this
 * limit, a reply starts as an ordinary message that is edited.
 */
const maxPerMinute = 15;

/**
 * Streams with chat.startStream, chat.appendStream and chat.stopStream
 * (docs.slack.dev/reference/methods/chat.startStream), only in direct messages: elsewhere only one
 * person sees the text grow. Once Slack refuses it for the app, it is never tried again.
 */
export function createStreams(options: {
  client: webApi.WebClient;
  feedback: FeedbackStyles;
  log: Log;
  /** Whether the app may stream: without an agent view, Slack shows no stop control for it. */
  enabled: () => boolean;
  /** Milliseconds. */
  now: () => number;
}): Streams {
  const { client, feedback, log, now } = options;
  let refusedBefore = false;
  /** When the streams of the last minute were opened. */
  let opened: number[] = [];

  const isAvailable = () => options.enabled() && !refusedBefore;

  async function start(channel: string, thread_ts: string, text: string): Promise<string> {
    if (!isAvailable()) throw refused();
    opened = opened.filter((time) => time > now() - 60_000);
    if (opened.length >= maxPerMinute) throw refused();
    opened.push(now());
    try {
      const markdown = text && { markdown_text: text };
      const { ts } = await client.chat.startStream({ channel, thread_ts, ...markdown });
      if (!ts) throw new Error('chat.startStream answered without ts');
      return ts;
    } catch (error) {
      if (!notForThisApp.has(slackErrorCode(error) ?? '')) throw toPlatformError(error);
      refusedBefore = true;
      log.info(
        { err: error },
        'Slack refused to stream messages of this app: they are edited instead',
      );
      throw refused(error);
    }
  }

  async function end({ channel, thread }: ThreadAddress, id: string): Promise<void> {
    await client.chat.stopStream({ channel, ts: id }).catch((error: unknown) => {
      if (!endedBefore.has(slackErrorCode(error) ?? '')) throw toPlatformError(error);
    });
    await endSession({ channel, thread }, { client, log });
  }

  return {
    get available() {
      return isAvailable();
    },
    end,
    async discard(address, message) {
      log.info({ ts: message.id, thread: address }, 'a stream whose start was lost is removed');
      try {
        await end(address, message.id);
        await message.remove();
      } catch (error) {
        if (!isRefusal(error, 'gone')) throw error;
      }
    },
    async open({ workspace, channel, thread }, message, { markdown, key }) {
      const first = renderStream(streamStart, markdown);
      const ts = await start(channel, thread, first.rendered);
      let text = first.next;
      return {
        message: message(ts),
        budgets: {
          // Tiers 4 and 2: 100 and 20 a minute per method, app and workspace.
          append: { key: `slack:${workspace}:append`, writes: 100, windowMs: 60_000 },
          finish: { key: `slack:${workspace}:finish`, writes: 20, windowMs: 60_000 },
        },
        lastsMs,
        async append(markdown) {
          const { rendered, next } = renderStream(text, markdown);
          if (rendered) {
            const append = { channel, ts, markdown_text: rendered };
            await orPlatformError(client.chat.appendStream(append));
          }
          text = next;
        },
        async finish(rest) {
          const { rendered } = renderStream(text, rest.markdown, { ended: true });
          const last = rendered && { markdown_text: rendered };
          const end = { channel, ts, ...last, ...renderKey(key) };
          const stop = feedback.write(
            (style) => ({ blocks: renderBelow(rest, style) }),
            ({ blocks }) =>
              orPlatformError(
                client.chat.stopStream({ ...end, ...(blocks.length > 0 && { blocks }) }),
              ),
          );
          await stop.catch(async (error: unknown) => {
            if (endedBefore.has(slackErrorCode(error) ?? '')) {
              await endSession({ channel, thread }, { client, log });
            }
            // Without text and blocks it ends all the same: the message is then edited.
            if (!refusesContent(error)) throw error;
            await orPlatformError(client.chat.stopStream({ channel, ts, ...renderKey(key) }));
            throw new PlatformError('uneditable', 'slack_stream_ended', { cause: error });
          });
        },
      };
    },
  };
}

async function orPlatformError(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    throw toPlatformError(error);
  }
}

function refused(cause?: unknown): PlatformError {
  return new PlatformError('refused', 'slack_stream_refused', { cause });
}
