import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createChatbotClient } from '../../../src/bridge/chatbot/chatbot-client.ts';
import { createConversationChatbot } from '../../../src/bridge/chatbot/conversation-chatbot.ts';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import { type BindingRecord, createBindings } from '../../../src/bridge/conversation/bindings.ts';
import { createSessions, type SessionRecord } from '../../../src/bridge/conversation/sessions.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { sendJson, startServer } from '../chatbot/start-server.ts';
import { session } from '../chatbot/fixtures.ts';
import {
  createFakeMessage,
  createFakeThread,
  fakeAddress,
  type FakeThread,
} from '../../fixtures/fake-thread.ts';
import { openTenancy } from '../../fixtures/open-tenancy.ts';
import { settle, setUpConversation } from './set-up-conversation.ts';

type Answer = (response: ServerResponse) => void;

const missing = (status: number, type: string, body: string): Answer => {
  return (response) => response.writeHead(status, { 'content-type': type }).end(body);
};
const json = 'application/json';

/** What a proxy says while no process of the service is there, as during a deploy. */
const foreign: [string, Answer][] = [
  ['a 404 with a page', missing(404, 'text/html', '<h1>404 Not Found</h1>')],
  ['a 404 with JSON that has no error', missing(404, json, '{"message":"no Route matched"}')],
  ['a 404 with text', missing(404, 'text/plain', 'default backend - 404')],
  ['a 410 with a page', missing(410, 'text/html', '<h1>Gone</h1>')],
];

const own: [string, Answer][] = [
  ['404', missing(404, json, '{"error":"There is no such thing."}')],
  ['410', missing(410, json, '{"error":"It was deleted."}')],
];

const away = expect.stringContaining('can’t reach the chatbot service');
const anew = expect.stringContaining('no longer has our earlier conversation');
const instead = expect.stringContaining('so the default one answers now');

function elsewhere(thread: string): FakeThread {
  return createFakeThread({ address: { ...fakeAddress, thread } });
}

/**
 * A thread of a channel for which the chatbot `chosen` was chosen, and a service of which `answer` may
 * take over a request.
 */
async function open(create: ReturnType<typeof setUpConversation>['create']) {
  const service = { answer: (_url: string): Answer | undefined => undefined };
  let created = 0;
  const server = await startServer(({ url }, response) => {
    const answer = service.answer(url);
    if (answer) answer(response);
    else if (url.endsWith('/create')) {
      created += 1;
      sendJson(response, { ...session, uuid: `n${created}` });
    } else if (url.endsWith('/stream')) response.end(`Said in ${url.split('/')[4]}.`);
    else sendJson(response, []);
  });
  const client = createChatbotClient({
    baseUrl: server.url,
    apiKey: 'key',
    retry: { baseMs: 0 },
  });
  const store = await openStore('memory:');
  const bound = store.keyv<BindingRecord>('binding');
  const bindings = createBindings({
    store: bound,
    fallback: 'usual',
    tenancy: openTenancy(store, { workspaces: ['W'] }),
  });
  await bindings.bind(fakeAddress, 'channel', 'chosen');
  await bindings.bind(fakeAddress, 'workspace', 'chosen');
  const chatbot = createConversationChatbot(client, { timeoutMs: 60_000, maxReplyMs: 60_000 });
  const sessions = createSessions({
    store: store.keyv<SessionRecord>('session'),
    former: store.keyv<ThreadAddress>('former-session'),
    chatbot,
    bindings,
  });
  const { conversation } = create({ chatbot, sessions });
  return {
    service,
    server,
    sessions,
    bindings,
    async ask(text: string, thread = createFakeThread()) {
      await settle(conversation.message(createFakeMessage(thread, text, { id: text })));
      return thread.visible().at(-1);
    },
    bound: async () =>
      (await Array.fromAsync(bound.entries())).map(([, { chatbot: uuid }]) => uuid),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

describe('when something in between answers for the service', () => {
  const { create } = setUpConversation();

  it.each(foreign)(
    '%s takes neither the session nor the choice of a chatbot',
    async (_, answer) => {
      await using world = await open(create);
      const thread = createFakeThread();
      expect(await world.ask('one', thread)).toBe('Said in n1.');
      world.service.answer = () => answer;
      expect(await world.ask('two', thread)).toEqual(away);
      expect(await world.ask('elsewhere', elsewhere('T2'))).toEqual(away);
      expect(await world.sessions.find(fakeAddress)).toMatchObject({ session: 'n1' });
      expect(await world.bound()).toEqual(['chosen', 'chosen']);
      world.service.answer = () => undefined;
      expect(await world.ask('three', thread)).toBe('Said in n1.');
    },
  );

  it('a session is created once it is gone', async () => {
    await using world = await open(create);
    let pages = 2;
    const page = missing(404, 'text/html', '<h1>404</h1>');
    world.service.answer = (url) => (url.endsWith('/create') && pages-- > 0 ? page : undefined);
    expect(await world.ask('one')).toBe('Said in n1.');
    expect(await world.sessions.find(fakeAddress)).toMatchObject({ chatbot: 'chosen' });
  });
});

describe('when the service itself no longer knows a session', () => {
  const { create } = setUpConversation();

  it.each(own)(
    'a new one takes its place, and the old one keeps its address: %s',
    async (_, gone) => {
      await using world = await open(create);
      const thread = createFakeThread();
      await world.ask('one', thread);
      world.service.answer = (url) => (url.includes('/session/n1/') ? gone : undefined);
      expect(await world.ask('two', thread)).toEqual(anew);
      expect(await world.sessions.find(fakeAddress)).toMatchObject({ session: 'n2' });
      const places = await world.sessions.places();
      expect(places.get('n1')).toEqual({ address: fakeAddress, isCurrent: false });
      expect(places.get('n2')).toEqual({ address: fakeAddress, isCurrent: true });
    },
  );

  it.each([...own, ...foreign])(
    'the old one stays while none can be created: %s',
    async (_, answer) => {
      await using world = await open(create);
      const thread = createFakeThread();
      await world.ask('one', thread);
      world.service.answer = (url) => {
        if (url.endsWith('/create')) return answer;
        return url.includes('/session/n1/') ? own[0]?.[1] : undefined;
      };
      await world.ask('two', thread);
      expect(await world.sessions.find(fakeAddress)).toMatchObject({ session: 'n1' });
      world.service.answer = () => undefined;
      expect(await world.ask('three', thread)).toBe('Said in n1.');
    },
  );
});

describe('when the service itself no longer knows a chatbot', () => {
  const { create } = setUpConversation();

  it.each(own)('another one answers until it is known again: %s', async (_, gone) => {
    await using world = await open(create);
    world.service.answer = (url) => (url.includes('/chatbot/chosen/') ? gone : undefined);
    expect(await world.ask('one')).toEqual(instead);
    expect(await world.sessions.find(fakeAddress)).toMatchObject({ chatbot: 'usual' });
    expect(await world.bindings.chatbotFor(fakeAddress)).toBe('usual');
    expect(await world.ask('two', elsewhere('T2'))).toEqual(instead);
    expect(await world.bound()).toEqual(['chosen', 'chosen']);
    world.service.answer = () => undefined;
    expect(await world.ask('three', elsewhere('T3'))).toMatch(/^Said in n\d\.$/);
    const address = { ...fakeAddress, thread: 'T3' };
    expect(await world.sessions.find(address)).toMatchObject({ chatbot: 'chosen' });
    expect(await world.bindings.chatbotFor(fakeAddress)).toBe('chosen');
  });
});
