import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/app/app.ts';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { copyFirstStart } from '../fixtures/first-start.ts';
import { silentLog } from '../fixtures/log.ts';
import { quickly } from './seats.ts';

const apiKey = 'a-key-for-the-end-to-end-tests';

/** The bridge and the built-in service on a sandbox, in a temporary folder, after the first start. */
export interface OpenedApp extends AsyncDisposable {
  /** The base URL. */
  origin: string;
  sandbox: Sandbox;
  /** Where its databases are. */
  folder: string;
  /** Speaks to the service as its owner. */
  client: ChatbotClient;
  /** The uuids of the sessions of the bridge's chatbot. */
  sessions(): Promise<string[]>;
  /** The uuid of the session with this query. */
  sessionOf(question: string): Promise<string>;
  /** The queries in all sessions except the earlier ones. */
  queries(earlier?: readonly string[]): Promise<string[]>;
}

/** @param env variables in addition to those that every test needs */
export async function openApp(env: Record<string, string> = {}): Promise<OpenedApp> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  await copyFirstStart(folder);
  const config = readConfig({ DATA_DIR: folder, PORT: '0', SERVICE_API_KEYS: apiKey, ...env });
  const app = parts.use(await createApp(config, silentLog, quickly));
  const { origin, sandbox } = app;
  if (!sandbox) throw new Error('no sandbox');
  const client = parts.use(createChatbotClient({ baseUrl: origin, apiKey }));

  const sessions = async () => (await client.listSessions(app.chatbot)).map(({ uuid }) => uuid);
  const opened = parts.move();
  const queriesIn = async (uuid: string) =>
    (await client.listMessages(uuid)).map(({ query }) => query);
  return {
    origin,
    sandbox,
    folder,
    client,
    sessions,
    async sessionOf(question) {
      for (const uuid of await sessions()) {
        if ((await queriesIn(uuid)).includes(question)) return uuid;
      }
      throw new Error(`Nobody asked “${question}”.`);
    },
    async queries(earlier = []) {
      const later = (await sessions()).filter((uuid) => !earlier.includes(uuid));
      return (await Promise.all(later.map(queriesIn))).flat();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
