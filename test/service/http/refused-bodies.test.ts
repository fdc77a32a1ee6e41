import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annasKey } from '../fixture.ts';
import { serve, writeHead } from '../serve.ts';

/** More than what is allowed, so that each refusal comes before the body's end. */
const large = 'word '.repeat(400_000);

let served: Awaited<ReturnType<typeof serve>>;
let upload: string;
beforeAll(async () => {
  served = await serve({ maxUploadBytes: 100_000 });
  upload = `/api/v1/chatbot/${await served.service.createChatbot()}/data-source/upload`;
});
afterAll(() => served[Symbol.asyncDispose]());

interface Sent {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

function json(body: string, path = '/api/v1/chatbot/create'): Sent {
  return { path, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
}

function form(...parts: string[]): Sent {
  const texts = parts.map((part) => `--x\r\nContent-Disposition: form-data; ${part}\r\n`);
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  return { path: upload, headers, body: Buffer.from(`${texts.join('')}--x--\r\n`) };
}

const file = (content: string, name = 'a.txt') =>
  `name="file"; filename="${name}"\r\n\r\n${content}`;

function withHeaders(sent: Sent, headers: Record<string, string>): Sent {
  return { ...sent, headers: { ...sent.headers, ...headers } };
}

const unknownKey = { authorization: 'Bearer unknown' };

/** What is refused with which status. */
const refusals: [name: string, status: number, make: () => Sent][] = [
  ['a file that is too large', 413, () => form(file(large))],
  ['a file of an unsupported type', 413, () => form(file(large, 'a.exe'))],
  ['a file before a second one', 400, () => form(file('first'), file(large))],
  ['a field that is too large', 413, () => form(`name="a"\r\n\r\n${large}`)],
  ['a part whose head does not end', 413, () => form(`name="${large}"`)],
  [
    'a form with another boundary',
    413,
    () => withHeaders(form(file(large)), { 'content-type': 'multipart/form-data; boundary=y' }),
  ],
  [
    'a form without a boundary',
    400,
    () => withHeaders(form(file(large)), { 'content-type': 'multipart/form-data' }),
  ],
  [
    'an upload that is no form',
    415,
    () => withHeaders(form(file(large)), { 'content-type': 'application/json' }),
  ],
  [
    'an upload to an unknown chatbot',
    404,
    () => ({ ...form(file(large)), path: '/api/v1/chatbot/none/data-source/upload' }),
  ],
  ['an upload with an unknown key', 401, () => withHeaders(form(file(large)), unknownKey)],
  ['JSON that is too large', 413, () => json(`{"name":"${large}"}`)],
  ['JSON on an unknown path', 404, () => json(`"${large}"`, '/api/v1/unknown')],
  ['JSON with another method', 405, () => json(`"${large}"`, '/api/v1/user')],
  ['JSON with an unknown key', 401, () => withHeaders(json(`"${large}"`), unknownKey)],
];

/** Each packs to about as much, so that most of it is left at the refusal. */
const packers: Record<string, (body: Buffer) => Buffer> = {
  gzip: (body) => gzipSync(body, { level: 0 }),
  br: (body) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 0 };
    return Buffer.concat([brotliCompressSync(body, { params }), Buffer.alloc(body.length)]);
  },
};

function pack(sent: Sent, coding: string): Sent {
  const packed = { ...sent, body: packers[coding]?.(sent.body) ?? sent.body };
  return coding === 'none' ? packed : withHeaders(packed, { 'content-encoding': coding });
}

/** Sends all before it reads anything, as simple clients do. */
function send(socket: Socket, { path, headers, body }: Sent, framing = 'chunks'): void {
  const isChunked = framing === 'chunks';
  const length: Record<string, string> = isChunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(body.length) };
  writeHead(socket, path, { ...headers, ...length });
  if (isChunked) socket.write(`${body.length.toString(16)}\r\n`);
  socket.write(body);
  if (isChunked) socket.write('\r\n0\r\n\r\n');
}

/** Reads one answer, which has a length. */
async function readAnswer(socket: Socket): Promise<string> {
  let answer = '';
  for (;;) {
    const [head = '', body] = answer.split('\r\n\r\n', 2);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    if (body !== undefined && Buffer.byteLength(body) >= length) return answer;
    const part = socket.read() as Buffer | null;
    if (part === null) await once(socket, 'readable');
    else answer += part.toString();
  }
}

async function expectNextAnswered(socket: Socket): Promise<void> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await readAnswer(socket)).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
}

