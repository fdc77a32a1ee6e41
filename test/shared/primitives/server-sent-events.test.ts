import { expect, test } from 'vitest';
import { readServerSentEvents } from '../../../src/shared/primitives/server-sent-events.ts';

const stream = [
  ': a comment\n\n',
  'event: delta\r\ndata: {"text":"Größe 😀"}\r\n\r\n',
  'data:one\rdata: two\r\r',
  'id: 7\ndata\n\n',
  'dataless: no\n\n',
  'data: last',
].join('');

const events = ['{"text":"Größe 😀"}', 'one\ntwo', '', 'last'];

test('the events are the same wherever the stream is split', async () => {
  const bytes = new TextEncoder().encode(stream);
  for (let first = 0; first <= bytes.length; first++) {
    const parts = [
      bytes.subarray(0, first),
      bytes.subarray(first, first + 1),
      bytes.subarray(first + 1),
    ];
    expect(await read(parts)).toEqual(events);
  }
});

test('a stream can arrive byte by byte', async () => {
  const bytes = [...new TextEncoder().encode(stream)].map((byte) => Uint8Array.of(byte));
  expect(await read(bytes)).toEqual(events);
});

test('an endless event is an error', async () => {
  const endless = (async function* () {
    for (;;) yield Buffer.alloc(100_000, 'x');
  })();
  await expect(Array.fromAsync(readServerSentEvents(endless, tooLarge))).rejects.toThrow(
    'too large',
  );
});

const tooLarge = () => new Error('too large');

function read(parts: Uint8Array[]) {
  return Array.fromAsync(readServerSentEvents(toAsync(parts), tooLarge));
}

async function* toAsync(parts: Uint8Array[]) {
  yield* parts;
}
