import { describe, expect, test } from 'vitest';
import { serveSandbox } from '../serve-sandbox.ts';

const guide = new File(['# Guide'], 'Anleitung für alle.md', { type: 'text/markdown' });

test('the control API accepts requests from its own origin only', async () => {
  await using served = await serveSandbox();
  const ask = (origin: string) =>
    fetch(`${served.control}/overview`, { headers: { origin } }).then(({ status }) => status);
  expect(await ask(served.origin)).toBe(200);
  for (const origin of ['http://evil.example', 'http://127.0.0.1:1', 'null']) {
    expect(await ask(origin)).toBe(403);
  }
});

test('the control API reads JSON and forms of limited size', async () => {
  await using served = await serveSandbox();
  const say = async (body: string | FormData, type?: string) => {
    const headers = type ? { 'content-type': type } : {};
    const response = await fetch(`${served.control}/slack/say`, { method: 'POST', body, headers });
    const { error } = (await response.json()) as { error?: string };
    return [response.status, error];
  };
  const json = 'application/json';
  const saying = JSON.stringify({ user: 'ada', channel: '#general', text: 'hello' });
  expect([
    await say(saying, json),
    await say(saying, 'text/plain'),
    await say(JSON.stringify({ text: 'x'.repeat(300_000) }), json),
    await say('{', json),
    await say(new FormData()),
    await say('--x\r\nnonsense', 'multipart/form-data; boundary=x'),
  ]).toEqual([
    [200, undefined],
    [415, 'Send application/json or multipart/form-data.'],
    [413, 'The request is larger than 262144 bytes.'],
    [400, 'The request is not JSON.'],
    [400, 'json: is missing; it is the field with the request itself.'],
    [400, 'The form is malformed or incomplete.'],
  ]);
});

const text = 'x'.repeat(2_001);
const rejected: [string, object, string][] = [
  ['/slack/say', { channel: '#general', text: '' }, 'user: is missing'],
  ['/slack/say', { user: 'ada', channel: '#general' }, 'A message needs a text or a file.'],
  [
    '/slack/say',
    { user: 'eve', channel: '#general' },
    'user: unknown person eve. Use one of: ada, grace, linus, konrad.',
  ],
  ['/discord/say', { user: 'ada', channel: '#nowhere' }, 'channel: unknown channel #nowhere.'],
  ['/discord/say', { user: 'ada', channel: '#general' }, 'Cannot send an empty message'],
  [
    '/discord/say',
    { user: 'ada', channel: '#general', text },
    'Invalid Form Body: content Must be 2000 or fewer in length.',
  ],
];

test('the control API says in words why it rejects a request', async () => {
  await using served = await serveSandbox();
  for (const [path, body, error] of rejected) {
    expect((await served.post(path, body)).body).toEqual({ error });
  }
  expect((await served.get('/nothing')).body).toEqual({ error: 'Unknown operation.' });
  const limited = await served.get('/slack/messages?user=ada&channel=%23general&limit=x');
  expect(limited.body).toEqual({ error: 'limit: must be a number of messages' });
});

test('the overview names people, channels and the bot of both platforms', async () => {
  await using served = await serveSandbox();
  const { slack, discord } = served.sandbox;
  const { body } = await served.get('/overview');
  expect(body).toMatchObject({
    slack: {
      people: [{ name: 'ada' }, { name: 'grace' }, { name: 'linus' }, { name: 'konrad' }],
      bot: { id: slack.bot.user, name: 'causeway' },
      connections: 0,
      channels: expect.arrayContaining([
        expect.objectContaining({ name: 'general', kind: 'channel' }),
        expect.objectContaining({ name: 'Causeway', kind: 'direct' }),
      ]),
      commands: [{ name: 'invite' }],
    },
    discord: {
      people: [{ name: 'ada' }, { name: 'grace' }, { name: 'linus' }, { name: 'konrad' }],
      bot: { id: discord.credentials.applicationId },
      channels: expect.arrayContaining([
        expect.objectContaining({ name: 'general', kind: 'channel' }),
      ]),
      threads: [],
    },
  });
});

