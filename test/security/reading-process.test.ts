import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { startConfined } from '../../src/service/ingestion/confined-process.ts';
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

test.each(['start', 'serve'])('a signal opens no debugger in npm run %s', async (name) => {
  const command: string = packageJson.scripts[name as 'start' | 'serve'];
  const options = command.split(' ').filter((word) => word.startsWith('--'));
  // It sends itself the signal, as a parser that a file has taken over can, and waits for its thread.
  const code = `process.kill(process.pid, 'SIGUSR1'); setTimeout(() => {}, 200)`;
  const { stderr } = await promisify(execFile)(process.execPath, [...options, '-e', code]);
  expect(stderr).not.toContain('Debugger');
});
