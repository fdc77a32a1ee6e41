import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app/app.ts';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Log } from '../../src/shared/primitives/log.ts';
import { copyFirstStart } from '../fixtures/first-start.ts';
import { modelBehaviours } from '../fixtures/model-behaviours.ts';
import { type ModelServer, startModelServer } from '../fixtures/model-server.ts';
import { type Seat, discordSeat, quickly } from './seats.ts';

const apiKey = 'a-key-for-the-model-tests';

/** A log whose lines are kept as they would be printed. */
function createKeptLog() {
  const lines: { fields: Record<string, unknown>; text: string }[] = [];
  const written = new EventEmitter();
  const write = (fields: object, message: string) => {
    const error = 'err' in fields && fields.err instanceof Error ? fields.err.message : '';
    lines.push({ fields: { ...fields }, text: `${JSON.stringify(fields)} ${error} ${message}` });
    written.emit(message);
  };
  const log: Log = { debug: () => undefined, info: write, warn: write, error: write };
  return { log, lines, next: (message: string) => once(written, message) };
}

describe('people who ask a model server that', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  const { log, lines, next } = createKeptLog();
  let models: ModelServer;
  let app: App;
  let client: ChatbotClient;
  let agent = '';
  let seat: Seat;

  beforeAll(async () => {
    await copyFirstStart(folder);
    models = await startModelServer();
    const names = ['small', 'particular', ...modelBehaviours.keys().map((each) => `model-${each}`)];
    models.tells = { '/v1/models': { data: names.map((id) => ({ id })) } };
    const config = readConfig({
      DATA_DIR: folder,
      PORT: '0',
      SERVICE_API_KEYS: apiKey,
      LLM_BASE_URL: models.baseUrl,
      LLM_MODEL: 'small',
      LLM_TEMPERATURE: '0.2',
      LLM_MAX_TOKENS: '500',
      REPLY_FIRST_TEXT_SECONDS: '2',
      REPLY_TIMEOUT_SECONDS: '1',
    });
    app = await createApp(config, log, quickly);
    if (!app.sandbox) throw new Error('no sandbox');
    app.sandbox.discord.faults.rateLimits = false;
    client = createChatbotClient({ baseUrl: app.origin, apiKey });
    const [chatbot] = await client.listChatbots();
    const [first] = await client.listAgents(chatbot?.uuid ?? '');
    agent = first?.uuid ?? '';
    seat = discordSeat(app.sandbox);
  }, 30_000);

  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
    await models[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask() {
    models.seen.length = 0;
    lines.length = 0;
    const ended = next('a turn ended');
    const thread = await seat.mention('What is Causeway?');
    await ended;
    const [reply] = await seat.replies(thread, 1, /./);
    const end = lines.find(({ fields }) => 'outcome' in fields);
    return { text: reply?.text ?? '', outcome: end?.fields['outcome'] };
  }

  it.each(modelBehaviours.map((row, index) => ({ ...row, index })))(
    '$name',
    async ({
      index,
      answer,
      people,
      outcome = 'answered',
      log = '',
      requests = 1,
      usesDefault,
    }) => {
      // Each test has its own model, because the service remembers what a model accepts.
      if (!usesDefault) await client.updateAgent(agent, { model: `model-${index}` });
      else await client.updateAgent(agent, { model: 'small' });
      models.answer = (response, request) => answer(response, request, models.seen.length);
      const asked = await ask();
      expect(asked).toEqual({
        text: expect.stringMatching(people),
        outcome,
      });
      expect(models.seen).toHaveLength(requests);
      const logged = lines.map(({ text }) => text).join('\n');
      expect(logged).toContain(log);
      expect(logged.includes('the model server failed') && outcome !== 'failed').toBe(false);
    },
  );

  it('refuses a parameter are answered without it from then on', async () => {
    const behaviour = modelBehaviours.find(({ requests }) => requests === 4);
    await client.updateAgent(agent, { model: 'particular' });
    models.answer = (response, request) => behaviour?.answer(response, request, 1);
    await ask();
    expect(models.seen).toHaveLength(4);
    await ask();
    expect(models.seen).toHaveLength(1);
    expect(models.seen[0]?.body).toEqual({
      model: 'particular',
      messages: expect.any(Array),
      stream: true,
    });
  });
});
