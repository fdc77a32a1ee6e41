import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { IngestionError } from './ingestion-error.ts';

/** Truncated data is decoded as far as possible, as browsers do. */
const asFarAsItGoes = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

const unpackersByEncoding: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(asFarAsItGoes)],
  ['x-gzip', () => createGunzip(asFarAsItGoes)],
  ['deflate', () => createInflate(asFarAsItGoes)],
  ['br', () => createBrotliDecompress()],
]);

const maxEncodings = 3;

/**
 * The decoded body of a response, in pieces. Destroying it drops the connection.
 * @throws {IngestionError} when it has an encoding that was not requested
 */
export function unpack({ headers, body }: Dispatcher.ResponseData): Readable {
  const encodings = [headers['content-encoding'] ?? []]
    .flat()
    .flatMap((names) => names.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  const unpackers = encodings.flatMap((name) => unpackersByEncoding.get(name) ?? []);
  if (encodings.length > maxEncodings || unpackers.length < encodings.length) {
    body.destroy();
    const params = { encodings: encodings.join(', ').slice(0, 100) };
    throw new IngestionError({ code: 'page_packed', params });
  }
  // An error reaches the reader of the last stream.
  return unpackers.reduceRight<Readable>(
    (packed, createUnpacker) => pipeline(packed, createUnpacker(), () => {}),
    body,
  );
}
