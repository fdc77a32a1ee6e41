import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import { ChatbotError, PlatformError } from '../../../src/bridge/conversation/errors.ts';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import {
  createFakeMessage,
  deliver,
  createFakeThread,
  fakeAddress,
  type FakeThread,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { answerTo, settle, setUpConversation } from './set-up-conversation.ts';
import type { Thread } from '../../../src/bridge/conversation/thread.ts';

const fiveMinutes = 5 * 60_000;
const ada = { id: 'U1', name: 'Ada', isManager: false };

const whole: StoredReply = {
  id: 'r1',
  query: 'q',
  response: 'Half and half [1.1]',
  sources: [{ marker: '1.1', title: 'Guide', quote: 'half' }],
  state: 'whole',
};

describe('while the service is away', () => {
  const { create } = setUpConversation();

  /** A process whose service may be away. */
  function start(thread: FakeThread, service: { isAway: boolean; stored?: StoredReply }) {
    const created = create();
    const { chatbot } = created;
    const answer = () => {
      if (service.isAway) throw new ChatbotError('unavailable', 'away');
    };
    const { createSession } = chatbot;
    chatbot.createSession = async (...given) => {
      answer();
      return createSession(...given);
    };
    chatbot.lastReply = async () => {
      answer();
      return service.stored;
    };
    created.threads.set('T', thread);
    return created;
  }

  /** A reply that the service begins before it goes away. */
  async function breakOff() {
    const thread = createFakeThread();
    const service = { isAway: false, stored: undefined as StoredReply | undefined };
    const process = start(thread, service);
    process.chatbot.answer = async function* () {
      yield 'Half';
      await sleep(1_000);
      service.isAway = true;
      throw new ChatbotError('interrupted', 'socket hang up');
    };
    const message = createFakeMessage(thread, 'q');
    await settle(process.conversation.message(message));
    expect(thread.visible()).toEqual([expect.stringMatching(/^Half\n\n⚠️ The answer was cut off/)]);
    expect(thread.buttons()).toEqual([['Try again']]);
    const press = { action: 'retry', turn: turnOf(message), by: ada, place: fakeAddress } as const;
    return { ...process, thread, service, message, press };
  }

  const completed = ['Half and half [1] (Sources: [1] Guide)'];

  it('a reply that was cut off says so at once, and is completed when the service is back', async () => {
    const { thread, service, finish, inbox, message } = await breakOff();
    await vi.advanceTimersByTimeAsync(fiveMinutes);
    expect(thread.history).toHaveLength(2);
    service.isAway = false;
    service.stored = whole;
    await vi.advanceTimersByTimeAsync(60_000);
    await finish();
    expect(thread.visible()).toEqual(completed);
    expect(thread.buttons()).toEqual([['Show passages', 'Helpful', 'Not helpful']]);
    expect(await inbox.get(turnOf(message))).toMatchObject({ state: 'ended', answer: 'r1' });
  });

  it('a reply that was cut off is completed after a restart of the bridge, too', async () => {
    const { conversation, thread, service } = await breakOff();
    await settle(conversation.close(0));
    const next = start(thread, service);
    await next.conversation.recover();
    next.conversation.connected('fake');
    await vi.advanceTimersByTimeAsync(fiveMinutes);
    expect(thread.history).toHaveLength(2);
    service.isAway = false;
    service.stored = whole;
    await vi.advanceTimersByTimeAsync(60_000);
    await next.finish();
    expect(thread.visible()).toEqual(completed);
  });

  it('a reply that the service lost stays as it is', async () => {
    const { thread, service, finish } = await breakOff();
    service.isAway = false;
    await finish();
    expect(thread.history).toHaveLength(2);
    expect(thread.buttons()).toEqual([['Try again']]);
  });

  it('a reply that somebody asked for again is left alone', async () => {
    const { conversation, chatbot, thread, service, finish, press } = await breakOff();
    service.isAway = false;
    chatbot.answer = async function* () {
      yield 'Anew';
    };
    await settle(answerTo(conversation.pressed(press)));
    service.stored = { ...whole, response: 'Late' };
    await finish();
    await vi.advanceTimersByTimeAsync(fiveMinutes);
    expect(thread.visible()).toEqual([expect.stringMatching(/^Half/), 'Anew']);
  });

  it('a question gets a clear sentence with Try again, which works once it is back', async () => {
    const thread = createFakeThread();
    const service = { isAway: true };
    const { ask, conversation } = start(thread, service);
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([expect.stringContaining('can’t reach the chatbot service')]);
    expect(thread.buttons()).toEqual([['Try again']]);
    await vi.advanceTimersByTimeAsync(fiveMinutes);
    service.isAway = false;
    const turn = turnOf(createFakeMessage(thread, 'q'));
    const press = { action: 'retry', turn, by: ada, place: fakeAddress } as const;
    await settle(answerTo(conversation.pressed(press)));
    expect(thread.visible().slice(1)).toEqual(['You said: q']);
  });
});

describe('while the platform is away', () => {
  const { create } = setUpConversation();

  it('endings are written when it is back, in order, with no Stop button left', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* (query) {
      yield `${query}: `;
      await sleep(1_000);
      thread.beforeWrite = () => {
        throw new PlatformError('failed', 'discord_forbidden');
      };
      yield 'yes';
    };
    void conversation.message(createFakeMessage(thread, 'one'));
    void conversation.message(createFakeMessage(thread, 'two'));
    await vi.advanceTimersByTimeAsync(fiveMinutes);
    expect(thread.visible()).toEqual(['one:']);
    expect(thread.buttons()).toEqual([['Stop']]);
    thread.beforeWrite = () => {};
    chatbot.answer = async function* (query) {
      yield `${query}: yes`;
    };
    await finish();
    expect(thread.visible()).toEqual(['one: yes', 'two: yes']);
    expect(thread.buttons().flat()).not.toContain('Stop');
  });

  it('a question whose names can’t be looked up is answered when it is back', async () => {
    const { conversation, finish } = create();
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    let isAway = true;
    const read = async () => {
      if (isAway) throw new PlatformError('failed', 'discord_forbidden');
      return message;
    };
    await conversation.received(deliver(message, read));
    await vi.advanceTimersByTimeAsync(fiveMinutes);
    isAway = false;
    await finish();
    expect(thread.visible()).toEqual(['You said: q']);
  });
});

