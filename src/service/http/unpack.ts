import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HttpError } from '../http-error.ts';

/** By content coding (RFC 9110 §8.4.1). */
const unpackers = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const accepted = 'gzip, deflate, br';

/**
 * A request's body without its content coding. It may be far larger than what was sent: whoever reads
 * it counts the bytes. Whoever stops early leaves the rest to be dropped by the server.
 * @param incoming Node's request, read instead of the request's body, which would be a copy
 * @throws {HttpError} 415 when the coding is not known; 400, while it is read, when it is broken
 */
export function readUnpacked(
  request: Request,
  incoming: IncomingMessage | undefined,
): AsyncIterable<Uint8Array> {
  const coding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  // The connection is still needed for the response, whoever stops reading.
  const body = incoming?.iterator({ destroyOnReturn: false }) ?? request.body ?? nothing();
  if (coding === '' || coding === 'identity') return body;
  const create = unpackers.get(coding);
  if (create === undefined) {
    const problem = { code: 'body_coding_unknown', params: { accepted } } as const;
    throw new HttpError(415, problem, { headers: { 'accept-encoding': accepted } });
  }
  return unpack(body, create());
}

async function* nothing() {}

async function* unpack(body: AsyncIterable<Uint8Array>, unpacker: Transform) {
  // An error of either reaches the reader of the second. Not `Readable.from`: it destroys what it
  // reads when the second fails.
  pipeline(body, unpacker, () => {});
  try {
    for await (const part of unpacker) yield part as Uint8Array;
  } catch (error) {
    throw new HttpError(400, 'body_coding_broken', { cause: error });
  }
}
