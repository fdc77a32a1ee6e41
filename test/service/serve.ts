import { connect, type Socket } from 'node:net';
import { startServer } from '../../src/app/server.ts';
import { annasKey, startTestService } from './fixture.ts';

type Options = Parameters<typeof startTestService>[0];
type Patience = Parameters<typeof startServer>[0]['patience'];

/** The service on a server, with its timeouts. */
export async function serve(options: Options = {}, patience: Patience = {}) {
  const service = await startTestService(options);
  const routes = { service: service.service, listeners: new Map() };
  const server = await startServer({ host: '127.0.0.1', port: 0, patience }, routes);
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    stopped ??= (async () => service[Symbol.asyncDispose]())();
    await stopped;
  };
  return {
    service,
    stop,
    origin: server.origin,
    connect: () => connect(Number(new URL(server.origin).port), '127.0.0.1'),
    async [Symbol.asyncDispose]() {
      await stop();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Sends the head of a POST with Anna’s key. */
export function writeHead(
  socket: Socket,
  path: string,
  headers: Record<string, string | number>,
): void {
  const lines = Object.entries({
    host: 'localhost',
    authorization: `Bearer ${annasKey}`,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
}
