import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { callSlack, serveSandbox } from './serve-sandbox.ts';

/** The first line of the answer to a request with any Host header. */
async function statusLine(origin: string, path: string, host: string, more = ''): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString().split('\r\n')[0] ?? '';
}

test('requests are answered for loopback names alone', async () => {
  await using served = await serveSandbox();
  const path = '/sandbox/slack/api/auth.test';
  for (const host of ['127.0.0.1', 'localhost:3000', '[::1]:80', 'LOCALHOST']) {
    expect(await statusLine(served.origin, path, host)).toBe('HTTP/1.1 200 OK');
  }
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io:3000',
    '10.0.0.1',
  ]) {
    expect(await statusLine(served.origin, path, host)).toBe('HTTP/1.1 403 Forbidden');
  }
});

test('WebSockets open for loopback names alone', async () => {
  await using served = await serveSandbox();
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const { appToken } = served.sandbox.slack.credentials;
  const opened = await callSlack(served.sandbox, 'apps.connections.open', {}, appToken);
  const { url } = (await opened.json()) as { url: string };
  const path = url.replace(/^ws:\/\/[^/]+/, '');
  expect(await statusLine(served.origin, path, 'evil.example', upgrade)).toBe(
    'HTTP/1.1 403 Forbidden',
  );
  expect(await statusLine(served.origin, path, '127.0.0.1', upgrade)).toBe(
    'HTTP/1.1 101 Switching Protocols',
  );
});

test('a fault can cut a call’s connection', async () => {
  await using served = await serveSandbox();
  served.sandbox.slack.faults.inject({ method: 'auth.test', times: 1, drop: true });
  const call = () => callSlack(served.sandbox, 'auth.test', {});
  await expect(call()).rejects.toThrow('fetch failed');
  expect((await call()).status).toBe(200);
});
