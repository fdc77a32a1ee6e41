import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DataSource } from '../../shared/api/data-source.ts';
import { ChatbotError } from '../conversation/errors.ts';
import { type AnswerOf, type CallOptions, parseAnswer, toRequest } from './call.ts';
import type { Transport, WholeAnswer } from './transport.ts';

/** A source that was added, or existed already. */
export interface AddedSource {
  source: DataSource;
  duplicate: boolean;
}

/** A file to become a source. It is read once and never held in memory as a whole. */
export interface SourceFile {
  name: string;
  /** Not read at all if no connection is made; otherwise read to the end, or closed. */
  content: AsyncIterable<Uint8Array>;
  /** Bytes, if known. */
  size?: number;
  contentType?: string;
  /** The link that citations of the source point to. */
  referenceSourceLink?: string;
}

/**
 * Streams a file to the service. Never retried, because its content can be read only once.
 * @throws {ChatbotError} also `invalid` when the content can't be read or is not `size` bytes long
 */
export async function uploadSource(
  transport: Transport,
  chatbotUuid: string,
  file: SourceFile,
  signal?: AbortSignal,
): Promise<AddedSource> {
  const { referenceSourceLink: link } = file;
  const fields: Record<string, string> = link === undefined ? {} : { reference_source_link: link };
  const request = toRequest('uploadDataSource', { params: { uuid: chatbotUuid }, signal });
  const upload = { ...request, ...toForm(fields, file) };
  return parseAdded('uploadDataSource', await transport.ask(upload, 'never', duplicateStatus));
}

/**
 * Streams a file to the service for one session. Never retried, because its content can be read only
 * once.
 * @throws {ChatbotError} as `uploadSource` does
 */
export async function uploadDocument(
  transport: Transport,
  file: SourceFile,
  signal?: AbortSignal,
): Promise<AnswerOf<'uploadSessionDocument'>> {
  const upload = { ...toRequest('uploadSessionDocument', { signal }), ...toForm({}, file) };
  return parseAnswer('uploadSessionDocument', (await transport.ask(upload, 'never')).text);
}

function toForm(fields: Record<string, string>, file: SourceFile) {
  const { headers, body } = createMultipart(fields, file);
  return { headers, body: Readable.from(body) };
}

/**
 * Adds a web page, or a question with its answer, as a source.
 * @throws {ChatbotError}
 */
export async function addSource<Name extends 'addUrlSource' | 'addQaSource'>(
  transport: Transport,
  name: Name,
  options: CallOptions<Name>,
): Promise<AddedSource> {
  const request = toRequest(name, options);
  return parseAdded(name, await transport.ask(request, 'unsent', duplicateStatus));
}

/** The status for a duplicate, whose body is the existing source: treated as success. */
const duplicateStatus = 409;

function parseAdded(name: AddingName, { text, failure }: WholeAnswer): AddedSource {
  try {
    return { source: parseAnswer(name, text), duplicate: failure !== undefined };
  } catch (error) {
    throw failure ?? error;
  }
}

type AddingName = 'uploadDataSource' | 'addUrlSource' | 'addQaSource';

const fallbackType = 'application/octet-stream';

/**
 * Multipart form data (RFC 7578, encoded as browsers do: HTML §4.10.21.8) with text fields and one
 * file named `file`. The file comes last, so that the receiver already has the fields.
 *
 * The body throws ChatbotError `invalid` if the content can't be read or is not `size` bytes long.
 */
export function createMultipart(fields: Record<string, string>, file: SourceFile) {
  const boundary = `causeway-${randomUUID()}`;
  const type = /^[\x20-\x7e]+$/.test(file.contentType ?? '') ? file.contentType : fallbackType;
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${texts.join('')}--${boundary}\r\n${disposition('file', file.name)}\r\nContent-Type: ${type}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);

  const headers: Record<string, string> = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
  };
  if (file.size !== undefined) {
    headers['content-length'] = String(head.length + file.size + tail.length);
  }
  return { headers, body: frame(head, readContent(file), tail) };
}

async function* frame(head: Uint8Array, content: AsyncIterable<Uint8Array>, tail: Uint8Array) {
  yield head;
  yield* content;
  yield tail;
}

async function* readContent({ name, content, size }: SourceFile) {
  let sent = 0;
  try {
    for await (const bytes of content) {
      sent += bytes.length;
      if (size !== undefined && sent > size) break;
      yield bytes;
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ChatbotError('invalid', `“${name}” cannot be read: ${reason}`, { cause });
  }
  if (size !== undefined && sent !== size) {
    const found = sent > size ? 'more' : `only ${sent}`;
    throw new ChatbotError('invalid', `“${name}” should have ${size} bytes and has ${found}`);
  }
}

function disposition(name: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${escapeName(filename)}"`;
  return `Content-Disposition: form-data; name="${escapeName(name)}"${file}`;
}

function escapeName(name: string): string {
  return name.replace(/["\r\n]/g, encodeURIComponent);
}
