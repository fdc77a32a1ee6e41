import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { discordCommandSeats } from './discord-command-seat.ts';
import { openApp, type OpenedApp } from './open-app.ts';
import { openBridge } from './scripted-bridge.ts';
import { slackCommandSeats } from './slack-command-seat.ts';

const seats = {
  Slack: ({ slack }: Sandbox) => slackCommandSeats(slack),
  Discord: ({ discord }: Sandbox) => discordCommandSeats(discord),
};

/** What the bridge has stored. */
function readStore({ folder }: OpenedApp) {
  using database = new DatabaseSync(join(folder, 'causeway.sqlite'), { readOnly: true });
  const namespaces = database.prepare('SELECT DISTINCT namespace FROM keyv').all();
  const count = (table: string) =>
    database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count'];
  return {
    namespaces: namespaces.map(({ namespace }) => String(namespace)),
    inbox: count('inbox'),
    questions: count('questions'),
  };
}

/** What the service has. */
async function readService({ client }: OpenedApp) {
  const chatbots = await client.listChatbots();
  return Promise.all(
    chatbots.map(async ({ uuid, name }) => ({
      uuid,
      name,
      sources: (await client.listDataSources(uuid)).map(({ file_name, meta_json }) =>
        [file_name, meta_json].join(' '),
      ),
      sessions: (await client.listSessions(uuid)).length,
    })),
  );
}

async function control({ origin }: OpenedApp, path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${origin}/sandbox/control/${path}`, init);
  expect(response.status).toBe(200);
  return response.json();
}

describe.each(['Slack', 'Discord'] as const)('Empty everything, used on %s', (platform) => {
  it('leaves the sandbox as on the first start, and it answers again', async () => {
    await using app = await openApp();
    const { sandbox, client } = app;
    sandbox.slack.faults.rateLimits = false;
    sandbox.discord.faults.rateLimits = false;
    const { member, manager } = seats[platform](sandbox);
    const [first] = await readService(app);

    const qa = { question: 'What colour is the bird?', answer: 'It is turquoise.' };
    await manager.use({ command: 'source qa', values: qa }, /ready/);
    await member.mention(qa.question, /turquoise[^]*Sources: /);
    await member.mention('Who won the regatta of 1893?', /find|answer/);
    await expect.poll(() => readStore(app).namespaces).toContain('gap-in');
    await manager.use({ command: 'chatbot follow', values: { how: 'mentions' } }, /mentioned/);
    await manager.use({ command: 'chatbot create', values: { name: 'Second' } }, /was created/);
    await manager.use({ command: 'chatbot use', values: { chatbot: 'Second' } }, /Second/);
    expect(readStore(app).namespaces).toEqual(
      expect.arrayContaining(['session', 'gap-in', 'binding', 'channel-settings', 'registry']),
    );
    expect(await readService(app)).toHaveLength(2);
    // A question is under way, at a service that hangs.
    await control(app, 'inspector/service', { state: 'hangs' });
    const before = readStore(app).inbox;
    void member.mention('And who came second?', /./).catch(() => undefined);
    await expect.poll(() => readStore(app).inbox).not.toBe(before);

    expect(await control(app, 'inspector/empty', {})).toEqual({});

    const [emptied, ...others] = await readService(app);
    expect(others).toEqual([]);
    expect(emptied).toMatchObject({ name: first?.name, sessions: 0 });
    expect(emptied?.sources.toSorted()).toEqual(first?.sources.toSorted());
    expect(sandbox.slack.contents().messages + sandbox.discord.contents().messages).toBe(0);
    const { namespaces, inbox, questions } = readStore(app);
    expect({ inbox, questions }).toEqual({ inbox: 0, questions: 0 });
    const ofPlatforms = ['home', 'watermark', 'direct-channel', 'discord-locale'];
    expect(['chatbot', ...ofPlatforms]).toEqual(expect.arrayContaining(namespaces));

    await member.mention('What is Causeway?', /Sources: /);
    expect(await client.listSessions(emptied?.uuid ?? '')).toHaveLength(1);
    await manager.use({ command: 'chatbot show', values: {} }, /Causeway[^]*threads where/);
    await manager.use({ command: 'source list', values: {} }, /^(?![^]*the bird)[^]*sources/);
    // Pressed again, it does the same.
    expect(await control(app, 'inspector/empty', {})).toEqual({});
    expect(await readService(app)).toMatchObject([{ name: first?.name, sessions: 0 }]);
  });

  it('ends a reply that is running, and leaves what a hosted service has', async () => {
    await using bridge = await openBridge(platform);
    const { sandbox, seat } = bridge;
    const call = async (path: string, method: string, body?: string) => {
      const url = `http://127.0.0.1/sandbox/control/inspector/${path}`;
      const headers = { 'content-type': 'application/json' };
      return (await sandbox.fetch(new Request(url, { method, headers, body }))).json();
    };
    const { thread } = await bridge.begin();
    const before = await call('contents', 'GET');
    expect(before).toMatchObject({ kept: 'service' });

    const ended = seat.replies(thread, 1, /^The first words\n\n⏹/);
    expect(await call('empty', 'POST', '{}')).toEqual({});
    await ended;

    const next = await bridge.ask('and then?');
    next.asked.write('The next words');
    next.asked.end();
    await seat.replies(next.thread, 1, /^The next words/);
    // One question and one reply, as before.
    expect(await call('contents', 'GET')).toEqual(before);
  });
});
