import { expect, test } from 'vitest';
import { handbook, startTestService, type TestService, type UploadFile } from './fixture.ts';

const menu: UploadFile = {
  name: 'menu.md',
  content: '# Kitchen\n\nThe kitchen serves pancakes on Sunday evenings from six to eight.\n',
};

const openQuery = 'When does the lighthouse open?';
const menuQuery = 'When does the kitchen serve pancakes?';

async function startWithSources() {
  const service = await startTestService();
  const chatbot = await service.createChatbot();
  const upload = async (file: UploadFile) => {
    const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
    return String((await service.upload(path, file)).json.uuid);
  };
  const [handbookUuid, menuUuid] = [await upload(handbook), await upload(menu)];
  await service.service.settled();
  const agents = await service.get(`/api/v1/chatbot/${chatbot}/agents`);
  const session = await service.createSession(chatbot);
  return Object.assign(service, {
    chatbot,
    handbookUuid,
    menuUuid,
    agent: String(agents.json[0].uuid),
    ask: async (query: string) => {
      const path = `/api/v1/session/${session}/message/non-stream`;
      return String((await service.post(path, { query })).json.response);
    },
  });
}

async function createTag(service: TestService, chatbot: string, sources: string[]) {
  const { json } = await service.post(`/api/v1/chatbot/${chatbot}/source-tag/create`, {
    name: 'Food',
    color: '#00ff00',
    data_source_uuids: sources,
  });
  return String(json.uuid);
}

test('an agent sees the sources it is given, none, or all', async () => {
  await using service = await startWithSources();
  const update = (changes: object) =>
    service.post(`/api/v1/agent/${service.agent}/update`, changes);
  expect(await service.ask(menuQuery)).toContain('Sunday');
  await update({ use_all_sources: false, data_source_uuids: [service.handbookUuid] });
  expect(await service.ask(openQuery)).toContain('nine in the morning');
  expect(await service.ask(menuQuery)).not.toContain('Sunday');
  await update({ data_source_uuids: [] });
  expect(await service.ask(openQuery)).not.toContain('nine in the morning');
  await update({ use_all_sources: true });
  expect(await service.ask(menuQuery)).toContain('Sunday');
});

test('an agent sees the sources of its source tags, as the tags change', async () => {
  await using service = await startWithSources();
  const tag = await createTag(service, service.chatbot, []);
  const { json } = await service.post(`/api/v1/agent/${service.agent}/update`, {
    use_all_sources: false,
    data_source_uuids: [service.handbookUuid],
    source_tag_uuids: [tag, tag],
  });
  expect(json.meta.source_tag_uuids).toEqual([tag]);
  expect(json.data_source_uuids).toEqual([service.handbookUuid]);
  expect(await service.ask(menuQuery)).not.toContain('Sunday');

  const retag = (sources: string[]) =>
    service.post(`/api/v1/source-tag/${tag}/update`, { data_source_uuids: sources });
  await retag([service.menuUuid]);
  expect(await service.ask(menuQuery)).toContain('Sunday');
  expect(await service.ask(openQuery)).toContain('nine in the morning');
  await retag([]);
  expect(await service.ask(menuQuery)).not.toContain('Sunday');

  await service.delete(`/api/v1/source-tag/${tag}/delete`);
  const agent = await service.get(`/api/v1/agent/${service.agent}`);
  expect(agent.json.meta.source_tag_uuids).toEqual([]);
});

test('an agent accepts source tags of its own chatbot only', async () => {
  await using service = await startWithSources();
  const tag = await createTag(service, service.chatbot, [service.menuUuid]);
  const foreign = await createTag(service, await service.createChatbot(), []);
  const create = (source_tag_uuids: string[]) =>
    service.post(`/api/v1/chatbot/${service.chatbot}/agent/create`, {
      name: 'Cook',
      type: 'user-facing',
      use_all_sources: false,
      source_tag_uuids,
    });
  expect((await create([tag])).json.meta.source_tag_uuids).toEqual([tag]);
  const refused = await create([foreign]);
  expect(refused.status).toBe(422);
  expect(refused.json.error).toBe(
    `source_tag_uuids: this chatbot has no source tag ${foreign}: name only its own`,
  );
});
