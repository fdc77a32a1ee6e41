import { ChatbotError } from '../conversation/chatbot-error.ts';
import { openLater } from '../../shared/primitives/open-later.ts';
import { readServerSentEvents } from '../../shared/primitives/server-sent-events.ts';
import { type Answer, leave } from './exchange.ts';
import { readPlainText } from './plain-text.ts';

const maxReplyBytes = 5 * 1024 * 1024;

/**
 * Opens a reply when its first piece is requested, and yields its text as it arrives, in pieces that
 * are not empty. It is plain text and handed on as it is, whatever it looks like, or an event stream:
 * an event's data is text as well, or text as a JSON string, and the event `[DONE]` ends it.
 * @throws {ChatbotError} `protocol` when the content type is of neither, when the reply is longer
 * than 5 MB, or an event of it longer than 1 MB; and what `open` and the body throw
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
  if (type === 'text/event-stream') return readEvents(body);
  if (isText(type)) return readPlainText(body, { maxBytes: maxReplyBytes, tooLong });
  await leave(body);
  throw new ChatbotError('protocol', `The reply is ${type}, not text: is the base URL right?`);
}

/**
 * Whether a reply of this content type is text, though not a web page: services may name no type, a
 * malformed one, or just bytes.
 */
function isText(type: string): boolean {
  if (!type.includes('/') || type === 'application/octet-stream') return true;
  return type.startsWith('text/') && type !== 'text/html';
}

const tooLong = () => new ChatbotError('protocol', 'The reply is longer than 5 MB');
const tooLarge = () => new ChatbotError('protocol', 'An event of the reply is longer than 1 MB');

async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  let bytes = 0;
  for await (const data of readServerSentEvents(body, tooLarge)) {
    if (data === '[DONE]') return;
    const text = toText(data);
    bytes += Buffer.byteLength(text);
    if (bytes > maxReplyBytes) throw tooLong();
    if (text !== '') yield text;
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
