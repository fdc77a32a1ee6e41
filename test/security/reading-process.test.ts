import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startConfined } from '../../src/service/ingestion/confined-process.ts';
import { launchCauseway } from '../e2e/causeway-process.ts';
import type { Surroundings } from '../fixtures/hostile/parser.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';

const script = new URL('../fixtures/hostile/parser.ts', import.meta.url);

/** Node.js's errors for what is not permitted. */
const denied =
  /^(?:ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED|ENOTHING|no connection)$|disallowed for this context/;
/** `node:sqlite` is not available. */
const missing = /^ERR_UNKNOWN_BUILTIN_MODULE$|^Cannot (?:destructure|read)/;

test('a parser that a file has taken over can only compute', async () => {
  const folder = createTemporaryFolder();
  const [file, database] = [join(folder, 'file'), join(folder, 'service.sqlite')];
  writeFileSync(file, 'what only its owner may read');
  new DatabaseSync(database).exec('CREATE TABLE secrets (secret TEXT)');
  let connections = 0;
  const count = () => connections++;
  await using servers = new AsyncDisposableStack();
  const listen = async (...where: [number, string] | [string]) => {
    const server = servers.adopt(createServer(count), (each) => void each.close());
    server.listen(...(where as [number, string]));
    await once(server, 'listening');
    return server;
  };
  const server = await listen(0, '127.0.0.1');
  const socket = join(folder, 'socket');
  await listen(socket);

  const child = startConfined(script, 200);
  const { port } = server.address() as AddressInfo;
  child.send({ file, database, port, socket } satisfies Surroundings);
  const [outcomes] = (await once(child, 'message')) as [Record<string, string>];
  const wanted = Object.fromEntries(
    Object.keys(outcomes).map((name) => [
      name,
      expect.stringMatching(name.includes('the database') ? missing : denied),
    ]),
  );
  expect(outcomes).toEqual(wanted);
  expect(Object.keys(outcomes).length).toBeGreaterThan(25);
  expect(connections).toBe(0);
});

test('a signal, which a parser that a file has taken over can send, opens no debugger', async ({
  signal,
}) => {
  const env = { DATA_DIR: createTemporaryFolder() };
  await using causeway = launchCauseway(env, signal, { args: ['serve'] });
  await causeway.printed(/The chatbot service is running at/);
  process.kill(causeway.pid, 'SIGUSR1');
  expect(await causeway.stop('SIGTERM')).toBe(0);
  expect(causeway.output()).not.toContain('Debugger');
});
