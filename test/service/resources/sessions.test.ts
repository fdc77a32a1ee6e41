import { expect, test } from 'vitest';
import { startTestService } from '../fixture.ts';

test('the service lists the sessions created within a time, both ends included', async () => {
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

test('the service lists the sessions created later within the second of the start', async () => {
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
  expect(shown).toBe('1970-01-01T00:00:12Z');
  for (const end of ['start', 'end']) {
    const { json: both } = await service.get(`${path}?${end}_timestamp=${shown}`);
    expect(both).toHaveLength(2);
  }
});
