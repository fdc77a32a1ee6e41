import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { createChatbotClient } from '../../../src/bridge/chatbot/chatbot-client.ts';
import {
  createConversationChatbot,
  type ServiceLimits,
} from '../../../src/bridge/chatbot/conversation-chatbot.ts';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import { createSessions, type SessionRecord } from '../../../src/bridge/conversation/sessions.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { sendJson, startServer } from '../chatbot/start-server.ts';
import { session } from '../chatbot/fixtures.ts';
import { createFakeMessage, createFakeThread } from '../../fixtures/fake-thread.ts';
import { createFakeBindings } from '../../fixtures/fake-bindings.ts';
import { watchTimers } from '../../fixtures/watch-timers.ts';
import { setUpConversation } from './set-up-conversation.ts';

const timeoutMs = 2_000;
const maxReplyMs = 60_000;

type Step = 'create' | 'stream' | 'messages';
type Answer = (response: ServerResponse) => void;

const never: Answer = () => {};

const usual: Record<Step, Answer> = {
  create: (response) => sendJson(response, session),
  stream: (response) => void response.end('All of it.'),
  messages: (response) => sendJson(response, []),
};

/** A service that answers each step of a turn as usual, or as the test says. */
async function openService(
  answers: Partial<Record<Step, Answer>>,
  limits: Partial<ServiceLimits> = {},
) {
  const reached: Record<Step, PromiseWithResolvers<ServerResponse>> = {
    create: Promise.withResolvers(),
    stream: Promise.withResolvers(),
    messages: Promise.withResolvers(),
  };
  const server = await startServer(({ url }, response) => {
    const [path = ''] = url.split('?');
    const step = (['create', 'stream', 'messages'] as const).find((each) => path.endsWith(each));
    // It has no agents.
    if (!step) return sendJson(response, []);
    ({ ...usual, ...answers })[step](response);
    reached[step].resolve(response);
  });
  const client = createChatbotClient({ baseUrl: server.url, apiKey: 'key' });
  return {
    chatbot: createConversationChatbot(client, { timeoutMs, maxReplyMs, ...limits }),
    reached,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a silent service', () => {
  const { create } = setUpConversation();

  const tooLong = '⚠️ The chatbot service took too long to answer. Please try again.';
  const headers: Answer = (response) => response.writeHead(200).flushHeaders();
  const half: Answer = (response) => void response.write('Half');
  const again = ['Try again'];

  it.each<[string, Partial<Record<Step, Answer>>, [Step, number][], string, string[]]>([
    ['answers nothing', { create: never }, [['create', 2000]], tooLong, again],
    ['accepts the query only', { stream: never }, [['stream', 2000]], tooLong, again],
    ['sends the headers only', { stream: headers }, [['stream', 2000]], tooLong, again],
    [
      'falls silent from then on',
      { stream: never, messages: never },
      [
        ['stream', 2000],
        ['messages', 1500],
      ],
      tooLong,
      again,
    ],
    [
      'falls silent within the reply',
      { stream: half, messages: never },
      [
        ['stream', 2000],
        ['messages', 1500],
      ],
      `Half\n\n${tooLong}`,
      again,
    ],
    [
      'keeps its stored messages back',
      { messages: never },
      [['messages', 2000]],
      'All of it.',
      ['Helpful', 'Not helpful'],
    ],
  ])(
    'that %s: people hear of it within the timeout and 2 s',
    async (_, answers, waits, text, buttons) => {
      await using service = await openService(answers);
      await using store = await openStore('memory:');
      const bindings = createFakeBindings();
      const { chatbot } = service;
      const records = store.keyv<SessionRecord>('session');
      const sessions = createSessions({
        store: records,
        former: store.keyv<ThreadAddress>('former-session'),
        chatbot,
        bindings,
      });
      const { conversation } = create({ chatbot, sessions });
      const thread = createFakeThread();
      const state = { ended: false };
      void conversation.message(createFakeMessage(thread, 'q')).then(() => (state.ended = true));

      for (const [step, ms] of waits) {
        await service.reached[step].promise;
        while (text.startsWith('Half') && thread.visible().length === 0) await arrival();
        await vi.advanceTimersByTimeAsync(ms - 1);
        expect(state.ended).toBe(false);
        await vi.advanceTimersByTimeAsync(1);
      }
      while (!state.ended) await arrival();
      expect(thread.visible()).toEqual([text]);
      expect(thread.buttons()).toEqual([buttons]);
    },
  );

  it('that drips a byte a second for ever is ended, with what arrived', async () => {
    // No other timers have these lengths.
    const limits = { timeoutMs: 2_017, maxReplyMs: 60_013 };
    const timers = watchTimers(limits.timeoutMs, limits.maxReplyMs);
    await using service = await openService({ stream: never }, limits);
    const asked = { query: 'q' };
    const deltas = service.chatbot.reply('n1', asked, new AbortController().signal);
    const iterator = deltas[Symbol.asyncIterator]();
    let next = iterator.next();
    const response = await service.reached.stream.promise;
    for (let second = 0; second < 60; second++) {
      response.write('x');
      expect(await next).toMatchObject({ value: 'x' });
      next = iterator.next();
      next.catch(() => {});
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(timers.size).toBe(2);
    await vi.advanceTimersByTimeAsync(13);
    await expect(next).rejects.toMatchObject({ kind: 'time_limit' });
    expect(timers.size).toBe(0);
  });

  it.each<[string, number, Answer]>([
    ['has its own limit for the first text', 120_000, headers],
    [
      'says in each silence that it works',
      60_000,
      (response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n'),
    ],
  ])(
    'that %s may take 70 s for it, while people see that it works',
    async (_, firstTextMs, begin) => {
      await using service = await openService(
        { stream: begin },
        { firstTextMs, timeoutMs: 60_000, maxReplyMs: 900_000 },
      );
      await using store = await openStore('memory:');
      const bindings = createFakeBindings();
      const { chatbot } = service;
      const records = store.keyv<SessionRecord>('session');
      const sessions = createSessions({
        store: records,
        former: store.keyv<ThreadAddress>('former-session'),
        chatbot,
        bindings,
      });
      const { conversation } = create({ chatbot, sessions });
      const thread = createFakeThread();
      const state = { ended: false };
      void conversation.message(createFakeMessage(thread, 'q')).then(() => (state.ended = true));
      const response = await service.reached.stream.promise;
      for (let seconds = 0; seconds < 70; seconds += 10) {
        await vi.advanceTimersByTimeAsync(10_000);
        if (begin !== headers) response.write(': still working\n\n');
        for (let turns = 0; turns < 20; turns++) await arrival();
      }
      expect(thread.visible()).toEqual(['*I’m still working on the answer…*']);
      // Until then a typing indicator does.
      expect(thread.workingShown).toBe(1);
      response.end(begin === headers ? 'At nine.' : 'data: "At nine."\n\n');
      while (!state.ended) await arrival();
      expect(thread.visible()).toEqual(['At nine.']);
    },
  );

  it('whose reply is ended for its length says so, and offers to try again', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'Half';
      throw new ChatbotError('time_limit', 'too long');
    };
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([
      'Half\n\n⚠️ The answer took longer than is allowed here, so I ended it. Please try again, or ask for less at once.',
    ]);
    expect(thread.buttons()).toEqual([['Try again']]);
  });
});

/** Lets what has been sent over a socket arrive. */
function arrival(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
