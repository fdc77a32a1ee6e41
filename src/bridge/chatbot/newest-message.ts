import { z } from 'zod';
import { LooseText } from '../../shared/api/fields.ts';
import { Message } from '../../shared/api/session.ts';
import { ChatbotError } from '../conversation/errors.ts';
import { checkAnswer, parseJson, toRequest } from './call.ts';
import type { Transport } from './transport.ts';

const Listed = Message.extend({ created_at: LooseText, modified_at: LooseText });
const Dated = z.looseObject({ created_at: LooseText });

/**
 * The newest message of a session; undefined if it has none. Asks for one message. A service that
 * ignores the limit sends all of them, in any order: they are read as they arrive, and only one is
 * kept.
 * @throws {ChatbotError}
 */
export function readNewestMessage(
  transport: Transport,
  session: string,
  signal?: AbortSignal,
): Promise<z.output<typeof Listed> | undefined> {
  const query = { limit: '1', order: 'desc' } as const;
  const request = toRequest('listMessages', { params: { uuid: session }, query, signal });
  return transport.read(request, async (body) => {
    let newest: unknown;
    let newestMs = -Infinity;
    for await (const element of readElements(body)) {
      const message = parseJson('listMessages', element);
      const createdMs = Date.parse(checkAnswer('listMessages', Dated, message).created_at);
      // Of two messages with the same time, or without one, the later one in the list is newer.
      if (createdMs < newestMs) continue;
      newest = message;
      if (!Number.isNaN(createdMs)) newestMs = createdMs;
    }
    return newest === undefined ? undefined : checkAnswer('listMessages', Listed, newest);
  });
}

/** Bytes of one element. */
const maxElementSize = 32 * 1024 * 1024;

/** Arrays and objects within each other, the outer array included. */
const maxDepth = 100;

const [quote, backslash, comma] = Buffer.from('"\\,');
const [openArray, closeArray, openObject, closeObject] = Buffer.from('[]{}');
const spaces = new Set<number | undefined>(Buffer.from(' \t\r\n'));

/**
 * The JSON text of each element of an array, as the array arrives, however its bytes are split.
 * Keeps only one element at a time. Elements are split by brackets and quotes; the caller checks
 * whether each is valid JSON. Takes linear time, whatever the bytes are.
 * @throws {ChatbotError} `protocol` when the whole is not an array, an element is over 32 MB, or
 * it nests deeper than 100; and what `body` throws
 */
export async function* readElements(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const scanner = createScanner();
  for await (const bytes of body) yield* scanner.push(bytes);
  if (!scanner.hasEnded()) throw notAnArray();
}

function createScanner() {
  /** The start of an element that is still incomplete; only the first `size` bytes count. */
  let element = Buffer.alloc(0);
  let size = 0;
  let count = 0;
  /** Open brackets: 0 outside the array, 1 between its elements. */
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let hasEnded = false;

  function keep(bytes: Uint8Array): void {
    const needed = size + bytes.length;
    if (needed > maxElementSize) throw new ChatbotError('protocol', 'An element is over 32 MB');
    if (needed > element.length) element = Buffer.concat([element], 2 * needed);
    element.set(bytes, size);
    size = needed;
  }

  function take(rest: Uint8Array): string {
    keep(rest);
    const text = element.toString('utf8', 0, size);
    size = 0;
    count += 1;
    return text;
  }

  /** The elements that end in these bytes. */
  function push(bytes: Uint8Array): string[] {
    const elements: string[] = [];
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInText = false;
      } else if (depth === 0) {
        if (spaces.has(byte)) continue;
        if (hasEnded || byte !== openArray) throw notAnArray();
        depth = 1;
        start = at + 1;
      } else if (byte === quote) {
        isInText = true;
      } else if (byte === openArray || byte === openObject) {
        depth += 1;
        if (depth > maxDepth) throw new ChatbotError('protocol', 'An element nests too deeply');
      } else if (byte === closeArray || byte === closeObject) {
        depth -= 1;
        if (depth > 0) continue;
        if (byte !== closeArray) throw notAnArray();
        const last = take(bytes.subarray(start, at));
        // An empty array has no element.
        if (count > 1 || last.trim() !== '') elements.push(last);
        hasEnded = true;
      } else if (byte === comma && depth === 1) {
        elements.push(take(bytes.subarray(start, at)));
        start = at + 1;
      }
    }
    if (depth > 0) keep(bytes.subarray(start));
    return elements;
  }

  return { push, hasEnded: () => hasEnded };
}

function notAnArray(): ChatbotError {
  return new ChatbotError('protocol', 'The answer is not a JSON array');
}
