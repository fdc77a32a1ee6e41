import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type App, createApp } from '../../src/app/app.ts';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import { discordSeat, quickly, slackSeat } from '../e2e/seats.ts';
import {
  createKeptData,
  databaseNames,
  keptKey,
  listKeptVersions,
  readRows,
} from '../fixtures/kept-data.ts';
import { silentLog } from '../fixtures/log.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import packageJson from '../../package.json' with { type: 'json' };

/*
 * Data folders of earlier versions, as their SQL: each later version starts with them. `npm run keep-data`
 * adds that of a release that changes tables.
 */

const minuteMs = 60_000;

/** Starts on the data folder as it was written in the minute before, so that nothing has expired. */
async function startKept(version: string) {
  const folder = createTemporaryFolder();
  const facts = createKeptData(folder, version);
  const now = facts.writtenMs + minuteMs;
  vi.useFakeTimers({ toFake: ['Date'], now, shouldAdvanceTime: true });
  const config = readConfig({ DATA_DIR: folder, PORT: '0' });
  return { folder, facts, start: () => createApp(config, silentLog, quickly) };
}
afterEach(() => vi.useRealTimers());

const listQueries = async (client: ChatbotClient, session: string) =>
  (await client.listMessages(session)).map(({ query }) => query);

function seatsOf({ sandbox }: App) {
  if (!sandbox) throw new Error('There is no sandbox.');
  return { Slack: slackSeat(sandbox), Discord: discordSeat(sandbox) };
}

test('the data of this version is kept', () => {
  expect(listKeptVersions()).toContain(packageJson.version);
});

test.each(listKeptVersions())('with data of %s, everything goes on', async (version) => {
  const { facts, start } = await startKept(version);
  await using app = await start();
  await using client = createChatbotClient({ baseUrl: app.origin, apiKey: keptKey });

  const chatbots = await client.listChatbots();
  expect(chatbots.map(({ name }) => name)).toEqual(['Keeper', 'Miller']);
  expect(app.chatbot).toBe(chatbots[0]?.uuid);
  // A newer index takes them up again.
  const listSources = async () =>
    (await client.listDataSources(app.chatbot)).map(({ title, status }) => [title, status]);
  await expect.poll(listSources).toEqual([
    ['Lighthouse', 'success'],
    ['What does a ticket cost?', 'success'],
  ]);

  const seats = seatsOf(app);
  for (const platform of ['Slack', 'Discord'] as const) {
    const [shown] = await seats[platform].replies(facts.threads[platform], 1, /Sources: /);
    expect(shown?.text).toContain('nine in the morning');
    await seats[platform].say(facts.threads[platform], 'What does a ticket cost?');
    const [, answer] = await seats[platform].replies(facts.threads[platform], 2, /Sources: /);
    expect(answer?.text).toContain('four euros');
    const queries = await listQueries(client, facts.sessions[platform]);
    expect(queries[0]).toBe('When does the lighthouse open?');
    expect(queries.at(-1)).toBe('What does a ticket cost?');
  }
  // Its reply was cut off.
  expect(await client.listMessages(facts.sessions.Discord)).toContainEqual(
    expect.objectContaining({ uuid: 'kept-message', response: 'This was said' }),
  );

  // The channel on Slack has chosen another chatbot.
  const thread = await seats.Slack.mention('What does the mill grind?');
  const [bound] = await seats.Slack.replies(thread, 1, /Sources: /);
  expect(bound?.text).toContain('rye');
});

/** These are changed by a start, or while it runs: sources are indexed again by each newer index. */
const changing: Record<string, readonly string[]> = {
  owners: ['bytes'],
  chatbots: ['bytes'],
  sessions: ['bytes'],
  keys: ['last_used_ms'],
  sources: ['status', 'meta'],
  corpora: ['version'],
  source_versions: ['state'],
  messages: [
    'response',
    'error_message',
    'meta',
    'is_done',
    'modified_ms',
    'generator',
    'generates_until_ms',
  ],
};

test.each(listKeptVersions())(
  'with data of %s, every row is there after a start',
  async (version) => {
    const { folder, start } = await startKept(version);
    const before = databaseNames.map((name) => readRows(join(folder, name)));
    await (await start())[Symbol.asyncDispose]();
    for (const [index, name] of databaseNames.entries()) {
      const after = readRows(join(folder, name));
      for (const [table, all] of Object.entries(before[index] ?? {})) {
        // Only processes that share a store fill them.
        if (table === 'processes' || table === 'leases') continue;
        // A version with another command registers the commands anew.
        const rows = all.filter((row) => row['kind'] !== 'discord.command');
        expect([table, rows.length > 0]).toEqual([table, true]);
        // 0.3.0 has the text of running replies in their messages.
        if (table === 'reply_deltas') continue;
        const ignored = Object.fromEntries((changing[table] ?? []).map((column) => [column, 0]));
        const toComparable = (row: Record<string, unknown>) => ({ ...row, ...ignored });
        expect([table, after[table]?.map(toComparable)]).toEqual([
          table,
          expect.arrayContaining(rows.map((row) => expect.objectContaining(toComparable(row)))),
        ]);
      }
    }
  },
);
