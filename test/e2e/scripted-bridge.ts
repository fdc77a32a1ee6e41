import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openStoreFaults } from '../fixtures/store-faults.ts';
import { createInbox } from '../fixtures/inbox.ts';
import { createMemoryLog } from '../fixtures/memory-log.ts';
import { type Asked, startScriptedService } from './scripted-service.ts';
import { discordSeat, slackSeat } from './seats.ts';

/** How each platform refuses an edit, and what people and operators then read. */
export const platforms = {
  Slack: {
    open: slackSeat,
    faultsOf: (sandbox: Sandbox) => sandbox.slack.faults,
    edit: 'chat.update',
    gone: { error: 'message_not_found' },
    uneditable: { error: 'edit_window_closed' },
    forbidden: { error: 'not_in_channel' },
    named: '“/invite”',
  },
  Discord: {
    open: discordSeat,
    faultsOf: (sandbox: Sandbox) => sandbox.discord.faults,
    edit: 'PATCH /channels/:channel/messages/:message',
    gone: { status: 404, error: 10_008 },
    uneditable: { status: 400, error: 50_083 },
    forbidden: { status: 403, error: 160_005 },
    named: 'thread is locked',
  },
};

/** The bridge between a scripted service and a scripted platform. */
export async function openBridge(name: keyof typeof platforms, env: Record<string, string> = {}) {
  const platform = platforms[name];
  await using parts = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-'));
  parts.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const service = parts.use(await startScriptedService());
  const errors = createInbox<unknown>();
  const error = (fields: object) => errors.put('err' in fields ? fields.err : undefined);
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    CHATBOT_API_URL: service.origin,
    CHATBOT_API_KEY: 'the-right-key',
    CHATBOT_UUID: 'bot',
    ...env,
  });
  const app = parts.use(await createApp(config, { ...createMemoryLog(), error }));
  if (!app.sandbox) throw new Error('no sandbox');
  const store = parts.use(openStoreFaults(join(dataDir, 'causeway.sqlite')));
  const seat = platform.open(app.sandbox);
  const faults = platform.faultsOf(app.sandbox);

  async function ask(query: string): Promise<{ thread: string; asked: Asked }> {
    const asked = service.asked();
    const thread = await seat.mention(query);
    return { thread, asked: await asked };
  }

  const opened = parts.move();
  return {
    sandbox: app.sandbox,
    service,
    seat,
    /** Faults of the bridge's store. */
    store,
    ask,
    /** Asks a question, and waits until people see the first words. */
    async begin() {
      const { thread, asked } = await ask('why?');
      asked.write('The first words');
      await seat.replies(thread, 1, /^The first words/);
      return { thread, asked };
    },
    refuseEdits: (how: Partial<Fault>, times = 1) =>
      faults.inject({ method: platform.edit, times, ...how }),
    texts: async (thread: string, count: number, ended: RegExp) =>
      (await seat.replies(thread, count, ended)).map(({ text }) => text),
    /** The subject of the next error in the log. */
    nextError: errors.next,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
