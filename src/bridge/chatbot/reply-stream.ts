import { ChatbotError } from '../conversation/errors.ts';
import { readServerSentEvents } from '../../shared/primitives/server-sent-events.ts';
import { toRequest } from './call.ts';
import { leave } from './exchange.ts';
import type { StreamLimits, Transport } from './transport.ts';

const maxReplyBytes = 5 * 1024 * 1024;

export interface ReplyOptions extends StreamLimits {
  signal?: AbortSignal;
  /** The ids of session documents to use. */
  documents?: readonly string[];
  /** Sent as `Idempotency-Key`: the same key gives the same reply, from its start. */
  key?: string;
  /** Called before the first text if the service does not say that it has taken the key. */
  onKeyIgnored?(): Promise<void>;
}

/**
 * Sends a query when the first piece of the reply is requested, and yields the reply's text as it
 * arrives, in pieces that are not empty. A reply is either plain text, passed on unchanged whatever
 * it looks like, or an event stream. An event's data is text, or text as a JSON string; the event
 * `[DONE]` ends the reply.
 * @throws {ChatbotError} `protocol` for another content type, for a reply of more than 5 MB, and for
 * an event of more than 1 MB; and what the transport throws
 */
export async function* streamReply(
  transport: Pick<Transport, 'stream'>,
  session: string,
  query: string,
  { signal, key, onKeyIgnored, documents = [], ...limits }: ReplyOptions = {},
): AsyncIterableIterator<string, undefined> {
  const params = { uuid: session };
  const named = documents.length > 0 && { session_document_uuids: [...documents] };
  const body = { query, ...named };
  const { headers, ...request } = toRequest('streamMessage', { params, body, signal });
  const sent = { ...request, headers: { ...headers, ...(key && { 'idempotency-key': key }) } };
  const { header, body: reply } = await transport.stream(sent, limits);
  const type = header('content-type').replace(/;.*/s, '').trim().toLowerCase();
  const isEvents = type === 'text/event-stream';
  if (!isEvents && !isText(type)) {
    await leave(reply);
    throw new ChatbotError('protocol', `The reply is ${type}, not text: is the base URL right?`);
  }
  if (key !== undefined && header('idempotency-key') !== key) await onKeyIgnored?.();
  let bytes = 0;
  for await (const text of isEvents ? readEvents(reply) : readText(reply)) {
    bytes += Buffer.byteLength(text);
    if (bytes > maxReplyBytes) throw new ChatbotError('protocol', 'The reply is longer than 5 MB');
    if (text !== '') yield text;
  }
}

/**
 * Whether a reply of this content type is text, but not a web page. Services may send no type, a
 * malformed one, or the one for bytes.
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