describe.each(['slack', 'discord'])('%s', (platform) => {
  const general = { user: 'ada', channel: '#general' };

  test('a message is said, with a file that can be fetched, changed and deleted', async () => {
    await using served = await serveSandbox();
    const { get, post } = served;
    const saying = { ...general, text: 'See a < b' };
    const said = await post(`/${platform}/say`, saying, { files: guide });
    const message = said.body['message'] as { id: string; files: { url: string }[] };
    expect(message).toMatchObject({
      author: { name: 'ada', bot: false },
      inChannel: true,
      edited: false,
      source: 'See a < b',
      files: [{ name: 'Anleitung für alle.md', size: 7 }],
    });
    const file = await fetch(new URL(message.files[0]?.url ?? '', served.origin));
    expect(await file.text()).toBe('# Guide');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/);

    const at = { ...general, message: message.id };
    await post(`/${platform}/edit`, { ...at, text: 'See b' });
    const read = () => get(`/${platform}/messages?user=grace&channel=%23general`);
    expect((await read()).body).toMatchObject({
      messages: [{ id: message.id, edited: true, parts: [{ kind: 'text', text: 'See b' }] }],
      more: false,
      activity: '',
    });
    expect(await post(`/${platform}/edit`, { ...at, user: 'linus', text: 'x' })).toMatchObject({
      status: 400,
    });
    expect(await post(`/${platform}/delete`, { ...at, user: 'linus' })).toMatchObject({
      status: 400,
    });
    expect(await post(`/${platform}/delete`, at)).toMatchObject({ status: 200 });
    expect((await read()).body['messages']).toEqual([]);
  });

  test('the newest messages are listed, as many as asked for', async () => {
    await using served = await serveSandbox();
    for (const text of ['one', 'two', 'three']) {
      await served.post(`/${platform}/say`, { ...general, text });
    }
    const { body } = await served.get(`/${platform}/messages?user=ada&channel=%23general&limit=2`);
    expect(body).toMatchObject({ messages: [{ source: 'two' }, { source: 'three' }], more: true });
  });

  test('messages are listed in pages before or after another', async () => {
    await using served = await serveSandbox();
    const { get, post } = served;
    const say = async (text: string, place: object = general) => {
      const { body } = await post(`/${platform}/say`, { ...place, text });
      return (body['message'] as { id: string }).id;
    };
    const list = async (query: Record<string, string>) => {
      const asked = new URLSearchParams({ user: 'ada', channel: '#general', ...query });
      const { status, body } = await get(`/${platform}/messages?${String(asked)}`);
      const messages = (body['messages'] ?? []) as { source: string }[];
      return [status, messages.map(({ source }) => source).join(), body['more']];
    };
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c', 'd', 'e']) ids.push(await say(text));
    const [a = '', , , d = '', e = ''] = ids;
    expect(await list({ before: e, limit: '2' })).toEqual([200, 'c,d', true]);
    expect(await list({ before: d, limit: '3' })).toEqual([200, 'a,b,c', false]);
    expect(await list({ before: a })).toEqual([200, '', false]);
    expect(await list({ after: a, limit: '2' })).toEqual([200, 'b,c', true]);
    expect(await list({ after: e })).toEqual([200, '', false]);
    expect((await list({ before: a, after: e }))[0]).toBe(400);
    // A page's neighbour may be gone.
    await post(`/${platform}/delete`, { ...general, message: d });
    expect(await list({ before: d, limit: '2' })).toEqual([200, 'b,c', true]);
  });

  test('a direct message is for its people only', async () => {
    await using served = await serveSandbox();
    const { body } = await served.get('/overview');
    const { channels, people } = body[platform] as {
      channels: { id: string; kind: string; people?: string[] }[];
      people: { id: string }[];
    };
    const mine = channels.find(
      ({ people: who }) => who?.includes(people[0]?.id ?? '') && who.length < 3,
    );
    const ask = (user: string) =>
      served.get(`/${platform}/messages?user=${user}&channel=${mine?.id}`);
    expect(await ask('ada')).toMatchObject({ status: 200 });
    expect(await ask('grace')).toMatchObject({ status: 400 });
  });

  test('faults are set, read and cleared', async () => {
    await using served = await serveSandbox();
    const { get, post, control, sandbox } = served;
    const path = `/${platform}/faults`;
    expect((await get(path)).body).toEqual({ latency: 0, rateLimits: true });
    const fault = { method: 'chat.update', times: 1, status: 502, afterEffect: true };
    const changed = await post(path, { latency: 40, rateLimits: false, faults: [fault] });
    expect(changed.body).toEqual({ latency: 40, rateLimits: false });
    const { faults } = platform === 'slack' ? sandbox.slack : sandbox.discord;
    expect(faults.take('chat.update')).toMatchObject({ status: 502, afterEffect: true });
    expect(faults.take('chat.update')).toBeUndefined();

    await post(path, { faults: [fault] });
    const cleared = await fetch(`${control}${path}`, { method: 'DELETE' });
    expect(await cleared.json()).toEqual({ latency: 0, rateLimits: true });
    expect(faults.take('chat.update')).toBeUndefined();
    expect(await post(path, { latency: -1 })).toMatchObject({ status: 400 });
    expect(await post(path, { faults: [{ method: 'x' }] })).toEqual({
      status: 400,
      body: { error: 'faults.0.times: is missing' },
    });
  });
});
