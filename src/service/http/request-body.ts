import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import { within } from '../../shared/primitives/time.ts';
import { HttpError } from '../http-error.ts';

const maxBytes = 1024 * 1024;
/** Objects with more would take long to parse. */
const maxFields = 15_000;

/** How a body arrives. */
interface Arrival {
  timeoutMs: number;
  /** Node's request; absent if the request came over no socket. */
  incoming?: IncomingMessage;
}

/**
 * A request's JSON; undefined without a body, and for null.
 * @throws {HttpError} 400 when it is not JSON; 408 when it takes longer than `timeoutMs`; 413 when it
 *   is larger than 1 MiB unpacked or has too many fields; 415 when it declares another content type
 *   or an unknown content coding
 */
export async function readJsonBody(request: Request, arrival: Arrival): Promise<unknown> {
  const text = decode(await arriveWithin(arrival.timeoutMs, readBytes(request, arrival)));
  if (text.trim() === '') return undefined;
  const type = request.headers.get('content-type');
  if (type !== null && !/^(application\/([\w.+-]+\+)?json|text\/json)\b/i.test(type)) {
    throw new HttpError(415, 'body_not_json');
  }
  if (countFields(text, maxFields) > maxFields) {
    throw new HttpError(413, { code: 'body_overfilled', params: { fields: maxFields } });
  }
  try {
    return parseWellFormed(text) ?? undefined;
  } catch {
    throw new HttpError(400, 'body_malformed');
  }
}

/** A body with a known length that is not packed is read at once, without a web stream. */
async function readBytes(request: Request, { timeoutMs, incoming }: Arrival): Promise<Uint8Array> {
  const length = request.headers.get('content-length');
  if (Number(length) > maxBytes) throw tooLarge();
  try {
    const isPacked = request.headers.has('content-encoding');
    if (length !== null && !isPacked) return new Uint8Array(await request.arrayBuffer());
    const parts = readParts(readUnpacked(request, incoming), timeoutMs);
    return await readUpTo(parts, maxBytes, tooLarge);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, 'body_incomplete', { cause: error });
  }
}

/** Up to a little more than `max`; JSON that is quoted within a string counts too. */
function countFields(json: string, max: number): number {
  const name = /"[ \t\r\n]*:/g;
  let fields = 0;
  while (fields <= max && name.test(json)) fields += 1;
  return fields;
}

/** Only escapes can hold lone surrogates. U+FFFD is stored and shown instead of each. */
function parseWellFormed(text: string): unknown {
  if (!/\\ud[89a-f]/i.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError(400, 'body_not_utf8');
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, 'body_too_large');
}

/** @throws {HttpError} 408 when `read` takes longer than `ms` */
function arriveWithin<Result>(ms: number, read: Promise<Result>): Promise<Result> {
  const params = { seconds: ms / 1000 };
  return within(ms, read, () => new HttpError(408, { code: 'body_late', params }));
}

/**
 * The parts of a body as they arrive.
 * @throws {HttpError} 408 when the next part takes longer than `ms`
 */
export async function* readParts(
  body: AsyncIterable<Uint8Array>,
  ms: number,
): AsyncGenerator<Uint8Array, void> {
  const parts = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await arriveWithin(ms, parts.next());
      if (done) return;
      yield value;
    }
  } finally {
    // The server drops the rest, and nothing waits for that.
    parts.return?.().catch(() => {});
  }
}

/** By content coding (RFC 9110 §8.4.1). */
const unpackers = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const acceptedCodings = 'gzip, deflate, br';

/**
 * A request's body without its content coding. The reader must count the bytes, because there may be
 * far more of them than were sent. The server drops what is not read.
 * @param incoming Node's request, read instead of the request's body, which would be a copy
 * @throws {HttpError} 415 when the coding is unknown; 400, during reading, when the data is broken
 */
export function readUnpacked(
  request: Request,
  incoming: IncomingMessage | undefined,
): AsyncIterable<Uint8Array> {
  const coding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  // The response still needs the connection when reading stops early.
  const body = incoming?.iterator({ destroyOnReturn: false }) ?? request.body ?? nothing();
  if (coding === '' || coding === 'identity') return body;
  const create = unpackers.get(coding);
  if (create === undefined) {
    const problem = { code: 'body_coding_unknown', params: { accepted: acceptedCodings } } as const;
    throw new HttpError(415, problem, { headers: { 'accept-encoding': acceptedCodings } });
  }
  return unpack(body, create());
}

async function* nothing() {}

async function* unpack(body: AsyncIterable<Uint8Array>, unpacker: Transform) {
  // An error in either stream reaches the reader of the second. `Readable.from` would destroy the
  // first one when the second fails.
  pipeline(body, unpacker, () => {});
  try {
    for await (const part of unpacker) yield part as Uint8Array;
  } catch (error) {
    throw new HttpError(400, 'body_coding_broken', { cause: error });
  }
}
