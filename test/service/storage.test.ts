import { expect, test } from 'vitest';
import { annasKey, bertsKey, startTestService, toForm } from './fixture.ts';
import { startWebsite } from './website.ts';

const mebibyte = 1024 * 1024;

test('an owner’s sources together have a limit, over all chatbots and for no other owner', async () => {
  await using service = await startTestService({ maxOwnerBytes: mebibyte });
  const content = 'word '.repeat(mebibyte / 10);
  const add = async (name: string, key: string, chatbot: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const body = toForm({ name, content });
    const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
    const response = await service.fetch(path, { method: 'POST', headers, body });
    return { status: response.status, json: (await response.json()) as { uuid?: string } };
  };
  const one = await service.createChatbot();
  const other = await service.createChatbot();
  const { json: berts } = await service.post('/api/v1/chatbot/create', { name: 'B' }, bertsKey);
  const first = await add('one.txt', annasKey, one);
  expect((await add('two.txt', annasKey, other)).status).toBe(200);

  const refused = await add('three.txt', annasKey, other);
  expect(refused.status).toBe(422);
  expect(refused.json).toMatchObject({ code: 'storage_full', params: { used: 1, max: 1 } });
  const qa = { question: 'Where?', answer: 'There.' };
  const path = `/api/v1/chatbot/${one}/data-source/qa`;
  expect((await service.post(path, qa)).json.code).toBe('storage_full');
  expect((await add('three.txt', bertsKey, berts.uuid)).status).toBe(200);

  await service.post(`/api/v1/data-source/${first.json.uuid}/delete`);
  expect((await add('three.txt', annasKey, other)).status).toBe(200);
});

test('a link that doesn’t fit says so; one that is fetched again takes the place of itself', async () => {
  await using site = await startWebsite();
  const page = '<p>The mill on the hill grinds wheat from Monday to Friday.</p>'.repeat(20);
  site.page = page;
  await using service = await startTestService({
    allowPrivateAddresses: true,
    maxOwnerBytes: page.length + 10,
  });
  const chatbot = await service.createChatbot();
  const add = async (path: string) => {
    const body = { url: site.url + path };
    const { json } = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, body);
    await service.service.settled();
    return String(json.uuid);
  };
  const list = async () => (await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json;
  const first = await add('/one');
  await add('/two');
  const [one, two] = await list();
  expect([one.status, two.status, two.file_size]).toEqual(['success', 'error:storage', 0]);
  expect(JSON.parse(two.meta_json)).toMatchObject({
    error: expect.stringContaining('OWNER_MAX_MB'),
    error_code: 'storage_full',
  });

  await service.post('/api/v1/data-sources/url/re-scrape', { uuids: [first] });
  await service.service.settled();
  expect((await list())[0].status).toBe('success');
});
