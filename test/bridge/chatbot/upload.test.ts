import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../../src/bridge/chatbot/chatbot-client.ts';
import { source } from './fixtures.ts';
import { sendJson, startServer, type TestServer } from './start-server.ts';

let server: TestServer;
let client: ChatbotClient;

beforeEach(async () => {
  server = await startServer((_, response) => sendJson(response, source));
  client = createChatbotClient({ baseUrl: server.url, apiKey: 'key' });
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

/** The body of the latest upload and the boundary that its header names. */
function received() {
  const request = server.seen.at(-1);
  const [, boundary] =
    /^multipart\/form-data; boundary=([\w-]+)$/.exec(request?.headers['content-type'] ?? '') ?? [];
  return {
    request,
    boundary,
    body: Buffer.from(request?.body ?? '', 'latin1').toString(),
  };
}

test('a file and its link arrive byte for byte', async () => {
  const added = await client.uploadDataSource('c1', {
    name: 'handbook.md',
    content: pieces('# Ä', '', '\r\n--\r\n'),
    contentType: 'text/markdown; charset=utf-8',
    referenceSourceLink: 'https://example.com/ä?a=b&c',
  });
  expect(added).toEqual({ source: { ...source, file_size: 12 }, duplicate: false });
  const { request, boundary, body } = received();
  expect(request?.method).toBe('POST');
  expect(request?.url).toBe('/api/v1/chatbot/c1/data-source/upload');
  expect(request?.headers.authorization).toBe('Bearer key');
  expect(request?.headers['content-length']).toBeUndefined();
  expect(body).toBe(
    [
      `--${boundary}`,
      'Content-Disposition: form-data; name="reference_source_link"',
      '',
      'https://example.com/ä?a=b&c',
      `--${boundary}`,
      'Content-Disposition: form-data; name="file"; filename="handbook.md"',
      'Content-Type: text/markdown; charset=utf-8',
      '',
      '# Ä\r\n--\r\n',
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  );
});

test.each([
  ['a "quoted" name.txt', 'a %22quoted%22 name.txt'],
  ['a\r\nX-Injected: yes\r\n\r\nb.txt', 'a%0D%0AX-Injected: yes%0D%0A%0D%0Ab.txt'],
  ['Grüße 日本 👩‍👩‍👧.md', 'Grüße 日本 👩‍👩‍👧.md'],
  ["a\\b/c;d='e' 100%22.txt", "a\\b/c;d='e' 100%22.txt"],
  ['lone \uD800.txt', 'lone \uFFFD.txt'],
  ['', ''],
])('the file name %j arrives', async (name, written) => {
  await client.uploadDataSource('c1', { name, content: pieces('x') });
  const { boundary, body } = received();
  expect(body).toBe(
    [
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${written}"`,
      'Content-Type: application/octet-stream',
      '',
      'x',
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  );
});

test.each(['text/plain\r\nX-Injected: yes', 'text/plain\u2028', ''])(
  'the content type %j is replaced',
  async (contentType) => {
    await client.uploadDataSource('c1', { name: 'a', content: pieces('x'), contentType });
    expect(received().body).toContain('\r\nContent-Type: application/octet-stream\r\n\r\nx');
  },
);

test('each upload has its own boundary', async () => {
  await client.uploadDataSource('c1', { name: 'a', content: pieces('x') });
  const { boundary } = received();
  await client.uploadDataSource('c1', { name: 'a', content: pieces('x') });
  expect(received().boundary).not.toBe(boundary);
});

describe('a size', () => {
  test.each([0, 5])('of %i bytes gives the request its length', async (size) => {
    const content = pieces('x'.repeat(size));
    await client.uploadDataSource('c1', { name: 'Ä.txt', content, size });
    const { request } = received();
    expect(request?.headers['transfer-encoding']).toBeUndefined();
    expect(request?.headers['content-length']).toBe(String(request?.body.length));
  });

  test.each([
    [4, '“a.txt” should have 4 bytes and has more'],
    [6, '“a.txt” should have 6 bytes and has only 5'],
  ])('of %i for 5 bytes is an error', async (size, message) => {
    const uploading = client.uploadDataSource('c1', {
      name: 'a.txt',
      content: pieces('xx', 'xxx'),
      size,
    });
    await expect(uploading).rejects.toMatchObject({ kind: 'invalid', message });
    expect(server.seen).toEqual([]);
  });

  test.each([Number.NaN, -1, 1.5])('of %d is refused', async (size) => {
    const uploading = client.uploadDataSource('c1', { name: 'a.txt', content: pieces('x'), size });
    await expect(uploading).rejects.toMatchObject({ kind: 'invalid' });
    expect(server.seen).toEqual([]);
  });
});

test('content that can’t be read is not reported as a fault of the service', async () => {
  const uploading = client.uploadDataSource('c1', { name: 'a.txt', content: burning() });
  await expect(uploading).rejects.toMatchObject({
    kind: 'invalid',
    message: '“a.txt” cannot be read: disk on fire',
    cause: new Error('disk on fire'),
  });
  expect(server.seen).toEqual([]);
});

test('an early answer ends the upload', async () => {
  const early = createServer((_, response) => sendJson(response, { error: 'Too large' }, 413));
  early.listen(0, '127.0.0.1');
  await once(early, 'listening');
  const { port } = early.address() as AddressInfo;
  await using other = createChatbotClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' });
  const closed = Promise.withResolvers<undefined>();
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      closed.resolve(undefined);
    }
  }
  const uploading = other.uploadDataSource('c1', { name: 'a', content: endless() });
  await expect(uploading).rejects.toMatchObject({ kind: 'too_large', message: 'Too large' });
  await closed.promise;
  early.close();
});

test('40 MB are streamed without being held in memory', async () => {
  const script = new URL('measure-upload.ts', import.meta.url).pathname;
  const measure = promisify(execFile)(process.execPath, ['--expose-gc', script, '40']);
  const { received, growth } = JSON.parse((await measure).stdout) as Record<string, number>;
  expect(received).toBeGreaterThan(40 * 1024 * 1024);
  expect(growth).toBeLessThan(20 * 1024 * 1024);
});

async function* burning() {
  yield Buffer.from('x');
  throw new Error('disk on fire');
}
