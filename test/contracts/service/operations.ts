import { expect, test } from 'vitest';
import type { OperationName } from '../../../src/shared/api/operations.ts';
import type { ChatbotClient } from '../../../src/bridge/chatbot/chatbot-client.ts';
import {
  answer,
  createThings,
  expectTimes,
  expectUuid,
  question,
  type ServedClients,
  type Things,
  toFile,
} from './world.ts';

interface World {
  anna: ChatbotClient;
  served: ServedClients;
  things: Things;
}

const hourMs = 60 * 60 * 1000;

/** What every operation does when all is well. */
const does: Record<OperationName, (world: World) => Promise<void>> = {
  async createChatbot({ anna }) {
    const chatbot = await anna.createChatbot({ name: 'Guide' });
    expectUuid(chatbot.uuid);
    expectTimes(chatbot);
    expect(chatbot).toMatchObject({
      name: 'Guide',
      meta: {
        rate_limit: [20, 240],
        rate_limit_message: '',
        show_citations: true,
        visibility: 'private',
      },
    });
    const [agent, ...others] = await anna.listAgents(chatbot.uuid);
    expect(others).toEqual([]);
    expect(agent).toMatchObject({ name: 'General Q&A', type: 'user-facing', enabled: true });
    const settings = {
      rate_limit: [1, 360] as [number, number],
      rate_limit_message: 'Slowly.',
      show_citations: false,
      visibility: 'hybrid' as const,
    };
    const given = await anna.createChatbot({
      name: 'B',
      ...settings,
      model: 'gpt-4',
      prompt: 'Be brief.',
      temperature: 1,
    });
    expect(given.meta).toMatchObject(settings);
    expect((await anna.listAgents(given.uuid))[0]).toMatchObject({
      prompt: 'Be brief.',
      meta: { model: 'gpt-4', temperature: 1 },
    });
  },
  async listChatbots({ anna, things }) {
    const chatbots = await anna.listChatbots();
    expect(chatbots.map(({ uuid }) => uuid)).toContain(things.chatbot);
  },
  async getChatbot({ anna, things }) {
    const chatbot = await anna.getChatbot(things.chatbot);
    expect(chatbot).toMatchObject({ uuid: things.chatbot, name: 'Guide' });
  },
  async updateChatbot({ anna, things }) {
    await anna.updateChatbot(things.chatbot, { rate_limit: [100, 1] });
    const chatbot = await anna.updateChatbot(things.chatbot, { visibility: 'public' });
    expect(chatbot.name).toBe('Guide');
    expect(chatbot.meta).toMatchObject({ rate_limit: [100, 1], visibility: 'public' });
    expect(await anna.getChatbot(things.chatbot)).toEqual(chatbot);
  },
  async deleteChatbot({ anna, things }) {
    await anna.deleteChatbot(things.chatbot);
    await expect(anna.getChatbot(things.chatbot)).rejects.toMatchObject({ status: 404 });
  },

  async listAgents({ anna, things }) {
    const [agent] = await anna.listAgents(things.chatbot);
    expectUuid(agent?.uuid);
    expect(agent).toMatchObject({
      data_source_uuids: [],
      enabled: true,
      meta: { temperature: 0, use_all_sources: true },
      tool_functions: [],
      type: 'user-facing',
    });
  },
  async createAgent({ anna, things }) {
    const agent = await anna.createAgent(things.chatbot, {
      name: 'Labels',
      type: 'background',
      tags: { name: 'Angry', criteria: 'The user is angry', color: '#ff0000' },
    });
    expectUuid(agent.uuid);
    expectTimes(agent);
    expect(agent).toMatchObject({
      name: 'Labels',
      type: 'background',
      enabled: false,
      meta: { tags: [{ name: 'Angry', criteria: 'The user is angry', color: '#ff0000' }] },
    });
    expect(agent).not.toHaveProperty('human_escalation_settings');
    const meta = { temperature: 0.5, bias: 7, unheard_of: true };
    const given = { name: 'By meta', type: 'user-facing' as const, bias: 8, meta };
    expect(await anna.createAgent(things.chatbot, given)).toMatchObject({
      meta: { temperature: 0.5, bias: 8 },
    });
  },
  async getAgent({ anna, things }) {
    const agent = await anna.call('getAgent', { params: { uuid: things.agent } });
    expect(agent).toMatchObject({ uuid: things.agent, name: 'General Q&A' });
  },
  async updateAgent({ anna, things }) {
    const changes = {
      name: 'Facts',
      prompt: 'Be brief.',
      description: 'Answers.',
      enabled: false,
      data_source_uuids: [things['data-source']],
      variables: [
        {
          name: 'name',
          description: 'The user’s name',
          type: 'string' as const,
          example: 'Ada',
          default_value: { content: 'friend', static: 0 },
        },
      ],
    };
    const meta = { model: 'gpt-4', temperature: 0.5, use_all_sources: false };
    const settings = { human_escalation_settings: { sound_enabled: true } };
    const agent = await anna.updateAgent(things.agent, { ...changes, ...meta, ...settings });
    expect(agent).toMatchObject({ ...changes, meta, ...settings });
    expect(await anna.updateAgent(things.agent, {})).toMatchObject({ ...changes, meta });
    expect((await anna.listAgents(things.chatbot))[0]).toMatchObject(settings);
  },
  async deleteAgent({ anna, things }) {
    await anna.deleteAgent(things.agent);
    await expect(anna.deleteAgent(things.agent)).rejects.toMatchObject({ status: 404 });
    expect(await anna.listAgents(things.chatbot)).toEqual([]);
  },
  async listAgentModels({ anna }) {
    const { models } = await anna.call('listAgentModels', {});
    expect(models.length).toBeGreaterThan(0);
  },
  async listAgentModelCosts({ anna }) {
    const { models } = await anna.call('listAgentModels', {});
    const { model_costs: costs } = await anna.call('listAgentModelCosts', {});
    expect(Object.keys(costs)).toEqual(models);
  },

  async listDataSources({ anna, things }) {
    const [source] = await anna.listDataSources(things.chatbot);
    expectTimes(source ?? { created_at: '', modified_at: '' });
    expect(source).toMatchObject({ uuid: things['data-source'], type: 'qa', status: 'success' });
  },
  async uploadDataSource({ anna, served, things }) {
    const file = toFile('menu.md', '# Menu of the Inn\n\nPancakes.\n', 'text/markdown');
    const link = { referenceSourceLink: 'https://example.com/menu' };
    const { source, duplicate } = await anna.uploadDataSource(things.chatbot, { ...file, ...link });
    expectUuid(source.uuid);
    expect(duplicate).toBe(false);
    expect(source).toMatchObject({ type: 'upload', status: 'await', file_name: 'menu.md' });
    expect(source.file_size).toBe(29);
    expect(JSON.parse(source.meta_json)).toEqual({
      reference_source_link: 'https://example.com/menu',
    });
    await served.settled();
    const listed = await anna.listDataSources(things.chatbot);
    const stored = listed.find(({ uuid }) => uuid === source.uuid);
    expect(stored).toMatchObject({ status: 'success', title: 'Menu of the Inn' });
    expect(stored?.tokens).toBeGreaterThan(0);
  },
  async addUrlSource({ anna, things }) {
    const { source } = await anna.addUrlSource(things.chatbot, { url: 'http://127.0.0.1:9/page' });
    expectUuid(source.uuid);
    expect(source).toMatchObject({
      type: 'link',
      status: 'await',
      file_name: 'http://127.0.0.1:9/page',
    });
  },
  async addQaSource({ anna, things }) {
    const qa = { question: 'Who built it?', answer: 'Ada.' };
    const { source } = await anna.addQaSource(things.chatbot, qa);
    expect(source).toMatchObject({ type: 'qa', title: 'Who built it?' });
    expect(JSON.parse(source.meta_json)).toEqual(qa);
  },
  async getDataSource({ anna, things }) {
    const params = { uuid: things['data-source'] };
    const source = await anna.call('getDataSource', { params });
    expect(await anna.listDataSources(things.chatbot)).toEqual([source]);
  },
  async listSourceQuestions({ anna, things }) {
    const params = { uuid: things['data-source'] };
    const { questions } = await anna.call('listSourceQuestions', { params });
    expect(questions.every((question) => typeof question === 'string')).toBe(true);
    expect(questions.length).toBeLessThanOrEqual(3);
  },
  async updateDataSource({ anna, things }) {
    const source = await anna.updateDataSource(things['data-source'], { title: 'Hours' });
    expect(source.title).toBe('Hours');
  },
  async deleteDataSource({ anna, things }) {
    await anna.deleteDataSource(things['data-source']);
    expect(await anna.listDataSources(things.chatbot)).toEqual([]);
  },
  async deleteDataSources({ anna, things }) {
    const { source } = await anna.addQaSource(things.chatbot, { question: 'A?', answer: 'B.' });
    const uuids = [things['data-source'], source.uuid];
    expect(await anna.call('deleteDataSources', { body: { uuids: [] } })).toEqual({
      success: true,
    });
    expect(await anna.listDataSources(things.chatbot)).toHaveLength(2);
    expect(await anna.call('deleteDataSources', { body: { uuids } })).toEqual({ success: true });
    expect(await anna.listDataSources(things.chatbot)).toEqual([]);
  },
  async rescrapeUrlSources({ anna, things }) {
    expect(await anna.call('rescrapeUrlSources', { body: { uuids: [] } })).toEqual([]);
    const { source } = await anna.addUrlSource(things.chatbot, { url: 'http://127.0.0.1:9/' });
    const uuids = [source.uuid, things['data-source']];
    expect(await anna.call('rescrapeUrlSources', { body: { uuids } })).toEqual([
      { uuid: source.uuid, status: 'restarted scraping' },
      { uuid: things['data-source'], error: 'invalid data source' },
    ]);
  },
  async restartDataSources({ anna, served, things }) {
    expect(await anna.call('restartDataSources', { body: { uuids: [] } })).toEqual([]);
    const { source } = await anna.addUrlSource(things.chatbot, { url: 'http://127.0.0.1:9/' });
    await served.settled();
    const uuids = [source.uuid, '0'.repeat(32)];
    expect(await anna.call('restartDataSources', { body: { uuids } })).toEqual([
      { uuid: source.uuid, status: 'restarted' },
      { uuid: '0'.repeat(32), error: 'invalid data source' },
    ]);
  },

  async listSourceTags({ anna, things }) {
    const [tag] = await anna.listSourceTags(things.chatbot);
    expect(tag).toMatchObject({ uuid: things['source-tag'], name: 'All', color: '#1f2937' });
  },
  async createSourceTag({ anna, served, things }) {
    const body = { name: 'HR', color: '#AABBCC', data_source_uuids: [things['data-source']] };
    const tag = await anna.createSourceTag(things.chatbot, body);
    expectUuid(tag.uuid);
    expectTimes(tag);
    expect(tag).toMatchObject(body);
    const plural = await served.fetch(`/api/v1/chatbot/${things.chatbot}/source-tags/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, data_source_uuids: undefined }),
    });
    expect(await plural.json()).toMatchObject({ ...body, data_source_uuids: [] });
  },
  async updateSourceTag({ anna, things }) {
    const changes = { name: 'IT', data_source_uuids: [things['data-source']] };
    const tag = await anna.updateSourceTag(things['source-tag'], changes);
    expect(tag).toMatchObject({ ...changes, color: '#1f2937' });
  },
  async deleteSourceTag({ anna, things }) {
    await anna.deleteSourceTag(things['source-tag']);
    expect(await anna.listSourceTags(things.chatbot)).toEqual([]);
    expect(await anna.listDataSources(things.chatbot)).toHaveLength(1);
  },

  async listSessions({ anna, things }) {
    const [session] = await anna.listSessions(things.chatbot);
    expect(session?.uuid).toBe(things.session);
    const created = session?.created_at.replace('Z', '.000Z') ?? '';
    const at = (offsetMs: number) => new Date(Date.parse(created) + offsetMs).toISOString();
    const count = async (filter: object) =>
      (await anna.listSessions(things.chatbot, filter)).length;
    expect(await count({ start_timestamp: created, end_timestamp: created })).toBe(1);
    expect(await count({ start_timestamp: at(1000) })).toBe(0);
    expect(await count({ end_timestamp: at(-1) })).toBe(0);
    // The service's own times, any precision and offset, and dates: the whole day, in UTC.
    const shown = session?.created_at ?? '';
    expect(await count({ start_timestamp: shown, end_timestamp: shown })).toBe(1);
    const inTokyo = new Date(Date.parse(created) + 9 * hourMs).toISOString();
    const offset = inTokyo.replace('.000Z', '.000000+09:00');
    expect(await count({ start_timestamp: offset, end_timestamp: offset })).toBe(1);
    const day = created.slice(0, 10);
    expect(await count({ start_timestamp: day, end_timestamp: day })).toBe(1);
    const dayBefore = at(-24 * hourMs).slice(0, 10);
    expect(await count({ end_timestamp: dayBefore })).toBe(0);
  },
  async createSession({ anna, things }) {
    const session = await anna.createSession(things.chatbot);
    expectUuid(session.uuid);
    expectTimes(session);
    const params = { uuid: things.chatbot };
    const body = { initial_variables: { name: 'Ada', age: 36, admin: true } };
    expect(await anna.call('createSession', { params, body })).toMatchObject(body);
  },
  async getSession({ anna, things }) {
    expect((await anna.getSession(things.session)).uuid).toBe(things.session);
  },
  async deleteSession({ anna, things }) {
    await anna.deleteSession(things.session);
    await expect(anna.listMessages(things.session)).rejects.toMatchObject({ status: 404 });
  },

  async streamMessage({ anna, things, served }) {
    const deltas = await Array.fromAsync(anna.streamReply(things.session, question));
    expect(deltas.join('')).toContain('nine in the morning');
    const last = (await anna.listMessages(things.session)).at(-1);
    expect(last).toMatchObject({ query: question, response: deltas.join('') });
    const extras = await served.fetch(`/api/v1/session/${things.session}/message/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: question, stream: false, conversation_id: 'c-1' }),
    });
    expect(extras.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await extras.text()).toContain('nine in the morning');
  },
  async sendMessage({ anna, things }) {
    const params = { uuid: things.session };
    const { response } = await anna.call('sendMessage', { params, body: { query: question } });
    expect(response).toContain(answer.slice(0, -1));
    for (const pre_canned_response of [true, false]) {
      const body = { query: question, pre_canned_response };
      expect(await anna.call('sendMessage', { params, body })).toEqual({ response });
    }
    const body = { query: question, pre_canned_response: 'Ask the keeper.' };
    expect(await anna.call('sendMessage', { params, body })).toEqual({
      response: 'Ask the keeper.',
    });
  },
  async stopMessage({ anna, things }) {
    const params = { uuid: things.session };
    const stop = (idempotency_key: string) =>
      anna.call('stopMessage', { params, body: { idempotency_key } });
    await expect(stop('never-sent')).rejects.toMatchObject({ kind: 'not_found', status: 404 });
    const deltas = anna.streamReply(things.session, question, { key: 'sent' });
    await deltas.next();
    expect(await stop('sent')).toEqual({ success: true });
    await Array.fromAsync(deltas);
    const again = await Array.fromAsync(
      anna.streamReply(things.session, question, { key: 'sent' }),
    );
    const last = (await anna.listMessages(things.session)).at(-1);
    expect(last).toMatchObject({ query: question, response: again.join('') });
  },
  async listMessages({ anna, served, things }) {
    const [message] = await anna.listMessages(things.session);
    expectUuid(message?.uuid);
    expectTimes(message ?? { created_at: '', modified_at: '' });
    expect(message).toMatchObject({ query: question, finish_reason: 'stop', error_message: '' });
    const response = await served.fetch(`/api/v1/session/${things.session}/messages`);
    expect(await response.json()).toMatchObject([{ detected_frustrations: [], feedback_json: {} }]);
    const [citation] = Object.values<object>(JSON.parse(message?.cite_data_json ?? ''));
    expect(citation).toMatchObject({ data_source_uuid: things['data-source'], type: 'qa' });

    const params = { uuid: things.session };
    for (const later of ['Second?', 'Third?']) {
      await anna.call('sendMessage', { params, body: { query: later } });
    }
    const list = async (query: { limit?: string; order?: 'asc' | 'desc' }) =>
      (await anna.call('listMessages', { params, query })).map((each) => each.query);
    expect(await list({})).toEqual([question, 'Second?', 'Third?']);
    expect(await list({ limit: '2' })).toEqual([question, 'Second?']);
    expect(await list({ order: 'desc' })).toEqual(['Third?', 'Second?', question]);
    expect(await list({ limit: '1', order: 'desc' })).toEqual(['Third?']);
    expect((await anna.newestMessage(things.session))?.query).toBe('Third?');
    expect(await list({ limit: '1000', order: 'asc' })).toHaveLength(3);
  },
  async getMessage({ anna, things }) {
    const message = await anna.call('getMessage', { params: { uuid: things.message } });
    expect(await anna.listMessages(things.session)).toEqual([message]);
  },
  async getTranscript({ anna, things }) {
    const text = await anna.call('getTranscript', { params: { uuid: things.session } });
    expect(text).toContain(`User: ${question}`);
  },
  async deleteMessage({ anna, things }) {
    await anna.call('deleteMessage', { params: { uuid: things.message } });
    expect(await anna.listMessages(things.session)).toEqual([]);
  },
  async deleteMessages({ anna, things }) {
    const uuids = [things.message];
    expect(await anna.call('deleteMessages', { body: { uuids: [] } })).toEqual({ success: true });
    expect(await anna.listMessages(things.session)).toHaveLength(1);
    expect(await anna.call('deleteMessages', { body: { uuids } })).toEqual({ success: true });
    expect(await anna.listMessages(things.session)).toEqual([]);
  },
  async uploadSessionDocument({ anna, served, things }) {
    const body = new FormData();
    body.set('file', new Blob(['The kitchen serves pancakes on Sundays.']), 'menu.txt');
    const path = '/api/v1/session-document/upload';
    const response = await served.fetch(path, { method: 'POST', body });
    expect(response.status).toBe(200);
    const { uuid } = (await response.json()) as { uuid: string };
    expectUuid(uuid);
    const params = { uuid: things.session };
    const query = 'When does the kitchen serve pancakes?';
    const sent = { query, session_document_uuids: [uuid] };
    const reply = await anna.call('sendMessage', { params, body: sent });
    expect(reply.response).toContain('pancakes on Sundays');
  },

  async getUser({ anna }) {
    expect((await anna.call('getUser', {})).data.email).toContain('@');
  },
};

