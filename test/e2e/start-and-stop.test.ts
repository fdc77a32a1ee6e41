import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fetch } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { createChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import { openLeases } from '../../src/bridge/stores/open-leases.ts';
import type { Extractor } from '../../src/service/ingestion/extract.ts';
import { createManifest } from '../../src/app/manifest.ts';
import { readConfig } from '../../src/config/config.ts';
import { postgres } from '../fixtures/databases.ts';
import { silentLog } from '../fixtures/log.ts';
import { createMemoryLog } from '../fixtures/memory-log.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { serveSandbox } from '../sandbox/serve-sandbox.ts';
import { launchCauseway, startCauseway } from './causeway-process.ts';
import { openApp } from './open-app.ts';
import { openBridge } from './scripted-bridge.ts';
import { startScriptedService } from './scripted-service.ts';
import { slackSeat } from './seats.ts';
import { commandNames } from '../fixtures/command-names.ts';
import { patience } from '../fixtures/patience.ts';

const discordToken = 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs';
const nowhere = 'http://127.0.0.1:1';
const serviceAway = {
  CHATBOT_API_URL: nowhere,
  CHATBOT_API_KEY: 'the-right-key',
  CHATBOT_UUID: 'bot',
};

/** A Slack workspace and a service for a process, and how it finds both. */
async function openSlack() {
  await using parts = new AsyncDisposableStack();
  const { sandbox } = parts.use(await serveSandbox());
  const service = parts.use(await startScriptedService());
  const { slack } = sandbox;
  slack.install(JSON.parse(createManifest(commandNames())));
  const { botToken, appToken, apiUrl } = slack.credentials;
  const env = {
    DATA_DIR: createTemporaryFolder(),
    SLACK_BOT_TOKEN: botToken,
    SLACK_APP_TOKEN: appToken,
    SLACK_API_URL: apiUrl,
    CHATBOT_API_URL: service.origin,
    CHATBOT_API_KEY: 'the-right-key',
    CHATBOT_UUID: 'bot',
  };
  const opened = parts.move();
  return {
    env,
    service,
    seat: slackSeat(sandbox),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Discord's REST API, with a gateway address where nothing listens. */
async function serveGatewayAway() {
  const gateway = {
    url: 'ws://127.0.0.1:1',
    shards: 1,
    session_start_limit: { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 },
  };
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(gateway));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a process', () => {
  it('answers in Slack while Discord can’t be reached, and a second signal ends it at once', async ({
    signal,
  }) => {
    await using slack = await openSlack();
    const discord = { DISCORD_TOKEN: discordToken, DISCORD_API_URL: `${nowhere}/api` };
    const env = { ...slack.env, ...discord, SHUTDOWN_GRACE_SECONDS: '600' };
    await using causeway = await startCauseway(env, signal);
    expect(causeway.output()).toContain('still waits for a connection to discord.');
    const ready = await fetch(`${causeway.origin}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      503,
      'waiting for a connection to discord\n',
    ]);

    const asked = slack.service.asked();
    const thread = await slack.seat.mention('Is anyone there?');
    const { write } = await asked;
    write('Slack is.');
    await slack.seat.replies(thread, 1, /Slack is\./);
    let code: number | null | undefined;
    void causeway.stop('SIGTERM').then((given) => (code = given));
    await causeway.printed(/a second signal ends the process at once/);
    expect(code).toBeUndefined();
    // Two signals within half a second count as one, so this sends more.
    await vi.waitFor(() => {
      void causeway.stop('SIGTERM');
      expect(code).toBe(1);
    }, patience);
  });

  it('ends on a signal while it waits for Discord’s gateway', async ({ signal }) => {
    await using discord = await serveGatewayAway();
    await using causeway = launchCauseway(
      {
        DATA_DIR: createTemporaryFolder(),
        DISCORD_TOKEN: discordToken,
        DISCORD_API_URL: discord.apiUrl,
        ...serviceAway,
      },
      signal,
    );
    await causeway.printed(/reconnecting to Discord/);
    expect(await causeway.stop('SIGTERM')).toBe(0);
  });
});

describe('the app', () => {
  it('gives running answers SHUTDOWN_GRACE_SECONDS to finish', async () => {
    const bridge = await openBridge('Slack', { SHUTDOWN_GRACE_SECONDS: '0' });
    await bridge.begin();
    using timers = vi.spyOn(globalThis, 'setTimeout');
    await bridge[Symbol.asyncDispose]();
    // By default, the answer would continue for six seconds.
    expect(timers).not.toHaveBeenCalledWith(expect.anything(), 6_000);
    expect(timers).toHaveBeenCalledWith(expect.anything(), 0);
  });

  it('gives a reply of the built-in service no further time after that', async () => {
    await using models = await startModelServer();
    const asked = Promise.withResolvers<void>();
    models.answer = () => asked.resolve();
    await using app = await openApp({
      LLM_BASE_URL: models.baseUrl,
      LLM_MODEL: 'small',
      SHUTDOWN_GRACE_SECONDS: '0',
    });
    await slackSeat(app.sandbox).mention('What is Causeway?');
    await asked.promise;
    using timers = vi.spyOn(globalThis, 'setTimeout');
    await app[Symbol.asyncDispose]();
    // On its own, the service would let it continue for three seconds.
    expect(timers).not.toHaveBeenCalledWith(expect.anything(), 3_000);
  });

  it.runIf(postgres.isInstalled)(
    'gives its leases away before the built-in service has ended',
    async () => {
      const { storeUrl } = await postgres.createPlaces();
      const reading = Promise.withResolvers<void>();
      const isRead = Promise.withResolvers<void>();
      let isHeldUp = false;
      const extractor: Extractor = {
        ...sharedExtractor,
        async *passages(...file) {
          if (isHeldUp) {
            reading.resolve();
            await isRead.promise;
          }
          yield* sharedExtractor.passages(...file);
        },
      };
      const apiKey = 'a-key-for-the-end-to-end-tests';
      const env = {
        DATA_DIR: createTemporaryFolder(),
        STORE_URL: storeUrl,
        PORT: '0',
        SERVICE_API_KEYS: apiKey,
      };
      await using app = await createApp(readConfig(env), silentLog, { service: { extractor } });
      using _ = { [Symbol.dispose]: isRead.resolve };
      await using client = createChatbotClient({ baseUrl: app.origin, apiKey });
      isHeldUp = true;
      const content = Readable.from([Buffer.from('The harbour opens at nine.')]);
      await client.uploadDataSource(app.chatbot, { name: 'harbour.txt', content });
      await reading.promise;
      await using other = await openLeases(storeUrl, { share() {} }, silentLog);
      expect(other.leases.count).toBe(2);
      const ended = app[Symbol.asyncDispose]();
      await vi.waitFor(() => expect(other.leases.count).toBe(1), patience);
      isRead.resolve();
      await ended;
    },
  );

  it('starts if one of two platforms refuses its token, and says why at once', async () => {
    await using slack = await openSlack();
    await using server = await serveSandbox();
    const { apiUrl } = server.sandbox.discord.credentials;
    const env = { ...slack.env, PORT: '0', DISCORD_TOKEN: discordToken, DISCORD_API_URL: apiUrl };
    const log = createMemoryLog();
    await using app = await createApp(readConfig(env), log);
    const refused = /^Discord refused DISCORD_TOKEN\./;
    const errors = log.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ message }) => message)).toEqual([expect.stringMatching(refused)]);
    expect(app.awaited()).toEqual([
      expect.stringMatching(/^a connection to discord \(Discord refused DISCORD_TOKEN\./),
    ]);
    const asked = slack.service.asked();
    const thread = await slack.seat.mention('Is anyone there?');
    const reply = await asked;
    reply.write('Slack is.');
    reply.end();
    await slack.seat.replies(thread, 1, /Slack is\./);
  });

  it.each([
    ['causeway', 'STORE_URL names FILE, which'],
    ['service', 'FILE'],
    ['sandbox', 'FILE'],
  ])('says what to do if %s.sqlite is damaged', async (name, start) => {
    const folder = createTemporaryFolder();
    const file = join(folder, `${name}.sqlite`);
    writeFileSync(file, 'not a database '.repeat(100));
    const config = readConfig({ DATA_DIR: folder, PORT: '0' });
    await expect(createApp(config, silentLog)).rejects.toMatchObject({
      name: 'OpenError',
      message: `${start.replace('FILE', file)} cannot be opened: file is not a database. Restore it from a backup, or move it away to start with an empty one.`,
    });
  });
});