describe('after a crash', () => {
  const { create } = setUpConversation();

  async function crash(stored?: StoredReply, toThread = (thread: Thread) => thread) {
    const before = create();
    const thread = createFakeThread();
    before.chatbot.answer = async function* () {
      yield 'Half';
      await new Promise(() => {});
    };
    void before.conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()).toEqual(['Half']);
    const after = create();
    after.threads.set('T', toThread(thread));
    if (stored) after.chatbot.stored.set('s1', stored);
    await after.recover();
    return { thread, ...after };
  }

  const whole: StoredReply = {
    id: 'r1',
    query: 'q',
    response: 'Half and half',
    sources: [],
    state: 'whole',
  };

  it('completes a reply that the service has whole, and goes on from there', async () => {
    const { thread, ask, chatbot } = await crash(whole);
    expect(thread.visible()).toEqual(['Half and half']);
    expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
    await ask(thread, 'more', { addressed: 'overheard' });
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'more' }]);
  });

  it('ends a stream that was left open before it writes', async () => {
    const calls: string[] = [];
    const { thread } = await crash(whole, (fake) => ({
      ...fake,
      message: (id) => ({
        ...fake.message(id),
        edit: async (content) => {
          calls.push(`edit ${id}`);
          await fake.message(id).edit(content);
        },
        endStream: async () => void calls.push(`end ${id}`),
      }),
    }));
    expect(calls).toEqual(['end m1', 'edit m1']);
    expect(thread.visible()).toEqual(['Half and half']);
  });

  it('tells the thread to ask again where the service has nothing', async () => {
    const { thread } = await crash();
    expect(thread.visible()).toEqual([expect.stringContaining('Please ask again')]);
    expect(thread.buttons()).toEqual([['Try again']]);
  });
});
