import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http-error.ts';
import { arriveWithin, readParts } from './timed-body.ts';
import { readUnpacked } from './unpack.ts';

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
 * @throws {HttpError} 400 when it is not JSON, 408 when it takes longer than `timeoutMs`, 413 when
 * it is larger than 1 MiB unpacked or has too many fields, 415 when another content type or an unknown coding is declared
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
    return await readLimited(readUnpacked(request, incoming), timeoutMs);
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

async function readLimited(body: AsyncIterable<Uint8Array>, timeoutMs: number) {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of readParts(body, timeoutMs)) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
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