/** Tests what each operation does. */
export function testOperations(served: () => ServedClients): void {
  test.each(Object.entries(does))('%s does what the contract says', async (_, act) => {
    const { anna } = served();
    await act({ anna, served: served(), things: await createThings(served()) });
  });

  test('deleting a chatbot takes along all that hangs on it', async () => {
    const { anna } = served();
    const things = await createThings(served());
    await anna.deleteChatbot(things.chatbot);
    const params = (uuid: string) => ({ params: { uuid } });
    const reads = [
      anna.listAgents(things.chatbot),
      anna.listDataSources(things.chatbot),
      anna.listSourceTags(things.chatbot),
      anna.listSessions(things.chatbot),
      anna.call('getAgent', params(things.agent)),
      anna.updateDataSource(things['data-source'], { title: 'x' }),
      anna.updateSourceTag(things['source-tag'], { name: 'x' }),
      anna.getSession(things.session),
      anna.listMessages(things.session),
      anna.call('deleteMessage', params(things.message)),
    ];
    for (const read of await Promise.allSettled(reads)) {
      expect(read).toMatchObject({ status: 'rejected', reason: { kind: 'not_found' } });
    }
  });

  test('deleting a source takes it out of agents, tags and answers', async () => {
    const { anna } = served();
    const things = await createThings(served());
    const data_source_uuids = [things['data-source']];
    await anna.updateSourceTag(things['source-tag'], { data_source_uuids });
    await anna.updateAgent(things.agent, { data_source_uuids });
    await anna.deleteDataSource(things['data-source']);
    expect((await anna.listSourceTags(things.chatbot))[0]?.data_source_uuids).toEqual([]);
    expect((await anna.listAgents(things.chatbot))[0]?.data_source_uuids).toEqual([]);
    const deltas = await Array.fromAsync(anna.streamReply(things.session, question));
    expect(deltas.join('')).not.toContain('nine in the morning');
  });

  test('over its rate limit a chatbot answers with its message', async () => {
    const { anna } = served();
    const { chatbot, session } = await createThings(served());
    await anna.updateChatbot(chatbot, { rate_limit: [1, 360], rate_limit_message: 'Slowly.' });
    expect(await Array.fromAsync(anna.streamReply(session, question))).toEqual(['Slowly.']);
    const last = (await anna.listMessages(session)).at(-1);
    expect(JSON.parse(last?.meta_json ?? '')).toMatchObject({ rate_limited: true });
  });
}
