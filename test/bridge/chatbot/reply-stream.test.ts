import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../../src/bridge/chatbot/chatbot-client.ts';
import { startServer, type TestServer } from './start-server.ts';

let server: TestServer;
let client: ChatbotClient;
/** Writes the answer to a query. */
let reply: (response: ServerResponse, query: string) => void;

beforeEach(async () => {
  server = await startServer(({ body }, response) =>
    reply(response, (JSON.parse(body) as { query: string }).query),
  );
  client = createChatbotClient({ baseUrl: server.url, apiKey: 'key' });
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const ask = (query = 'Hi?') => Array.fromAsync(client.streamReply('n1', query));

/**
 * Each piece is its own HTTP chunk, and so arrives on its own: everything written in the same turn of
 * the event loop becomes one chunk.
 */
function sends(pieces: (string | Uint8Array)[], type?: string) {
  return (response: ServerResponse) => {
    response.writeHead(200, type === undefined ? {} : { 'content-type': type });
    const write = ([piece, ...rest]: typeof pieces): void => {
      if (piece === undefined) response.end();
      else response.write(piece, () => write(rest));
    };
    write(pieces);
  };
}

/** The reply of `bytes`, split in two at every place, and byte by byte. */
async function askAtEveryCut(text: string, type: string): Promise<Set<string>> {
  const bytes = Buffer.from(text);
  const seen = new Set<string>();
  for (let cut = 1; cut < bytes.length; cut++) {
    reply = sends([bytes.subarray(0, cut), bytes.subarray(cut)], type);
    const deltas = await ask();
    expect(deltas).not.toContain('');
    seen.add(deltas.join(''));
  }
  reply = sends(
    Array.from(bytes, (byte) => Uint8Array.of(byte)),
    type,
  );
  seen.add((await ask()).join(''));
  return seen;
}

test('a reply is requested as the interface specifies', async () => {
  reply = sends(['Hi.']);
  expect(await ask('Grüße, "Welt"')).toEqual(['Hi.']);
  const [request] = server.seen;
  expect(request?.method).toBe('POST');
  expect(request?.url).toBe('/api/v1/session/n1/message/stream');
  expect(request?.headers['content-type']).toBe('application/json');
  expect(request?.headers.authorization).toBe('Bearer key');
  expect(Buffer.from(request?.body ?? '', 'latin1').toString()).toBe(
    JSON.stringify({ query: 'Grüße, "Welt"' }),
  );
});

test('nothing is sent before the first delta is requested', async () => {
  reply = sends(['Hi.']);
  const deltas = client.streamReply('n1', 'Hi?');
  await deltas.return?.();
  await ask();
  expect(server.seen).toHaveLength(1);
});

describe('plain text', () => {
  const text =
    '\uFEFFÄ 日本 👩‍👩‍👧 \uFEFF\r\n\r\n\n  2024 true null "x" {"text":"x"}\ndata: x\n\n: y\n[DONE]\n\t ';

  test('is the same wherever it is split', async () => {
    expect(await askAtEveryCut(text, 'text/plain; charset=utf-8')).toEqual(new Set([text]));
  });

  test.each([undefined, 'application/octet-stream', 'x'])('can be sent as %s', async (type) => {
    const pieces = ['2024', 'true', ' ', '\r\n', '{"text":"x"}', 'data: x\n\n', '"q"', '[DONE]'];
    reply = sends(pieces, type);
    expect(await ask()).toEqual(pieces);
  });

  test.each([
    'text/html; charset=utf-8',
    'application/xhtml+xml',
    'application/json',
    'application/x-ndjson',
    'application/jsonl; charset=utf-8',
    'image/png',
  ])('is never %s', async (type) => {
    reply = sends(['<html>Sign in</html>'], type);
    await expect(ask()).rejects.toMatchObject({
      kind: 'protocol',
      message: `The reply is ${type.split(';', 1)[0]}, not text: is the base URL right?`,
    });
  });

  test('has replacement characters for bytes that are not UTF-8, at the end too', async () => {
    reply = sends([Uint8Array.of(0x61, 0xff, 0x62), Uint8Array.of(0xe6, 0x97)]);
    expect((await ask()).join('')).toBe('a\uFFFDb\uFFFD');
  });

  test('may be empty', async () => {
    reply = sends([]);
    expect(await ask()).toEqual([]);
  });

  test('holds at most 5 MB', async () => {
    const most = 5 * 1024 * 1024;
    reply = sends(['é'.repeat(most / 2)]);
    expect(Buffer.byteLength((await ask()).join(''))).toBe(most);
    reply = sends(['é'.repeat(most / 2), 'x']);
    await expect(ask()).rejects.toMatchObject({ kind: 'protocol' });
  });
});

describe('an event stream', () => {
  const type = 'text/event-stream; charset=utf-8';
  const read = async (...pieces: string[]) => {
    reply = sends(pieces, type);
    return await ask();
  };

  test.each(['\n', '\r', '\r\n'])(
    'is the same wherever it is split, with lines ending in %j',
    async (end) => {
      const lines = [
        ': hello',
        'event: message',
        'id: 1',
        'data: Ä 日本 ',
        '',
        '',
        'data:👩‍👩‍👧',
        'data',
        'data:  two',
        '',
        'data: "x\\r\\n"',
        'retry: 3',
        '',
        'dataset: no',
        '',
        'data: [DONE]',
        '',
        'data: late',
        '',
        '',
      ];
      const expected = 'Ä 日本 👩‍👩‍👧\n\n twox\r\n';
      expect(await askAtEveryCut(`\uFEFF${lines.join(end)}`, type)).toEqual(new Set([expected]));
    },
  );

  test.each([
    ['plain', 'plain'],
    ['2024', '2024'],
    ['true', 'true'],
    ['null', 'null'],
    ['[1]', '[1]'],
    ['{"a":1}', '{"a":1}'],
    ['{"text":"x"}', '{"text":"x"}'],
    ['{', '{'],
    ['"a \\"string\\""', 'a "string"'],
  ])('%s gives %j', async (data, text) => {
    expect(await read(`data: ${data}\n\n`)).toEqual([text]);
  });

  test('yields nothing for an empty string', async () => {
    expect(await read('data: ""\n\n')).toEqual([]);
  });

  test('yields an event as soon as it is complete, before the LF of its CRLF', async () => {
    reply = (response) => {
      response.writeHead(200, { 'content-type': type });
      response.write('data: x\r\n\r');
    };
    const deltas = client.streamReply('n1', 'Hi?');
    expect(await deltas.next()).toEqual({ done: false, value: 'x' });
    await deltas.return?.();
  });

  test('may end with an event without its blank line', async () => {
    expect(await read('data: x\n\ndata: y')).toEqual(['x', 'y']);
  });

  test('has lines and events of at most 1 MB', async () => {
    const most = 1024 * 1024;
    const half = 'x'.repeat(most / 2);
    expect(await read('data: ', half, '\n\n')).toEqual([half]);
    await expect(read('data: ', half, half, '\n\n')).rejects.toMatchObject({ kind: 'protocol' });
    const event = read('data: ', half, '\ndata: ', half, '\n\n');
    await expect(event).rejects.toMatchObject({ kind: 'protocol' });
  });

  test('may have any number of comments', async () => {
    const comment = `: ${'x'.repeat(1024 * 1024 - 2)}\n`;
    const comments = Array.from({ length: 6 }, () => comment);
    expect(await read(...comments, 'data: x\n\n')).toEqual(['x']);
  });
});

describe('a compressed reply', () => {
  const text = 'Grüße aus der Küche, '.repeat(50);

  const sendsEncoded = (bytes: Uint8Array, encoding: string) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding });
    response.end(bytes);
  };

  test.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
  ])('is decoded from %s', async (encoding, bytes) => {
    reply = sendsEncoded(bytes, encoding);
    expect((await ask()).join('')).toBe(text);
  });

  test('is yielded as it arrives, and interrupted after everything that arrived', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    reply = (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.pipe(response);
      gzip.write('The first words.');
      begun.resolve(response);
    };
    const deltas = client.streamReply('n1', 'Hi?');
    expect(await deltas.next()).toEqual({ done: false, value: 'The first words.' });
    (await begun.promise).destroy();
    await expect(deltas.next()).rejects.toMatchObject({ kind: 'interrupted' });
  });

  test('ends upstream as soon as its reader leaves', async () => {
    const ended = Promise.withResolvers<void>();
    reply = (response) => {
      response.on('close', () => ended.resolve());
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.pipe(response);
      gzip.write('The first words.');
    };
    for await (const delta of client.streamReply('n1', 'Hi?')) {
      expect(delta).toBe('The first words.');
      break;
    }
    await ended.promise;
  });

  test.each([
    ['gzip', 'The answer does not have the encoding that it names'],
    ['morse', 'The answer has an unknown encoding, morse'],
  ])('is refused if it is not valid %s', async (encoding, message) => {
    reply = sendsEncoded(Buffer.from(text), encoding);
    await expect(ask()).rejects.toMatchObject({ kind: 'protocol', message });
  });
});

test.each([
  ['the same key', { 'idempotency-key': 'turn-1' }, []],
  ['another one', { 'idempotency-key': 'turn-2' }, ['ignored']],
  ['none', {}, ['ignored']],
])('a response that names %s says whether the key was taken', async (_, headers, told) => {
  reply = (response) => response.writeHead(200, headers).end('Hi.');
  const seen: string[] = [];
  const onKeyIgnored = async () => void seen.push('ignored');
  const options = { key: 'turn-1', onKeyIgnored };
  expect(await Array.fromAsync(client.streamReply('n1', 'Hi?', options))).toEqual(['Hi.']);
  expect(seen).toEqual(told);
  expect(server.seen[0]?.headers['idempotency-key']).toBe('turn-1');
});
