import { expect, test } from 'vitest';
import { bertsKey, startTestService } from './fixture.ts';

test('creates, gets and deletes a session', async () => {
  await using service = await startTestService({ now: () => 5500 });
  const chatbot = await service.createChatbot();
  const { status, json } = await service.post(`/api/v1/chatbot/${chatbot}/session/create`);
  expect(status).toBe(200);
  expect(json).toEqual({
    uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
    created_at: '1970-01-01T00:00:05Z',
    modified_at: '1970-01-01T00:00:05Z',
  });
  const path = `/api/v1/session/${json.uuid}`;
  expect((await service.get(path)).json).toEqual(json);
  expect((await service.get(path, bertsKey)).status).toBe(404);
  expect((await service.post(`${path}/delete`)).json).toEqual({ success: true });
  expect((await service.get(path)).status).toBe(404);
  expect((await service.post(`${path}/message/stream`, { query: 'Hello' })).status).toBe(404);
});

test('echoes the first values of variables', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const { json } = await service.post(`/api/v1/chatbot/${chatbot}/session/create`, {
    initial_variables: { plan: 'pro', seats: 3, trial: false },
  });
  expect(json.initial_variables).toEqual({ plan: 'pro', seats: 3, trial: false });
});

test('lists the sessions created within a time, both ends included', async () => {
  let nowMs = 0;
  await using service = await startTestService({ now: () => nowMs });
  const chatbot = await service.createChatbot();
  const uuids: string[] = [];
  for (nowMs of [10_000, 20_900, 30_000]) uuids.push(await service.createSession(chatbot));

  const list = async (query: string) => {
    const { json } = await service.get(`/api/v1/chatbot/${chatbot}/sessions${query}`);
    return json.map(({ uuid }: { uuid: string }) => uuids.indexOf(uuid));
  };
  const at = (second: number) => encodeURIComponent(`1970-01-01T00:00:${second}.000Z`);

  expect(await list('')).toEqual([0, 1, 2]);
  expect(await list(`?start_timestamp=${at(20)}`)).toEqual([1, 2]);
  expect(await list(`?end_timestamp=${at(20)}`)).toEqual([0, 1]);
  expect(await list(`?start_timestamp=${at(10)}&end_timestamp=${at(20)}`)).toEqual([0, 1]);
  expect(await list(`?start_timestamp=${at(31)}`)).toEqual([]);
});

test('lists the sessions created later within the second of the start', async () => {
  let nowMs = 12_400;
  await using service = await startTestService({ now: () => nowMs });
  const chatbot = await service.createChatbot();
  await service.createSession(chatbot);
  nowMs = 12_700;
  const later = await service.createSession(chatbot);

  const path = `/api/v1/chatbot/${chatbot}/sessions`;
  const { json } = await service.get(`${path}?start_timestamp=1970-01-01T00:00:12.500Z`);
  expect(json).toEqual([expect.objectContaining({ uuid: later })]);
  // The time that a session shows is that of both, as a start and as an end.
  const shown = json[0].created_at;
  for (const end of ['start', 'end']) {
    const { json: both } = await service.get(`${path}?${end}_timestamp=${shown}`);
    expect(both).toHaveLength(2);
  }
});

test.each(['yesterday', '2024-13-12', '2024-09-12T00:19:12%2B99:00', '1726100352'])(
  'refuses the timestamp %s',
  async (timestamp) => {
    await using service = await startTestService();
    const chatbot = await service.createChatbot();
    const path = `/api/v1/chatbot/${chatbot}/sessions?start_timestamp=${timestamp}`;
    const { status, json } = await service.get(path);
    expect(status).toBe(400);
    expect(json.error).toContain('start_timestamp: must be a time or a date');
  },
);
