import { join } from 'node:path';
import { fetch } from 'undici';
import { expect, test } from 'vitest';
import { startServer } from '../../src/app/server.ts';
import { startAlone } from '../../src/app/start-alone.ts';
import { silentLog } from '../fixtures/log.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';

/** Starts with the same data as `folder`'s other starts; `waits` resolves once it says so. */
function start(folder: string, port: number) {
  const stopping = new AbortController();
  const said: string[] = [];
  const waits = Promise.withResolvers<void>();
  const server = startAlone(
    { host: '127.0.0.1', port },
    { listeners: new Map() },
    {
      databases: [join(folder, 'store.sqlite')],
      log: silentLog,
      signal: stopping.signal,
      say(text) {
        said.push(text);
        waits.resolve();
      },
    },
  );
  return { server, said, waits: waits.promise, stop: () => stopping.abort() };
}

async function findPort(): Promise<number> {
  await using server = await startServer({ host: '127.0.0.1', port: 0 }, { listeners: new Map() });
  return Number(new URL(server.origin).port);
}

test('a second process says once that it waits, and starts when the first ends', async () => {
  const folder = createTemporaryFolder();
  const first = await start(folder, 0).server;
  const second = start(folder, Number(new URL(first.origin).port));
  await second.waits;
  await first[Symbol.asyncDispose]();
  await using server = await second.server;
  expect(server.origin).toBe(first.origin);
  expect(second.said).toEqual([
    `Another process uses ${folder}/store.sqlite. This one waits until it ends; Ctrl+C ends the wait.`,
  ]);
});

test('a waiting process answers health checks and answers everything else with 503', async () => {
  const folder = createTemporaryFolder();
  const first = await start(folder, 0).server;
  const port = await findPort();
  const second = start(folder, port);
  await second.waits;
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.text()];
  };
  const waiting = 'waiting for the end of another process with the same data\n';
  expect(await get('/healthz')).toEqual([200, 'ok\n']);
  expect(await get('/readyz')).toEqual([503, waiting]);
  expect(await get('/api/v1/chatbot/list')).toEqual([503, waiting]);
  await first[Symbol.asyncDispose]();
  await using server = await second.server;
  expect(server.origin).toBe(`http://127.0.0.1:${port}`);
  expect(await get('/readyz')).toEqual([200, 'ready\n']);
  expect(await get('/api/v1/chatbot/list')).toEqual([404, 'Not found.\n']);
});

test('a signal ends the wait and the server', async () => {
  const folder = createTemporaryFolder();
  await using first = await start(folder, 0).server;
  const port = await findPort();
  const second = start(folder, port);
  await second.waits;
  second.stop();
  await expect(second.server).rejects.toThrow('aborted');
  await using server = await startServer({ host: '127.0.0.1', port }, { listeners: new Map() });
  expect(server.origin).not.toBe(first.origin);
});

test('a port that another program uses is an error', async () => {
  await using other = await startServer({ host: '127.0.0.1', port: 0 }, { listeners: new Map() });
  const { server } = start(createTemporaryFolder(), Number(new URL(other.origin).port));
  await expect(server).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
