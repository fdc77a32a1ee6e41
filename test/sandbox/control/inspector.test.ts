import { once } from 'node:events';
import { Events } from 'discord.js';
import { expect, test } from 'vitest';
import { startBot } from '../slack/start-bot.ts';
import { callDiscord, callSlack, serveSandbox, startDiscordBot } from '../serve-sandbox.ts';

type Served = Awaited<ReturnType<typeof serveSandbox>>;

const platforms = {
  slack: {
    call({ sandbox }: Served, text: string) {
      const { slack } = sandbox;
      const message = { token: slack.credentials.botToken, channel: slack.channels()[0]?.id, text };
      return callSlack(sandbox, 'chat.postMessage', message);
    },
    made: { method: 'chat.postMessage', arguments: { token: '(hidden)', text: 'Hello' } },
    answered: { ok: true, message: { text: 'Hello' } },
  },
  discord: {
    call: ({ sandbox }: Served, content: string) =>
      callDiscord(sandbox, `/channels/${sandbox.discord.channels()[0]?.id}/messages`, { content }),
    made: { method: 'POST /channels/:channel/messages', arguments: { content: 'Hello' } },
    answered: { content: 'Hello' },
  },
} as const;

const inspect = async ({ get }: Served, query = '') => {
  const { body } = await get(`/inspector${query}`);
  return body as Record<string, unknown> & { calls: object[] };
};

test.each(['slack', 'discord'] as const)('calls on %s are listed in order', async (name) => {
  await using served = await serveSandbox();
  const { call: make, made, answered } = platforms[name];
  expect((await make(served, 'Hello')).status).toBe(200);
  const { calls } = await inspect(served);
  const call = { id: 1, platform: name, status: 200, isInjected: false };
  expect(calls).toMatchObject([{ ...call, ...made, response: answered }]);

  await served.post(`/${name}/faults`, { every: { status: 503 } });
  expect((await make(served, 'Hello')).status).toBe(503);
  await served.post(`/${name}/faults`, { every: { retryAfter: 7 } });
  expect((await make(served, 'Hello')).headers.get('retry-after')).toBe('7');
  const limited = await inspect(served, '?after=1');
  expect(limited.calls).toMatchObject([
    { id: 2, status: 503, isInjected: true },
    { id: 3, status: 429, isInjected: true },
  ]);
  expect(limited[name]).toMatchObject({ every: { retryAfter: 7 }, connections: 0 });
  await served.post(`/${name}/faults`, { every: { drop: true } });
  await expect(make(served, 'Hello')).rejects.toThrow('fetch failed');
  await served.post(`/${name}/faults`, { every: null });
  expect((await make(served, 'Hello')).status).toBe(200);
  expect((await inspect(served, '?after=3')).calls).toMatchObject([{ status: 0 }, { status: 200 }]);
});

test('events that reach the bot are listed, too', async () => {
  await using served = await serveSandbox();
  const { sandbox, post } = served;
  const heard = Promise.withResolvers<void>();
  await using _ = await startBot(sandbox.slack, (app) => {
    app.message('Hello', async () => heard.resolve());
  });
  await using bot = await startDiscordBot(sandbox);
  const said = once(bot.client, Events.MessageCreate);
  await post('/slack/say', { user: 'ada', channel: '#general', text: 'Hello' });
  await post('/discord/say', { user: 'ada', channel: '#general', text: 'Hello' });
  await Promise.all([heard.promise, said]);
  await expect
    .poll(async () => (await inspect(served)).calls)
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ platform: 'slack', method: 'event message', status: 200 }),
        expect.objectContaining({ platform: 'discord', method: 'event MESSAGE_CREATE' }),
      ]),
    );
});

test.each(['slack', 'discord'] as const)(
  'the inspector shows no credentials of %s',
  async (name) => {
    await using served = await serveSandbox();
    const { slack, discord } = served.sandbox;
    const { botToken, appToken } = slack.credentials;
    const { token } = discord.credentials;
    await platforms[name].call(served, `Mine is ${name === 'slack' ? botToken : token}`);
    await callSlack(served.sandbox, 'apps.connections.open', {}, appToken);
    const shown = JSON.stringify(await inspect(served));
    expect(shown).toContain('Mine is (hidden)');
    expect(shown).toContain('ticket=(hidden)');
    for (const secret of [botToken, appToken, token]) expect(shown).not.toContain(secret);
  },
);

test('the last five hundred calls are kept', async () => {
  await using served = await serveSandbox();
  const { apiUrl } = served.sandbox.slack.credentials;
  for (let call = 0; call < 1_010; call += 1) {
    const { routes } = served.sandbox.slack;
    await routes.request(`${new URL(apiUrl).origin}/api/nothing`);
  }
  const { calls } = await inspect(served);
  expect(calls.length).toBe(500);
  expect(calls.at(-1)).toMatchObject({ id: 1_010, response: { error: 'unknown_method' } });
});

test('everything said is deleted on both platforms; people and channels stay', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  const before = await get('/overview');
  const guide = { files: new File(['# Guide'], 'guide.md') };
  const general = { user: 'ada', channel: '#general', text: 'Hello' };
  const said = await post('/discord/say', general, guide);
  await post('/slack/say', general, guide);
  await platforms.discord.call(served, 'Hello');
  const { id, channel } = said.body['message'] as { id: string; channel: string };
  const path = `/channels/${channel}/messages/${id}/threads`;
  await callDiscord(sandbox, path, { name: 'About it' });
  const counts = { messages: 4, threads: 1, files: 2 };
  expect((await get('/inspector/contents')).body).toEqual({ ...counts, kept: 'all' });

  const told = { slack: 0, discord: 0 };
  sandbox.slack.changes.subscribe(({ kind }) => (told.slack += kind === 'emptied' ? 1 : 0));
  sandbox.discord.changes.subscribe(({ kind }) => (told.discord += kind === 'emptied' ? 1 : 0));
  expect(await post('/inspector/empty', {})).toMatchObject({ status: 200 });
  expect(told).toEqual({ slack: 1, discord: 1 });
  expect((await get('/inspector/contents')).body).toMatchObject({
    messages: 0,
    threads: 0,
    files: 0,
  });
  expect(await inspect(served)).toMatchObject({ calls: [], replies: [] });
  for (const platform of ['slack', 'discord']) {
    const { body } = await get(`/${platform}/messages?user=ada&channel=%23general`);
    expect(body['messages']).toEqual([]);
    expect((await get('/overview')).body[platform]).toEqual(before.body[platform]);
  }
});
