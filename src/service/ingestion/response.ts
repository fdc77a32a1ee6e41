import { createWriteStream } from 'node:fs';
import { pipeline as pipe, type Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import { privateMode } from '../../shared/primitives/private-files.ts';
import { IngestionError } from './document.ts';

/** A page's response. */
export type Response = Dispatcher.ResponseData;

export function isOk({ statusCode }: Response): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** A header's value, the first if there are several; '' if there is none. */
export function readHeader({ headers }: Response, name: string): string {
  return [headers[name]].flat()[0] ?? '';
}

/**
 * Writes the decoded body to a file and returns its size in bytes. They are counted decoded, so that
 * a compression bomb is stopped as early as any other page.
 * @throws {IngestionError} when it is empty or larger than `maxBytes`
 */
export async function writeBody(
  response: Response,
  path: string,
  maxBytes: number,
): Promise<number> {
  const tooLong = new IngestionError({ code: 'page_too_long', params: { max: maxBytes } });
  if (Number(readHeader(response, 'content-length')) > maxBytes) throw tooLong;
  let bytes = 0;
  async function* count(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLong;
      yield piece;
    }
  }
  await pipeline(
    unpack(response),
    count,
    createWriteStream(path, { mode: privateMode, flush: true }),
  );
  if (bytes === 0) throw new IngestionError('page_empty');
  return bytes;
}

/** The beginning of the decoded body, as UTF-8. */
export async function readStart(response: Response, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readUpTo(unpack(response), maxBytes));
}

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
function unpack({ headers, body }: Response): Readable {
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
    (packed, createUnpacker) => pipe(packed, createUnpacker(), () => {}),
    body,
  );
}
