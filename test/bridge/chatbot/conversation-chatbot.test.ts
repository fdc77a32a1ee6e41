import { expect, test } from 'vitest';
import { createChatbotClient } from '../../../src/bridge/chatbot/chatbot-client.ts';
import { createConversationChatbot } from '../../../src/bridge/chatbot/conversation-chatbot.ts';
import { agent, message } from './fixtures.ts';
import { sendJson, startServer } from './start-server.ts';

const { signal } = new AbortController();

/** The chatbot of a service that replies with a word, and answers every other request with this. */
async function openChatbot(body: unknown) {
  const server = await startServer(({ url }, response) => {
    if (url.endsWith('/stream')) response.end('Yes.');
    else sendJson(response, body);
  });
  const client = createChatbotClient({ baseUrl: server.url, apiKey: 'key' });
  return {
    chatbot: createConversationChatbot(client, { timeoutMs: 60_000, maxReplyMs: 900_000 }),
    seen: server.seen,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const empty = {
  human_requested_message: '',
  live_chat_start_announcement: null,
  live_chat_end_announcement: ' ',
  monitored_messages: [],
  notifications_enabled: 1,
  sound_enabled: 1,
};
const talking = { ...empty, human_requested_message: ' Wait. ', monitored_messages: ['human'] };
const says = { requested: 'Wait.', started: '', ended: '' };

test.each([
  ['the agent that has something to say', [{ ...agent, human_escalation_settings: talking }]],
  [
    'the first of several',
    [
      { ...agent, human_escalation_settings: empty },
      { ...agent, human_escalation_settings: talking },
      { ...agent, human_escalation_settings: { ...talking, monitored_messages: ['other'] } },
    ],
  ],
])('the hand-over settings come from %s', async (_, agents) => {
  await using opened = await openChatbot(agents);
  expect(await opened.chatbot.handOver('c1', signal)).toEqual({
    monitored: ['human'],
    says,
    notifies: true,
  });
  expect(opened.seen[0]?.url).toBe('/api/v1/chatbot/c1/agents');
});

test('the hand-over settings come from the agent of that type, even if it has no texts', async () => {
  const escalation = { ...agent, type: 'human-escalation', enabled: 1 };
  const agents = [{ ...agent, human_escalation_settings: talking }, escalation];
  await using opened = await openChatbot(agents);
  expect(await opened.chatbot.handOver('c1', signal)).toEqual({
    monitored: [],
    says: { requested: '', started: '', ended: '' },
    notifies: false,
  });
});

test.each([
  ['no agent has anything to say', [{ ...agent, human_escalation_settings: empty }, agent]],
  ['the one that has is disabled', [{ ...agent, enabled: 0, human_escalation_settings: talking }]],
  ['there is no agent', []],
])('there is no hand-over if %s', async (_, agents) => {
  await using opened = await openChatbot(agents);
  expect(await opened.chatbot.handOver('c1', signal)).toBeUndefined();
});

test('the conversation is sent with the query, and the stored query is read without it', async () => {
  const query = '(People talked here meanwhile:\nAda: a\nWhat follows is said to you.)\n\nHow?';
  await using opened = await openChatbot([{ ...message, query }]);
  const { chatbot, seen } = opened;
  expect(await chatbot.lastReply('n1', signal)).toMatchObject({ id: 'm1', query: 'How?' });
  await Array.fromAsync(chatbot.reply('n1', { query: 'How?', context: 'Ada: a' }, signal));
  await Array.fromAsync(chatbot.reply('n1', { query: 'How?' }, signal));
  const sent = seen.slice(1).map(({ body }) => JSON.parse(body) as unknown);
  expect(sent).toEqual([{ query }, { query: 'How?' }]);
});

const cited = {
  ...message,
  response: 'At nine [1.1].',
  cite_data_json: JSON.stringify({
    '1.1': {
      data_source_uuid: 's1',
      title: 'Handbook',
      text: 'Nine.',
      file_name: '',
      type: 'file',
    },
  }),
};

async function readSources(
  meta: object,
  list: (count: number) => { status: number; body: unknown },
): Promise<{ sources: unknown[]; listed: number }> {
  let listed = 0;
  const server = await startServer(({ url }, response) => {
    if (!url.endsWith('/data-sources')) {
      return sendJson(response, [{ ...cited, meta_json: JSON.stringify(meta) }]);
    }
    listed += 1;
    const { status, body } = list(listed);
    sendJson(response, body, status);
  });
  await using client = createChatbotClient({ baseUrl: server.url, apiKey: 'key' });
  const chatbot = createConversationChatbot(client, { timeoutMs: 60_000, maxReplyMs: 900_000 });
  const first = await chatbot.lastReply('n1', signal, 'c1');
  await chatbot.lastReply('n1', signal, 'c1');
  await server[Symbol.asyncDispose]();
  return { sources: first?.sources ?? [], listed };
}

const source = {
  uuid: 's1',
  status: 'success',
  type: 'upload',
  created_at: '2026-01-01T00:00:00Z',
};
const handbook = { marker: '1.1', title: 'Handbook', quote: 'Nine.' };

test('the built-in service tells how sure it is of a reply; other services may tell anything', async () => {
  const read = async (meta: unknown) => {
    const answer = { ...message, meta_json: JSON.stringify(meta) };
    await using server = await startServer((_, response) => sendJson(response, [answer]));
    await using client = createChatbotClient({ baseUrl: server.url, apiKey: 'key' });
    const chatbot = createConversationChatbot(client, { timeoutMs: 60_000, maxReplyMs: 900_000 });
    const { isWeak, unanswered } = (await chatbot.lastReply('n1', signal)) ?? {};
    return { isWeak, unanswered };
  };
  expect(await read({ weak: true })).toEqual({ isWeak: true });
  expect(await read({ unanswered: { nearest: 'Guide' } })).toEqual({
    unanswered: { nearest: 'Guide' },
  });
  expect(await read({ weak: 'yes', unanswered: 1 })).toEqual({});
  expect(await read(null)).toEqual({});
});

test('the built-in service tells the page and the age of what it cites', async () => {
  const meta = { cited: { '1.1': { page: 12, modified_at: '2026-03-03T08:00:00Z' } } };
  const { sources, listed } = await readSources(meta, () => ({ status: 500, body: {} }));
  expect(sources).toEqual([{ ...handbook, page: 12, updatedMs: Date.UTC(2026, 2, 3, 8) }]);
  expect(listed).toBe(0);
});

test('another service is asked for the age of its sources, once for many answers', async () => {
  const body = [{ ...source, modified_at: '2026-03-03T08:00:00Z' }];
  const { sources, listed } = await readSources({}, () => ({ status: 200, body }));
  expect(sources).toEqual([{ ...handbook, updatedMs: Date.UTC(2026, 2, 3, 8) }]);
  expect(listed).toBe(1);
});

test('a service that does not list its sources still has its answers shown', async () => {
  const { sources, listed } = await readSources({}, () => ({ status: 404, body: { error: 'No' } }));
  expect(sources).toEqual([handbook]);
  expect(listed).toBe(1);
});
