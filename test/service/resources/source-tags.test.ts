import { expect, test } from 'vitest';
import { handbook, startTestService } from '../fixture.ts';

test('creates, lists, updates and deletes source tags', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const source = await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  const created = await service.post(`/api/v1/chatbot/${chatbot}/source-tag/create`, {
    name: 'Docs',
    color: '#12AbcD',
    data_source_uuids: [source.json.uuid],
  });
  expect(created.json).toEqual({
    uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
    name: 'Docs',
    color: '#12AbcD',
    data_source_uuids: [source.json.uuid],
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    modified_at: created.json.created_at,
  });

  const list = `/api/v1/chatbot/${chatbot}/source-tags`;
  expect((await service.get(list)).json).toEqual([created.json]);

  const update = `/api/v1/source-tag/${created.json.uuid}/update`;
  const renamed = await service.post(update, { name: 'Papers' });
  expect(renamed.json).toMatchObject({ name: 'Papers', data_source_uuids: [source.json.uuid] });
  const emptied = await service.post(update, { data_source_uuids: [], color: '#000000' });
  expect(emptied.json).toMatchObject({ name: 'Papers', color: '#000000', data_source_uuids: [] });

  expect((await service.delete(`/api/v1/source-tag/${created.json.uuid}/delete`)).json).toEqual({
    success: true,
  });
  expect((await service.get(list)).json).toEqual([]);
  expect((await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json).toHaveLength(1);
});

test('refuses bad colours and unknown sources', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const create = `/api/v1/chatbot/${chatbot}/source-tag/create`;

  const colour = await service.post(create, { name: 'Docs', color: 'red' });
  expect(colour.status).toBe(400);
  expect(colour.json.error).toContain('color: must be a colour like #1f2937');

  const unknown = { name: 'Docs', color: '#000000', data_source_uuids: ['0'.repeat(32)] };
  expect((await service.post(create, unknown)).status).toBe(422);
});
