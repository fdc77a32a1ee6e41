import { expect, test } from 'vitest';
import { bertsKey, startTestService } from '../fixture.ts';

test('creates a chatbot with the documented defaults and its agent', async () => {
  await using service = await startTestService({
    now: () => Date.UTC(2024, 8, 12, 0, 19, 12, 345),
  });
  const { status, json } = await service.post('/api/v1/chatbot/create', { name: 'Guide' });
  expect(status).toBe(200);
  expect(json).toEqual({
    uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
    name: 'Guide',
    created_at: '2024-09-12T00:19:12Z',
    modified_at: '2024-09-12T00:19:12Z',
    meta: {
      rate_limit: [20, 240],
      rate_limit_message: '',
      show_citations: true,
      visibility: 'private',
      tells_evidence: true,
    },
  });

  const agents = await service.get(`/api/v1/chatbot/${json.uuid}/agents`);
  expect(agents.json).toMatchObject([
    { name: 'General Q&A', type: 'user-facing', enabled: true, meta: { use_all_sources: true } },
  ]);
});

test('updates what is named and leaves the rest', async () => {
  let nowMs = 1_000_000;
  await using service = await startTestService({ now: () => nowMs });
  const uuid = await service.createChatbot({ rate_limit: [5, 60], visibility: 'public' });
  nowMs += 2000;
  const { json } = await service.post(`/api/v1/chatbot/${uuid}/update`, {
    name: 'New',
    show_citations: false,
    rate_limit_message: 'Slow down',
  });
  expect(json).toMatchObject({
    name: 'New',
    created_at: '1970-01-01T00:16:40Z',
    modified_at: '1970-01-01T00:16:42Z',
    meta: {
      rate_limit: [5, 60],
      rate_limit_message: 'Slow down',
      show_citations: false,
      visibility: 'public',
    },
  });
  expect((await service.get(`/api/v1/chatbot/${uuid}`)).json).toEqual(json);
});

test('lists the chatbots of the key’s owner alone', async () => {
  await using service = await startTestService();
  const one = await service.createChatbot({ name: 'One' });
  const two = await service.createChatbot({ name: 'Two' });
  const { json } = await service.get('/api/v1/chatbots');
  expect(json.map(({ uuid }: { uuid: string }) => uuid)).toEqual([one, two]);
  expect((await service.get('/api/v1/chatbots', bertsKey)).json).toEqual([]);
});

test.each([
  ['no name', {}, 'name: is required (a string)'],
  ['an empty name', { name: ' ' }, 'name: must be at least 1 character'],
  ['too many messages', { name: 'x', rate_limit: [101, 60] }, 'rate_limit.0: must be at most 100'],
  ['too few seconds', { name: 'x', rate_limit: [1, 0] }, 'rate_limit.1: must be at least 1'],
  ['one number', { name: 'x', rate_limit: [1] }, 'rate_limit'],
  ['a word', { name: 'x', rate_limit: 'often' }, 'rate_limit: must be'],
  ['a visibility', { name: 'x', visibility: 'all' }, 'must be one of private, public, hybrid'],
  ['a temperature', { name: 'x', temperature: 1.1 }, 'temperature: must be at most 1'],
  ['a field that is none', { name: 'x', nmae: 'y' }, 'nmae: is not a field here'],
  ['a list', [], 'The body: must be an object'],
])('refuses %s with 400 and says what is wrong', async (_, body, message) => {
  await using service = await startTestService();
  const { status, json } = await service.post('/api/v1/chatbot/create', body);
  expect(status).toBe(400);
  expect(json.error).toContain(message);
});
