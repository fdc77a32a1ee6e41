import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { createLog } from '../../src/app/log.ts';
import { startService } from '../../src/app/serve.ts';
import { summarize } from '../../src/app/summary.ts';
import { readConfig } from '../../src/config/config.ts';
import { copyFirstStart } from '../fixtures/first-start.ts';
import { silentLog } from '../fixtures/log.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';

const token = 'a-token-for-prometheus';

/** The environment of a bridge whose Discord is unreachable. */
const toEnv = (env: Record<string, string>) => ({
  DATA_DIR: createTemporaryFolder(),
  PORT: '0',
  DISCORD_TOKEN: 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs',
  DISCORD_API_URL: 'http://127.0.0.1:1/api',
  ...env,
});

/** A bridge, its log, and the summary that it prints. */
async function open(env: Record<string, string>) {
  const config = readConfig(toEnv(env));
  await copyFirstStart(config.dataDir);
  let output = '';
  const log = createLog(config, { write: (line: string) => void (output += line) });
  const app = await createApp(config, log, { service: { extractor: sharedExtractor } });
  return {
    app,
    output: () => output,
    summary: summarize(config, app),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

async function read(origin: string, authorization?: string) {
  const headers = authorization === undefined ? undefined : { authorization };
  const response = await fetch(`${origin}/metrics`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function expectGuarded(origin: string): Promise<void> {
  const wrong = [
    undefined,
    '',
    token,
    'Bearer',
    'Bearer ',
    `Basic ${token}`,
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    `Bearer x ${token}`,
    'Bearer é',
  ];
  for (const authorization of wrong) {
    const { status, headers, text } = await read(origin, authorization);
    expect([authorization, status]).toEqual([authorization, 401]);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(text).toBe('The metrics need METRICS_TOKEN, sent as “Authorization: Bearer …”.\n');
  }
  for (const authorization of [`Bearer ${token}`, `bearer  ${token} `]) {
    const { status, text } = await read(origin, authorization);
    expect(status).toBe(200);
    expect(text).toContain('causeway_turns_total');
  }
}

test('a process that only this machine reaches serves its metrics to it', async () => {
  await using bridge = await open({});
  const { status, text } = await read(bridge.app.origin);
  expect(status).toBe(200);
  expect(text).toContain('causeway_turns_total');
  expect(bridge.output()).not.toContain('METRICS_TOKEN');
});

test('a process that other machines reach serves no metrics, and says so once', async () => {
  await using bridge = await open({ HOST: '0.0.0.0' });
  for (const authorization of [undefined, 'Bearer ', `Bearer ${token}`]) {
    const { status, text } = await read(bridge.app.origin, authorization);
    expect(status).toBe(403);
    expect(text).toBe(
      'Other machines reach this process, so its metrics are closed. Set METRICS_TOKEN, or METRICS_PORT to read them on this machine alone.\n',
    );
  }
  expect(bridge.output().split('METRICS_TOKEN')).toHaveLength(2);
});

test.each(['127.0.0.1', '0.0.0.0'])(
  'with METRICS_TOKEN and HOST=%s, metrics need the token',
  async (host) => {
    await using bridge = await open({ HOST: host, METRICS_TOKEN: token });
    await expectGuarded(bridge.app.origin);
    expect(bridge.output()).not.toContain(token);
    expect(bridge.output()).not.toContain('metrics');
  },
);

test('with METRICS_PORT, metrics are served on a port that only this machine reaches', async () => {
  await using bridge = await open({ HOST: '0.0.0.0', METRICS_PORT: '0' });
  const { metrics = '', origin } = bridge.app;
  expect(metrics).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await read(origin)).status).toBe(404);
  const { status, text } = await read(metrics);
  expect(status).toBe(200);
  expect(text).toContain('causeway_turns_total');
  expect(bridge.summary).toContain(`${metrics}/metrics`);
  // Nothing else is there.
  const others = ['/', '/api/v1/user', '/healthz', '/readyz'];
  const answers = await Promise.all(others.map((path) => fetch(metrics + path)));
  expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404]);
});

test('with METRICS_PORT and METRICS_TOKEN, metrics need the token on that port', async () => {
  await using bridge = await open({ METRICS_PORT: '0', METRICS_TOKEN: token });
  await expectGuarded(bridge.app.metrics ?? '');
  expect((await read(bridge.app.origin, `Bearer ${token}`)).status).toBe(404);
});

test('a METRICS_PORT that is taken keeps the process from starting', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(open({ METRICS_PORT: String(port) })).rejects.toThrow(
    /^Another process already listens at 127\.0\.0\.1:\d+\. Set another METRICS_PORT\.$/,
  );
  server.close();
});

test('the service alone has no metrics', async () => {
  const config = readConfig({ ...toEnv({}), HOST: '0.0.0.0', METRICS_TOKEN: token }, 'service');
  await using service = await startService(config, silentLog);
  expect((await read(service.origin, `Bearer ${token}`)).status).toBe(404);
});
