import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { sleep } from '../../src/shared/primitives/time.ts';
import { serveWorkspace } from '../sandbox/slack/serve-workspace.ts';
import { createMemoryLog } from '../fixtures/memory-log.ts';
import { findFreePort, findPostgres, startPostgresServer } from '../fixtures/postgres-server.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { startScriptedService } from './scripted-service.ts';
import { patience } from '../fixtures/patience.ts';

const programs = findPostgres();

const eventually = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { ...patience, interval: 50 });

describe.runIf(programs)('while Postgres is away', () => {
  async function open(env: Record<string, string> = {}) {
    const postgres = await startPostgresServer(programs ?? '', { isDurable: true });
    onTestFinished(() => postgres[Symbol.asyncDispose]());
    const service = await startScriptedService();
    onTestFinished(() => service[Symbol.asyncDispose]());
    const port = await findFreePort();
    const config = readConfig({
      DATA_DIR: createTemporaryFolder(),
      PORT: String(port),
      STORE_URL: postgres.url,
      CHATBOT_API_URL: service.origin,
      CHATBOT_API_KEY: 'the-right-key',
      CHATBOT_UUID: 'bot',
      ...env,
    });
    const log = createMemoryLog();
    const read = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return `${response.status} ${await response.text()}`;
    };
    return { postgres, service, log, read, start: () => createApp(config, log) };
  }

  test('a process starts once it is there, and says until then what it waits for', async () => {
    const { postgres, log, read, start } = await open();
    await postgres.stop();
    const starting = start();
    await eventually(async () =>
      expect(await read('/readyz')).toMatch(/^503 waiting for Postgres, which does not answer/),
    );
    expect(await read('/healthz')).toMatch(/^200/);
    const said = log.lines.find(({ message }) => message.includes('waits for Postgres'));
    expect(said).toMatchObject({ level: 'warn' });
    expect(JSON.stringify(said)).toContain('Check that the server runs');
    await postgres.start();
    await using _ = await starting;
    await eventually(async () => expect(await read('/readyz')).toMatch(/^200/));
  });

  test('/readyz says so, and what Slack delivers meanwhile is not acknowledged, and answered afterwards', async () => {
    // Slack waits for minutes before it delivers again.
    const { promise: minutes, resolve: pass } = Promise.withResolvers<void>();
    await using served = await serveWorkspace({
      sleep: (ms, signal) => (ms < 60_000 ? sleep(ms, signal) : minutes),
    });
    const { slack, ada, help } = served;
    const { botToken, appToken, apiUrl } = slack.credentials;
    const { postgres, service, read, start } = await open({
      SLACK_BOT_TOKEN: botToken,
      SLACK_APP_TOKEN: appToken,
      SLACK_API_URL: apiUrl,
    });
    await using _ = await start();
    await eventually(async () => expect(await read('/readyz')).toMatch(/^200/));
    await postgres.stop();
    await eventually(async () =>
      expect(await read('/readyz')).toMatch(/^503 waiting for Postgres/),
    );
    expect(await read('/healthz')).toMatch(/^200/);
    const states: string[] = [];
    const failedTwice = slack.deliveries.waitFor(({ state, payload }) => {
      if (JSON.stringify(payload).includes('and this?')) states.push(state);
      return states.filter((each) => each === 'failed').length > 1;
    });
    const arrived = service.asked();
    await slack.say({ user: ada, channel: help, text: `<@${slack.bot.user}> and this?` });
    await failedTwice;
    expect(states).not.toContain('acknowledged');
    await postgres.start();
    await eventually(async () => expect(await read('/readyz')).toMatch(/^200/));
    pass();
    const asked = await arrived;
    expect(asked.query).toBe('and this?');
    asked.write('Yes.');
    asked.end();
    const metrics = await read('/metrics');
    for (const line of [
      /^causeway_leases_held 1$/m,
      /^causeway_leases_taken_total [1-9]/m,
      /^causeway_processes 1$/m,
      /^causeway_store_connections\{state="waiting"\} \d/m,
      /^nodejs_eventloop_lag_p99_seconds /m,
    ]) {
      expect(metrics).toMatch(line);
    }
  });
});
