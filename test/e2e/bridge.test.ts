import { GatewayCloseCodes } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../../src/app/app.ts';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import { sleep } from '../../src/shared/primitives/time.ts';
import { copyFirstStart } from '../fixtures/first-start.ts';
import { silentLog } from '../fixtures/log.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { discordSeat, type Seat, slackSeat } from './seats.ts';

const apiKey = 'a-key-for-the-end-to-end-tests';
/** At reading speed only if a test looks at it. */
let isRead = false;
const pace = {
  deltaMs: 15,
  sleep: (ms: number, signal?: AbortSignal) => sleep(isRead ? ms : 1, signal),
};
const sourcesListed = /^(?:-# )?Sources: /m;

/** The text of a reply without its list of sources and the markers that refer to it. */
const withoutSources = (text = '') =>
  text.split(/\n+(?:-# )?Sources: /)[0]?.replaceAll(/\s*\[[\d.]+\]/g, '');

describe('the bridge, on the sandbox and the built-in service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  let app: App;
  let client: ChatbotClient;
  const seat = { Slack: undefined, Discord: undefined } as Record<string, Seat | undefined>;

  async function start() {
    const config = readConfig({ DATA_DIR: folder, PORT: '0', SERVICE_API_KEYS: apiKey });
    app = await createApp(config, silentLog, { service: { pace, extractor: sharedExtractor } });
    client = createChatbotClient({ baseUrl: app.origin, apiKey });
    if (!app.sandbox) throw new Error('no sandbox');
    seat['Slack'] = slackSeat(app.sandbox);
    seat['Discord'] = discordSeat(app.sandbox);
  }

  async function stop() {
    await client[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  }

  beforeAll(async () => {
    await copyFirstStart(folder);
    await start();
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Every message that the service stored, with its session. */
  async function stored() {
    const [chatbot] = await client.listChatbots();
    const sessions = await client.listSessions(chatbot?.uuid ?? '');
    const messages = await Promise.all(
      sessions.map(async ({ uuid }) =>
        (await client.listMessages(uuid)).map((message) => ({ session: uuid, ...message })),
      ),
    );
    return messages.flat();
  }

  const sessionsOf = async (...queries: string[]) => {
    const messages = await stored();
    return queries.map((query) => messages.find((message) => message.query === query)?.session);
  };

  describe.each(['Slack', 'Discord'])('on %s', (platform) => {
    const ada = (): Seat => {
      const found = seat[platform];
      if (!found) throw new Error('not started');
      return found;
    };

    it('answers a mention in a thread, growing as it streams, with the text that the service stored', async () => {
      const query = `How do I add a source on ${platform}?`;
      isRead = true;
      const thread = await ada().mention(query);
      const [reply] = await ada().replies(thread, 1, sourcesListed);
      isRead = false;
      expect(new Set(reply?.steps).size).toBeGreaterThanOrEqual(3);
      const message = (await stored()).find((each) => each.query === query);
      expect(withoutSources(reply?.text)).toBe(withoutSources(message?.response));
      expect(message?.response).toContain('/source upload');
    });

    it('keeps the session of a thread across a restart', async () => {
      const queries = [
        `How do I connect Slack? I ask on ${platform}.`,
        `How do I connect Discord? I ask on ${platform}.`,
        `How can I add a source on ${platform}?`,
      ];
      const [first = '', second = '', third = ''] = queries;
      const thread = await ada().mention(first);
      await ada().replies(thread, 1, sourcesListed);
      await ada().say(thread, second);
      await ada().replies(thread, 2, sourcesListed);
      await stop();
      await start();
      await ada().say(thread, third);
      await ada().replies(thread, 3, sourcesListed);
      const sessions = await sessionsOf(first, second, third);
      expect(sessions[0]).toBeDefined();
      expect(new Set(sessions).size).toBe(1);
    });

    it('answers a direct message', async () => {
      const thread = await ada().sayDirectly('How do I connect Slack?');
      const [reply] = await ada().replies(thread, 1, sourcesListed);
      expect(reply?.text).toContain('xoxb-');
    });

    it('says that it does not know', async () => {
      const query = `Who won the football world cup in 1974? ${platform}`;
      const thread = await ada().mention(query);
      await ada().replies(thread, 1, /./);
      const message = (await stored()).find((each) => each.query === query);
      expect(message?.cite_data_json).toMatch(/^(?:\{\})?$/);
    });
  });

  it('finds everything unchanged at a second start', async () => {
    const before = await client.listChatbots();
    const [chatbot] = before;
    const sources = await client.listDataSources(chatbot?.uuid ?? '');
    expect(sources.map((source) => source.file_name)).toContain('adding-sources.md');
    expect(sources.every((source) => source.status === 'success')).toBe(true);
    await stop();
    await start();
    expect(await client.listChatbots()).toEqual(before);
    expect(await client.listDataSources(chatbot?.uuid ?? '')).toEqual(sources);
  });

  it('says why a platform refuses it, and is ready once that has passed', async () => {
    const ready = async () => {
      const response = await fetch(`${app.origin}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    expect(await ready()).toMatch(/^200/);
    app.sandbox?.discord.gateway.disconnect(GatewayCloseCodes.AuthenticationFailed);
    await expect
      .poll(ready)
      .toMatch(/^503 waiting for a connection to discord \(Discord refused DISCORD_TOKEN\./);
    await expect.poll(ready).toMatch(/^200/);
  });
});
