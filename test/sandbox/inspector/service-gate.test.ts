import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { createServiceGate } from '../../../src/sandbox/inspector/service-gate.ts';

/** A service behind the gate that answers each request with a stream. */
async function serve() {
  const gate = createServiceGate();
  const streams: ReadableStreamDefaultController<string>[] = [];
  const service = gate.guard({
    fetch() {
      const body = new ReadableStream<string>({ start: (opened) => void streams.push(opened) });
      return new Response(body.pipeThrough(new TextEncoderStream()));
    },
  });
  const listener = getRequestListener((request, connection) => service.fetch(request, connection), {
    overrideGlobalObjects: false,
    errorHandler: () => new Response(null),
  });
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/query`;
  async function ask() {
    const response = await fetch(url);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    return { read: async () => (await reader?.read())?.value, stream: streams.at(-1) };
  }
  return { gate, streams, url, ask };
}

test('a service that hangs stops in the middle of a reply, and continues there once it works', async () => {
  const { gate, url, ask } = await serve();
  const { read, stream } = await ask();
  stream?.enqueue('one');
  expect(await read()).toBe('one');
  gate.change('hangs');
  stream?.enqueue('two');
  stream?.close();
  const next = read();
  const elsewhere = fetch(new URL('/elsewhere', url)).then(() => 'elsewhere');
  expect(await Promise.race([next, elsewhere])).toBe('elsewhere');
  gate.change('works');
  expect(await next).toBe('two');
  expect(await read()).toBeUndefined();
});

test('a service that hangs gets its requests once it works', async () => {
  const { gate, streams, url } = await serve();
  gate.change('hangs');
  const asking = fetch(url);
  await fetch(new URL('/elsewhere', url));
  expect(streams.length).toBe(1);
  gate.change('works');
  expect((await asking).status).toBe(200);
  expect(streams.length).toBe(2);
});

test('a service that dies breaks off its replies and accepts no more requests', async () => {
  const { gate, streams, url, ask } = await serve();
  const { read, stream } = await ask();
  stream?.enqueue('one');
  expect(await read()).toBe('one');
  gate.change('dies');
  await expect(read()).rejects.toThrow('terminated');
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  expect(streams.length).toBe(1);
  gate.change('works');
  expect((await fetch(url)).status).toBe(200);
});
