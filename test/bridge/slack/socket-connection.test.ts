import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { createBoltLogger } from '../../../src/bridge/slack/clients.ts';
import { createSocketConnection } from '../../../src/bridge/slack/socket-connection.ts';
import { startProxy } from '../../fixtures/proxy.ts';
import { useProxy } from '../../fixtures/use-proxy.ts';
import { createInbox } from '../../fixtures/inbox.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';

/** What Slack does at its end of a socket, for the test to decide. It may be at another address. */
async function serveSocket(url?: string) {
  const sockets = createInbox<WebSocket>();
  const server = createServer((_, response) => {
    const { port } = server.address() as AddressInfo;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, url: url ?? `ws://127.0.0.1:${port}/` }));
  });
  const wss = new WebSocketServer({ server });
  wss.on('connection', (socket) => sockets.put(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nextSocket: sockets.next,
    async [Symbol.asyncDispose]() {
      for (const client of wss.clients) client.terminate();
      wss.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function connect(apiUrl: string) {
  const log = createMemoryLog();
  const logger = createBoltLogger(log);
  const connection = createSocketConnection({ appToken: 'xapp-1', apiUrl, logger, log });
  const heard = createInbox<string>();
  const app = new App({
    receiver: { init() {}, async start() {}, async stop() {} },
    logger,
    convoStore: false,
    authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U0' }),
  });
  app.event('message', async ({ event }) => heard.put(event.ts));
  return { connection, open: () => connection.open(app), log, heard };
}

function envelope(payload: object): string {
  return JSON.stringify({ type: 'events_api', envelope_id: 'E1', payload });
}

const message = envelope({
  type: 'event_callback',
  team_id: 'T1',
  event: { type: 'message', channel: 'C1', user: 'U1', text: 'hi', ts: '1.0' },
});

test('a notice without an event is logged, and later events arrive', async () => {
  await using slack = await serveSocket();
  const { connection, open, log, heard } = connect(slack.apiUrl);
  const opened = open();
  const socket = await slack.nextSocket();
  socket.send(JSON.stringify({ type: 'hello' }));
  await opened;
  socket.send(envelope({ type: 'app_rate_limited', minute_rate_limited: 1 }));
  socket.send('not JSON');
  socket.send(message);
  expect(await heard.next()).toBe('1.0');
  const warnings = log.lines.filter(({ level }) => level === 'warn');
  expect(warnings.map((line) => line.message)).toContain(
    'Slack sent a message that Socket Mode could not read',
  );
  await connection.close();
});

test('a connection that is one too many says so', async () => {
  await using slack = await serveSocket();
  const { connection, open } = connect(slack.apiUrl);
  const opened = open();
  const socket = await slack.nextSocket();
  socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
  await expect(opened).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('ten sockets'),
  });
  await connection.close();
});

test('a server that does not answer the close frame does not delay closing', async () => {
  await using slack = await serveSocket();
  const { connection, open } = connect(slack.apiUrl);
  const opened = open();
  const socket = await slack.nextSocket();
  socket.send(JSON.stringify({ type: 'hello' }));
  await opened;
  socket.pause();
  await connection.close();
  expect(socket.readyState).toBe(socket.OPEN);
});

test('a proxy that leads to Slack, but not to its sockets, is named', async () => {
  await using server = await serveSocket('wss://sockets.test/');
  await using proxy = await startProxy({ connect: 403 });
  useProxy(proxy.url);
  const { connection, open } = connect(server.apiUrl);
  await expect(open()).rejects.toMatchObject({
    kind: 'failed',
    cause: { message: `The proxy at ${proxy.url} does not connect to sockets.test:443 (403)` },
  });
  await connection.close();
});

test('a tunnel ends with its socket, also where Slack does not answer the close frame', async () => {
  await using server = await serveSocket('ws://sockets.test/');
  await using proxy = await startProxy({ hosts: { 'sockets.test': server.origin } });
  useProxy(proxy.url);
  const { connection, open } = connect(server.apiUrl);
  const opening = open();
  const socket = await server.nextSocket();
  socket.pause();
  socket.send(JSON.stringify({ type: 'hello' }));
  await opening;
  expect(proxy.tunnels).toBe(1);
  await connection.close();
  await expect.poll(() => proxy.tunnels).toBe(0);
});
