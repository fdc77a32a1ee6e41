import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import { ChatbotError, PlatformError } from '../../../src/bridge/conversation/errors.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../../fixtures/fake-thread.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { settle, setUpConversation, thinkUntilAborted } from './set-up-conversation.ts';

describe('conversation', () => {
  const { create, closeStore } = setUpConversation();

  it('answers where the typing status can’t be shown, and logs it', async () => {
    const log = createMemoryLog();
    const { ask } = create({ log });
    const fail = async () => {
      throw new Error('The platform refuses it.');
    };
    const thread = Object.assign(createFakeThread(), { showWorking: fail });
    await ask(thread, 'q');
    expect(thread.visible()).toEqual(['You said: q']);
    expect(log.lines.map((line) => line.message)).toContain('typing could not be shown');
  });

  it('speaks the language of whoever asks', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    const author = { id: 'U1', name: 'Greta', isManager: false, locale: 'de-AT' };
    await ask(thread, 'Wann?', { author });
    expect(thread.buttons()).toEqual([['Hilfreich', 'Nicht hilfreich']]);
    // oxlint-disable-next-line require-yield -- it fails before it says anything
    chatbot.answer = async function* () {
      throw new ChatbotError('timeout', 'slow');
    };
    await ask(thread, 'Und wo?', { author, id: '2' });
    expect(thread.visible().at(-1)).toMatch(/^⚠️ Der Chatbot-Dienst hat zu lange/);
    expect(thread.buttons().at(-1)).toEqual(['Erneut versuchen']);
  });

  it('answers a mention in its thread, growing in place', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* (query) {
      yield 'Once ';
      await sleep(400);
      yield 'upon ';
      await sleep(400);
      yield `a time: ${query}`;
    };
    await ask(thread, 'Tell me');
    expect(thread.history.slice(0, 3)).toEqual(['Once', 'Once upon', 'Once upon a time: Tell me']);
    expect(thread.visible()).toEqual(['Once upon a time: Tell me']);
  });

  it('keeps one session a thread, and another for another thread', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await ask(thread, 'one');
    await ask(thread, 'two', { addressed: 'overheard' });
    await ask(createFakeThread({ address: { ...fakeAddress, thread: 'T2' } }), 'three');
    expect(chatbot.queries).toEqual([
      { session: 's1', query: 'one' },
      { session: 's1', query: 'two' },
      { session: 's2', query: 'three' },
    ]);
  });

  it('ignores what is overheard where it has no session', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await ask(thread, 'just chatting', { addressed: 'overheard' });
    expect(thread.visible()).toEqual([]);
    expect(chatbot.queries).toEqual([]);
  });

  it('answers a message once, however often and under whatever name it is delivered', async () => {
    const { conversation, chatbot } = create();
    const thread = createFakeThread();
    const deliveries = ['overheard', 'mention', 'mention'] as const;
    await settle(
      Promise.all(
        deliveries.map((addressed) =>
          conversation.message(createFakeMessage(thread, 'a question', { addressed })),
        ),
      ),
    );
    expect(chatbot.queries).toHaveLength(1);
  });

  it('greets somebody who says nothing', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await ask(thread, '  ');
    expect(thread.visible()).toEqual([expect.stringContaining('Ask me a question')]);
    expect(chatbot.sessions).toEqual([]);
  });

  it('says nothing where the store is down and nobody spoke to it', async () => {
    const { ask, chatbot } = create();
    const thread = createFakeThread();
    await closeStore();
    await ask(thread, 'just chatting', { addressed: 'overheard' });
    expect(thread.visible()).toEqual([]);
    await ask(thread, 'a question', { addressed: 'mention' });
    expect(thread.visible()).toEqual([expect.stringContaining('Something went wrong')]);
    expect(chatbot.sessions).toEqual([]);
  });

  it('ends turns in flight with a note when it closes, and says so to whoever asks then', async () => {
    const { conversation, chatbot, ask } = create();
    const thread = createFakeThread();
    chatbot.answer = thinkUntilAborted;
    const turn = conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);
    await settle(conversation.close(6000));
    await turn;
    expect(thread.visible()).toEqual([
      expect.stringMatching(/^Let me think\n\n⚠️ I was restarted/),
    ]);
    await ask(thread, 'too late');
    expect(thread.visible()[1]).toMatch(/^⚠️ I was restarted/);
    await ask(thread, 'too late', { addressed: 'mention' });
    expect(thread.visible()).toHaveLength(2);
    expect(chatbot.queries).toHaveLength(1);
  });

  it.each<[string, () => void | Promise<void>]>([
    [
      'a platform that is too busy',
      () => {
        throw new PlatformError(
          'rate_limited',
          { code: 'platform_busy', params: { platform: 'Test' } },
          { retryAfterMs: 60_000 },
        );
      },
    ],
    [
      'a platform that fails',
      () => {
        throw new PlatformError('failed', 'discord_forbidden');
      },
    ],
    ['a platform that does not answer', () => new Promise(() => {})],
  ])('closes in time whatever its last texts wait for: %s', async (_, refuse) => {
    const { conversation, chatbot, openRows } = create();
    const thread = createFakeThread();
    chatbot.answer = thinkUntilAborted;
    void conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);
    thread.beforeWrite = refuse;
    const began = Date.now();
    await settle(conversation.close(6000));
    expect(Date.now() - began).toBeLessThanOrEqual(8100);
    thread.beforeWrite = () => {};
    await vi.advanceTimersByTimeAsync(120_000);
    expect(thread.visible()).toEqual(['Let me think']);
    const next = create();
    next.threads.set('T', thread);
    await next.recover();
    expect(thread.visible()).toEqual([expect.stringMatching(/⚠️ I was restarted/)]);
    expect(await openRows()).toEqual([]);
  });
});