// Deflate is unpacked as gzip is.
describe.each(['none', 'gzip', 'br'])('after a refusal, packed: %s', (coding) => {
  test.each(refusals)('of %s, the connection answers on', async (_, status, make) => {
    const socket = served.connect();
    send(socket, pack(make(), coding));
    expect(await readAnswer(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await expectNextAnswered(socket);
  });
});

test.each(refusals)(
  'after a refusal of %s by its length, the connection answers on',
  async (_, _status, make) => {
    const socket = served.connect();
    send(socket, pack(make(), 'gzip'), 'length');
    expect(await readAnswer(socket)).toMatch(/^HTTP\/1\.1 4\d\d /);
    await expectNextAnswered(socket);
  },
);

describe.each(['length', 'chunks'])('what can not be unpacked, sent with %s', (framing) => {
  test.each([
    ['by its coding', 415, 'zstd', large],
    ['because it is not packed', 400, 'gzip', large],
    ['because it breaks off', 400, 'deflate', deflateSync(large, { level: 0 }).subarray(0, 100)],
    ['because it turns into something else', 413, 'gzip', gzipSync(large, { level: 0 })],
  ])('is refused %s, and the connection answers on', async (_, status, coding, body) => {
    for (const sent of [json(''), form()]) {
      const packed = Buffer.concat([Buffer.from(body), Buffer.from(large)]);
      const socket = served.connect();
      const { headers } = withHeaders(sent, { 'content-encoding': coding });
      send(socket, { ...sent, headers, body: packed }, framing);
      const answer = await readAnswer(socket);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 (?:${status}|413) `));
      await expectNextAnswered(socket);
    }
  });
});

test.each(['none', 'gzip', 'br'])(
  'undici goes on with its only connection, packed: %s',
  async (coding) => {
    const client = new Client(served.origin, { pipelining: 1 });
    const authorization = `Bearer ${annasKey}`;
    for (const [, status, make] of refusals) {
      const { path, headers, body } = pack(make(), coding);
      const refused = await client.request({
        path,
        method: 'POST',
        headers: { authorization, ...headers },
        body: Readable.from([body]),
      });
      expect(refused.statusCode).toBe(status);
      expect(await refused.body.json()).toHaveProperty('error');
      const next = await client.request({ path: '/healthz', method: 'GET' });
      expect(next.statusCode).toBe(200);
      await next.body.dump();
    }
    await client.close();
  },
);

test('a client that closes its connection sees why it was refused', async () => {
  const socket = served.connect();
  // More than the buffers of a connection hold, or it would see it however the rest is treated.
  const larger = large.repeat(3);
  send(socket, withHeaders(pack(form(file(larger)), 'gzip'), { connection: 'close' }));
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
});

test('a client over the request limit is refused on the same connection', async () => {
  await using limited = await serve({ requestLimit: { requests: 1, seconds: 60 } });
  const socket = limited.connect();
  const created = json('{"name":"A"}');
  send(socket, created);
  expect(await readAnswer(socket)).toMatch(/^HTTP\/1\.1 200 /);
  send(socket, json(large));
  expect(await readAnswer(socket)).toMatch(/^HTTP\/1\.1 429 /);
  await expectNextAnswered(socket);
});

test('the connection of a refused body that does not go on is closed after the answer', async () => {
  await using impatient = await serve({}, { restMs: 30 });
  const chatbot = await impatient.service.createChatbot();
  const uploaded = { ...form(), path: `/api/v1/chatbot/${chatbot}/data-source/upload` };
  for (const { path, headers } of [uploaded, withHeaders(json(''), unknownKey)]) {
    const socket = impatient.connect();
    const coded = { ...headers, 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' };
    writeHead(socket, path, coded);
    socket.write('5\r\nwords\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 40[01] /);
    expect(answer).toMatch(/^connection: close\r$/im);
  }
});

test('a refused body that is too long to be dropped is cut off', async () => {
  const socket = served.connect();
  writeHead(socket, upload, { ...form().headers, 'content-length': 2 ** 40 });
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toMatch(/^connection: close\r$/im);
});

// oxlint-disable-next-line vitest/expect-expect -- The connection is closed, or the test times out.
test('a refused body that never ends is cut off', async () => {
  const socket = served.connect();
  writeHead(socket, '/api/v1/unknown', { 'transfer-encoding': 'chunked' });
  const chunk = `${large.length.toString(16)}\r\n${large}\r\n`;
  const sendOn = () => {
    while (socket.writable && socket.write(chunk));
  };
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('drain', sendOn).on('error', () => {});
  sendOn();
  await closed;
});
