import { once } from 'node:events';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ChatbotError } from '../conversation/errors.ts';
import { leave } from './exchange.ts';

/** What has arrived before a connection breaks off is of use, so a missing end is no error here. */
const untilItBreaks = { finishFlush: constants.Z_SYNC_FLUSH };

const decoders: Record<string, () => ReturnType<typeof createGunzip>> = {
  gzip: () => createGunzip(untilItBreaks),
  'x-gzip': () => createGunzip(untilItBreaks),
  deflate: () => createInflate(untilItBreaks),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/**
 * The bytes of a response as they were before their Content-Encoding (RFC 9110 §8.4), as they
 * arrive. Nothing asks for compressed responses, but some proxies compress all the same.
 * @throws {ChatbotError} `protocol` where the encoding is unknown or wrong; and what `body` throws,
 * after everything that arrived
 */
export function decodeBody(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string,
): AsyncIterable<Uint8Array> {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return body;
  const createDecoder = decoders[encoding];
  return createDecoder ? decode(body, createDecoder()) : refuse(body, encoding);
}

async function* refuse(body: AsyncIterable<Uint8Array>, encoding: string) {
  yield* [];
  await leave(body);
  throw new ChatbotError('protocol', `The answer has an unknown encoding, ${encoding}`);
}

async function* decode(
  body: AsyncIterable<Uint8Array>,
  decoder: ReturnType<typeof createGunzip>,
): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  async function feed(): Promise<void> {
    try {
      for await (const bytes of body) {
        if (!decoder.write(bytes)) await once(decoder, 'drain');
      }
    } catch (error) {
      failure = error;
    }
    decoder.end();
  }
  void feed();
  try {
    for await (const bytes of decoder) yield bytes as Uint8Array;
  } catch (cause) {
    throw new ChatbotError('protocol', 'The answer is not encoded as it says', { cause });
  }
  if (failure) throw failure;
}
