import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/app/app.ts';
import { createChatbotClient } from '../../src/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { silentLog } from '../fixtures/log.ts';
import { quickly } from './seats.ts';

const apiKey = 'a-key-for-the-end-to-end-tests';

/** The bridge and the built-in service on a sandbox, in a folder that goes with them. */
export interface OpenedApp extends AsyncDisposable {
  sandbox: Sandbox;
  /** The uuids of the sessions of the bridge's chatbot. */
  sessions(): Promise<string[]>;
  /** What was asked of the service, in all sessions but the earlier ones. */
  queries(earlier?: readonly string[]): Promise<string[]>;
}

/** @param env variables in addition to those that every test needs */
export async function openApp(env: Record<string, string> = {}): Promise<OpenedApp> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const config = readConfig({ DATA_DIR: folder, PORT: '0', SERVICE_API_KEYS: apiKey, ...env });
  const { chatbot, origin, sandbox } = parts.use(await createApp(config, silentLog, quickly));
  if (!sandbox) throw new Error('no sandbox');
  const client = parts.use(createChatbotClient({ baseUrl: origin, apiKey }));

  const sessions = async () => (await client.listSessions(chatbot)).map(({ uuid }) => uuid);
  const opened = parts.move();
  return {
    sandbox,
    sessions,
    async queries(earlier = []) {
      const later = (await sessions()).filter((uuid) => !earlier.includes(uuid));
      const messages = await Promise.all(later.map((uuid) => client.listMessages(uuid)));
      return messages.flat().map(({ query }) => query);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
