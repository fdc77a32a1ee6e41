import { ChatbotError } from '../conversation/errors.ts';
import { readServerSentEvents } from '../../shared/primitives/server-sent-events.ts';
import { type Answer, leave } from './exchange.ts';

const maxReplyBytes = 5 * 1024 * 1024;

/**
 * Opens a reply when its first piece is requested, and yields its text as it arrives, in pieces that
 * are not empty. It is plain text and handed on as it is, whatever it looks like, or an event stream:
 * an event's data is text as well, or text as a JSON string, and the event `[DONE]` ends it.
 * @throws {ChatbotError} `protocol` when the content type is of neither, when the reply is longer
 * than 5 MB, or an event of it longer than 1 MB; and what `open` and the body throw
 */
export async function* readReply(
  open: () => Promise<Pick<Answer, 'header' | 'body'>>,
): AsyncIterableIterator<string, undefined> {
  const { header, body } = await open();
  const type = header('content-type').replace(/;.*/s, '').trim().toLowerCase();
  const isEvents = type === 'text/event-stream';
  if (!isEvents && !isText(type)) {
    await leave(body);
    throw new ChatbotError('protocol', `The reply is ${type}, not text: is the base URL right?`);
  }
  let bytes = 0;
  for await (const text of isEvents ? readEvents(body) : readText(body)) {
    bytes += Buffer.byteLength(text);
    if (bytes > maxReplyBytes) throw new ChatbotError('protocol', 'The reply is longer than 5 MB');
    if (text !== '') yield text;
  }
}

/**
 * Whether a reply of this content type is text, though not a web page: services may name no type, a
 * malformed one, or just bytes.
 */
function isText(type: string): boolean {
  if (!type.includes('/') || type === 'application/octet-stream') return true;
  return type.startsWith('text/') && type !== 'text/html';
}

/** UTF-8, a byte order mark included, however its characters are cut. */
async function* readText(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

const tooLarge = () => new ChatbotError('protocol', 'An event of the reply is longer than 1 MB');

async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const data of readServerSentEvents(body, tooLarge)) {
    if (data === '[DONE]') return;
    yield toText(data);
  }
}

/** The text in an event's data: the built-in service sends a JSON string, which can hold any text. */
function toText(data: string): string {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'string' ? value : data;
  } catch {
    return data;
  }
}
