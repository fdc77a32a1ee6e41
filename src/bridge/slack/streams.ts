import type { webApi } from '@slack/bolt';
import { withoutTurns } from '../../shared/primitives/text.ts';
import { scanInline } from '../conversation/markdown/scan-inline.ts';
import { countMarkers, scanLines } from '../conversation/markdown/scan-lines.ts';
import { isRefusal, PlatformError } from '../conversation/errors.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { MessageStream, SentMessage } from '../conversation/thread.ts';
import type { ThreadAddress } from '../conversation/address.ts';
import { endSession } from './agent-status.ts';
import { isTooWide, mayBeTooWide } from './block-limits.ts';
import type { FeedbackStyles } from './buttons.ts';
import { orPlatformError, refusesContent, slackErrorCode, toPlatformError } from './errors.ts';
import { renderBelow, renderKey } from './message.ts';
import { renderEnd, renderSegment, type RenderStart } from './render.ts';

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

/** Errors that concern the whole app, not one thread or a temporary state. */
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
 * person sees the text grow. After Slack has refused it for the app, it is not tried again.
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
      if (!ts) throw new Error('chat.startStream returned no ts');
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
      log.info(
        { ts: message.id, thread: address },
        'a stream is removed because the response to its start was lost',
      );
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
            // Without text and blocks the stream ends as well. The message is then edited.
            if (!refusesContent(error)) throw error;
            await orPlatformError(client.chat.stopStream({ channel, ts, ...renderKey(key) }));
            throw new PlatformError('uneditable', 'slack_stream_ended', { cause: error });
          });
        },
      };
    },
  };
}

function refused(cause?: unknown): PlatformError {
  return new PlatformError('refused', 'slack_stream_refused', { cause });
}

/** The state of a stream's text. */
export interface StreamText extends RenderStart {
  /** Text that is held back because its rendering depends on what follows. */
  rest: string;
}

export const streamStart: StreamText = { rest: '' };

/**
 * Renders the text as far as later text can't change it. The parts joined equal the whole as
 * `renderMarkdown` renders it, nothing shows half-finished, and no cut lets a ping through.
 */
export function renderStream(
  text: StreamText,
  markdown: string,
  { ended = false } = {},
): { rendered: string; next: StreamText } {
  const source = text.rest + withoutTurns(markdown);
  const stable = ended ? source.length : stableLength(source, text);
  const end = ended ? renderEnd : () => '';
  if (stable === 0) return { rendered: end(text.line), next: { ...text, rest: source } };
  const { rendered, line } = renderSegment(source.slice(0, stable), text);
  const last = source.charAt(stable - 1);
  const before = last === '\n' ? undefined : last;
  return { rendered: rendered + end(line), next: { line, before, rest: source.slice(stable) } };
}

function stableLength(source: string, start: RenderStart): number {
  const lastLine = source.lastIndexOf('\n') + 1;
  const { line: above, unfinished } = renderSegment(source.slice(0, lastLine), start);
  if (unfinished !== undefined) return unfinished;
  if (isTooWide(above)) return lastLine;
  if (mayBeTooWide(above)) {
    const header = source.lastIndexOf('\n', lastLine - 2) + 1;
    return renderSegment(source.slice(0, header), start).unfinished ?? header;
  }
  const isHead = lastLine > 0 || start.before === undefined;
  const last = source.slice(lastLine);
  const line = isHead ? scanLines(last, above)[0] : start.line;
  const isCode = line?.fence !== undefined && line.kind !== 'fence-open';
  return lastLine + (isCode ? stableCode(last, isHead) : stableText(last, isHead));
}

/** Max characters to hold back while a construct is unclosed. */
const maxHeld = 500;

const maybeFence = /^[ \t]*(?:[-*+]|\d{1,9}[.)]?|[`~]+[ \t]*)?$/;

function stableCode(line: string, isHead: boolean): number {
  if (isHead && maybeFence.test(line.slice(countMarkers(line)))) return 0;
  const bracket = line.lastIndexOf('<');
  const open = bracket >= line.length - maxHeld && !line.includes('>', bracket);
  return open && bracket >= 0 ? bracket : line.length;
}

/** After a line's markers: no text yet, or what may open fenced code or a formula. */
const undecidedLine =
  /^[ \t]*(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|[$\\]|(?:`{3}|~{3}).*|\$\$(?!.*\$\$).*|\\\[(?!.*\\\]).*)?$/;

const lastWord = /(?<![\x21-\x7e])[\x21-\x7e]+$/;
const constructSign = /[`~$\\!<@*[\]]|https?:/i;
const begunScheme = /\bh(?:t(?:tps?|t)?)?$/i;
const begunLineBreak = /<br\s*\/?$/i;

function stableText(line: string, isHead: boolean): number {
  // The width of a table's header decides what becomes of the table.
  if (isHead && line.startsWith('|') && line.length < maxHeld) return 0;
  if (isHead && undecidedLine.test(line.slice(countMarkers(line)))) return 0;
  const oldest = Math.max(0, line.length - maxHeld);
  const { spans, open, dollar = line.length } = scanInline(line, { openFrom: oldest });
  const held = open
    .filter(({ kind, mark }) => kind !== 'emphasis' || mark.startsWith('**'))
    .map(({ start }) => start)
    .filter((start) => start >= oldest);
  const characters = line.slice(oldest).split('');
  // A construct at the end may still become part of another one.
  for (const { kind, start, end } of spans) {
    if (kind === 'escape' || (kind === 'emphasis' && !line.startsWith('**', start))) continue;
    if (end > oldest) characters.fill('~', Math.max(0, start - oldest), end - oldest);
  }
  const word = oldest + findUndecidedWord(characters.join(''));
  return Math.min(word, dollar, ...held);
}

/** Where a last word begins that is a URL, or contains characters of a possible construct. */
function findUndecidedWord(text: string): number {
  const word = lastWord.exec(text);
  const undecided = word && constructSign.test(word[0]) ? word : begunScheme.exec(text);
  const index = undecided?.index ?? text.length;
  return begunLineBreak.exec(text.slice(0, index))?.index ?? index;
}
