import { z } from 'zod';
import { ChatbotError } from '../conversation/chatbot-error.ts';
import { openLater } from '../primitives/open-later.ts';
import { readServerSentEvents } from '../primitives/server-sent-events.ts';
import { type Answer, leave } from './exchange.ts';
import { readPlainText } from './plain-text.ts';

const maxReplyBytes = 5 * 1024 * 1024;

const jsonLinesTypes = new Set(['application/x-ndjson', 'application/ndjson', 'application/jsonl']);

/** What is not a reply: a page of something in between, or an error that calls itself a success. */
const foreignTypes = new Set(['text/html', 'application/xhtml+xml', 'application/json']);

/**
 * Opens a reply when its first piece is requested, and yields its text as it arrives, in pieces that
 * are not empty. It is plain text and handed on as it is, whatever it looks like; only the content
 * type can say otherwise, for an event stream or JSON lines, whose frames are unwrapped.
 * @throws {ChatbotError} `protocol` when the content type is that of a web page or of JSON, when the reply is longer than 5 MB, or a line or event of a
 * framed one longer than 1 MB; and what `open` and the body throw
 */
export function readReply(
  open: () => Promise<Pick<Answer, 'header' | 'body'>>,
): AsyncIterableIterator<string, undefined> {
  return openLater(async () => readText(await open()));
}

async function readText({
  header,
  body,
}: Pick<Answer, 'header' | 'body'>): Promise<AsyncIterable<string>> {
  const type = header('content-type').replace(/;.*/s, '').trim().toLowerCase();
  if (foreignTypes.has(type)) {
    await leave(body);
    throw new ChatbotError('protocol', `The reply is ${type}, not text: is the base URL right?`);
  }
  const frames = unframe(body, type);
  if (frames) return readFramedText(frames);
  return readPlainText(body, { maxBytes: maxReplyBytes, tooLong });
}

const tooLong = () => new ChatbotError('protocol', 'The reply is longer than 5 MB');

async function* readFramedText(frames: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let bytes = 0;
  for await (const text of frames) {
    bytes += Buffer.byteLength(text);
    if (bytes > maxReplyBytes) throw tooLong();
    if (text !== '') yield text;
  }
}

/** The text in the frames of a reply; undefined if it has none. */
function unframe(body: AsyncIterable<Uint8Array>, type: string): AsyncIterable<string> | undefined {
  if (type === 'text/event-stream') {
    return readFrames(readServerSentEvents(body, tooLarge));
  }
  return jsonLinesTypes.has(type) ? readFrames(splitLines(decodeText(body))) : undefined;
}

const tooLarge = () => new ChatbotError('protocol', 'An event of the reply is longer than 1 MB');

/** UTF-8 as it arrives, without a byte order mark, in pieces that are not empty. */
async function* decodeText(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

async function* readFrames(frames: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const frame of frames) {
    if (frame === '[DONE]') return;
    yield parseFrame(frame);
  }
}

/** The text in a frame: of a JSON string, or of an object in one of the usual places. */
const FrameText = z.union([
  z.string(),
  z.object({ text: z.string() }).transform(({ text }) => text),
  z.object({ delta: z.string() }).transform(({ delta }) => delta),
  z.object({ content: z.string() }).transform(({ content }) => content),
  z.object({ response: z.string() }).transform(({ response }) => response),
  z
    .object({
      choices: z.tuple([z.object({ delta: z.object({ content: z.string() }) })], z.unknown()),
    })
    .transform(({ choices: [first] }) => first.delta.content),
  // A completion's frames without content tell a role, a usage or an end.
  z.object({ choices: z.array(z.unknown()) }).transform(() => ''),
]);

function parseFrame(frame: string): string {
  try {
    return FrameText.parse(JSON.parse(frame));
  } catch {
    return frame;
  }
}

/** Characters. */
const maxLineLength = 1024 * 1024;

/**
 * The lines of a text, ended by LF, CR or CRLF, wherever its pieces are cut; a last line without an
 * end counts too. A line is handed out as soon as its end is here: a CR at the end of a piece waits
 * for no LF.
 * @throws {ChatbotError} `protocol` when a line is longer than 1 MB
 */
async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let line = '';
  let afterReturn = false;
  for await (const piece of pieces) {
    const text = afterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    afterReturn = piece.endsWith('\r');

    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    line = limited(line + first);
    for (const next of others) {
      yield line;
      line = limited(next);
    }
  }
  if (line !== '') yield line;
}

function limited(line: string): string {
  if (line.length <= maxLineLength) return line;
  throw new ChatbotError('protocol', 'A line of the reply is longer than 1 MB');
}
