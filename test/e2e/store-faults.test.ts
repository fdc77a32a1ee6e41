import { closeSync, openSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { openStore } from '../../src/bridge/stores/open-store.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { createMemoryLog } from '../fixtures/memory-log.ts';
import { openBridge } from './scripted-bridge.ts';

describe.each(['Slack', 'Discord'] as const)('a full disk on %s', (name) => {
  it('leaves a running reply whole; a question asked meanwhile is reported once', async () => {
    await using bridge = await openBridge(name);
    const { store, seat, begin, texts } = bridge;
    const { thread, asked } = await begin();
    store.refuseWrites();
    asked.write(', and the last.');
    asked.end();
    expect(await texts(thread, 1, /last\.$/)).toEqual(['The first words, and the last.']);
    const other = await seat.mention('and this?');
    expect(await texts(other, 1, /⚠️/)).toEqual([
      expect.stringContaining('I’ll keep trying for some minutes'),
    ]);
    store.acceptWrites();
    expect(await texts(thread, 1, /last\.$/)).toHaveLength(1);
  });
});

it('on Discord, the question is answered once there is space again', async () => {
  await using bridge = await openBridge('Discord');
  const { service, store, seat, texts } = bridge;
  store.refuseWrites();
  const arrived = service.asked();
  const thread = await seat.mention('and this?');
  await texts(thread, 1, /⚠️/);
  store.acceptWrites();
  const asked = await arrived;
  asked.write('Yes.');
  asked.end();
  expect(await texts(thread, 2, /Yes/)).toEqual([expect.stringContaining('⚠️'), 'Yes.']);
});

describe('a damaged store', () => {
  /** A used store in which a table or index now begins with garbage. */
  async function damage(name: string): Promise<string> {
    const folder = createTemporaryFolder();
    const path = join(folder, 'causeway.sqlite');
    const store = await openStore(`sqlite:${path}`);
    await store.keyv('chatbot').set('first', { uuid: 'bot', taught: true });
    await store[Symbol.asyncDispose]();
    const database = new DatabaseSync(path);
    const { rootpage } =
      database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(name) ?? {};
    database.close();
    const file = openSync(path, 'r+');
    writeSync(file, randomBytes(4096), 0, 4096, (Number(rootpage) - 1) * 4096);
    closeSync(file);
    return folder;
  }

  const configure = (folder: string, env = {}) =>
    readConfig({ DATA_DIR: folder, PORT: '0', ...env });

  it('does not keep the bridge from starting if only the inbox is unreadable', async () => {
    const folder = await damage('inbox_due');
    const log = createMemoryLog();
    const env = { CHATBOT_API_URL: 'http://127.0.0.1:9', CHATBOT_API_KEY: 'the-right-key' };
    await using app = await createApp(configure(folder, { ...env, CHATBOT_UUID: 'bot' }), log);
    expect(app.awaited()).toEqual([]);
    const logged = log.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    expect(logged).toEqual(['the due rows could not be read']);
  });

  it('whose settings are unreadable says what to do', async () => {
    const folder = await damage('keyv');
    await expect(createApp(configure(folder), createMemoryLog())).rejects.toThrow(
      /^STORE_URL names .* malformed\. Restore it from a backup, or move it away/,
    );
  });
});
