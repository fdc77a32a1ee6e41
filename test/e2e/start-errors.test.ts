import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { launchCauseway, type LaunchedProcess } from './causeway-process.ts';

const { scripts } = packageJson;

/** What a process that can't start prints, once it has ended with exit code 1. */
async function failure(
  env: Record<string, string>,
  { signal, ...options }: { args?: string[]; cwd?: string; signal: AbortSignal },
): Promise<string> {
  const process = launchCauseway({ DATA_DIR: createTemporaryFolder(), ...env }, signal, options);
  return failureOf(process);
}

async function failureOf(process: LaunchedProcess): Promise<string> {
  await using causeway = process;
  expect(await causeway.ended).toBe(1);
  expect(causeway.output()).not.toMatch(/^ +at /m);
  return causeway.output();
}

describe('a process that can’t start', () => {
  const programs = mkdtempSync(join(tmpdir(), 'causeway-'));
  let hanging: LaunchedProcess;

  // It gives up after five seconds; the other tests run meanwhile.
  beforeAll(() => {
    // A program that never ends stands for a drive that does not answer.
    writeFileSync(join(programs, 'ls'), '#!/bin/sh\nexec /bin/sleep 600\n');
    chmodSync(join(programs, 'ls'), 0o755);
    hanging = launchCauseway({ DATA_DIR: programs, PATH: programs });
  });
  afterAll(async () => {
    await hanging[Symbol.asyncDispose]();
    rmSync(programs, { recursive: true, force: true });
  });

  it('lists everything that is wrong with its environment and .env', async ({ signal }) => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, '.env'), 'SLACK_BOT_TOKEN=nonsense\n');
    const env = {
      DATA_DIR: folder,
      PORT: 'x',
      LOG_LEVEL: 'loud',
      CHATBOT_API_URL: 'http://127.0.0.1:1/?v=1',
      CHATBOT_API_KEY: 'schlüssel',
      CHATBOT_UUID: 'bot',
      DISCORD_TOKEN: 'a-client-secret',
    };
    const output = await failure(env, { signal });
    expect(output).toMatch(/^- CHATBOT_API_URL has a query/m);
    expect(output).toMatch(/^- CHATBOT_API_KEY contains .* Copy it again\.$/m);
    expect(output).toMatch(/^- DISCORD_TOKEN is not a bot token/m);
    expect(output).toMatch(/^- SLACK_BOT_TOKEN does not/m);
    expect(output).toMatch(/^- PORT is "x".*\n- LOG_LEVEL is "loud"/m);
  });

  it('names DATA_DIR if that is a file', async ({ signal }) => {
    const file = join(createTemporaryFolder(), 'data');
    writeFileSync(file, '');
    expect(await failure({ DATA_DIR: file }, { cwd: dirname(file), signal })).toMatch(
      /^DATA_DIR names .*data, which cannot be opened: .* choose another place\.$/m,
    );
  });

  it.skipIf(process.platform !== 'linux')(
    'names DATA_DIR if nobody can create a folder there',
    async ({ signal }) => {
      const env = { DATA_DIR: '/proc/causeway' };
      expect(await failure(env, { cwd: createTemporaryFolder(), signal })).toMatch(
        /^DATA_DIR names \/proc\/causeway, which cannot be opened: ENOENT.* choose another place\.$/m,
      );
    },
  );

  it('says that the port is taken', async ({ signal }) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const output = await failure({}, { args: ['serve', '--port', String(port)], signal });
    server.close();
    expect(output).toBe(
      `Another process already listens at 127.0.0.1:${port}, perhaps another Causeway. Stop it, or set another PORT, as in npm start -- --port ${port + 1}.\n`,
    );
  });

  it('says that HOST is not an address of this machine', async ({ signal }) => {
    const args = ['serve', '--host', '192.0.2.1'];
    expect(await failure({}, { args, signal })).toMatch(
      /^HOST is 192\.0\.2\.1, which is not an address of this machine\./m,
    );
  });

  it('says that .env can’t be read', async ({ signal }) => {
    const folder = createTemporaryFolder();
    mkdirSync(join(folder, '.env'));
    expect(await failure({ DATA_DIR: folder }, { signal })).toMatch(/^- \.env can’t be read: /m);
  });

  it.for(['utf8', 'utf16le'] as const)(
    'reads a .env in %s with a byte order mark, as editors on Windows write it',
    async (encoding, { signal }) => {
      const folder = createTemporaryFolder();
      writeFileSync(join(folder, '.env'), '\uFEFFLOG_LEVEL=loud\r\n', encoding);
      const output = await failure({ DATA_DIR: folder }, { signal });
      expect(output).toContain('- LOG_LEVEL is "loud".');
    },
  );

  it('says which Node.js it needs', async ({ signal }) => {
    const old = 'Object.defineProperty(process, "versions", { value: { node: "20.19.0" } })';
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(old)}` };
    expect(await failure(env, { signal })).toBe(
      'Causeway needs Node.js 26 or newer; this is 20.19.0. npm ci brings it along for Linux with glibc and macOS, on x64 and arm64, and for Windows on x64, unless told to omit optional packages. Elsewhere, install Node.js 26.\n',
    );
  });

  it('starts without options, of which an old Node.js would say “bad option” instead', () => {
    const started = [scripts.start, scripts.serve].map((command) => command.split(' '));
    expect(started).toEqual([
      ['node', 'src/start.js'],
      ['node', 'src/start.js', 'serve'],
    ]);
  });

  it('names DATA_DIR before STORE_URL if the file system hangs', async () => {
    expect(await failureOf(hanging)).toMatch(
      /^DATA_DIR names \S+, which cannot be opened: its file system has not answered for 5 seconds\. Check its drive/m,
    );
  });
});

it('warns of variables with names almost like its own, in readable lines if asked for', async ({
  signal,
}) => {
  const env = { SLACK_BOT_TOKE: 'xoxb-1', LOG_FORMAT: 'pretty', PORT: 'x' };
  const args = ['serve', '--port', '0'];
  await using causeway = launchCauseway({ DATA_DIR: createTemporaryFolder(), ...env }, signal, {
    args,
  });
  await causeway.printed(
    /^\[\d\d:\d\d:\d\d\] WARN: SLACK_BOT_TOKE is set, but is not a variable of Causeway\. Did you mean SLACK_BOT_TOKEN\?/m,
  );
  await causeway.printed(/The chatbot service is running at/);
  expect(await causeway.stop('SIGTERM')).toBe(0);
});
