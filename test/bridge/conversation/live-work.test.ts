import { describe, expect, it, vi } from 'vitest';
import type { Author } from '../../../src/bridge/conversation/platform.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { answerTo, settle, setUpConversation } from './set-up-conversation.ts';

const minuteMs = 60_000;
const ada = { id: 'U1', name: 'Ada', isManager: false };

describe.each([
  ['a sweep', async () => {}],
  ['a second start', async (recover: () => Promise<void>) => recover()],
])('%s during live work changes nothing', (_, again) => {
  const { create } = setUpConversation();

  async function start(options?: Parameters<typeof create>[0]) {
    const created = create(options);
    await created.conversation.recover();
    created.conversation.connected('fake');
    /** Lets a few minutes pass. */
    const goOn = async () => {
      await vi.advanceTimersByTimeAsync(minuteMs);
      await again(created.conversation.recover);
      await vi.advanceTimersByTimeAsync(2 * minuteMs);
    };
    return { ...created, goOn };
  }

  it('of a command', async () => {
    const { conversation, goOn, finish } = await start();
    const thread = createFakeThread();
    const done = Promise.withResolvers<void>();
    const command = vi.fn<() => Promise<void>>(async () => {
      await done.promise;
      await thread.post({ markdown: 'Done.' });
    });
    const message = createFakeMessage(thread, 'source list', { command });
    await conversation.received(deliver(message));
    await goOn();
    expect(thread.history).toEqual([]);
    done.resolve();
    await finish();
    expect(thread.history).toEqual(['Done.']);
    expect(command).toHaveBeenCalledOnce();
  });

  it('of a reply that takes minutes', async () => {
    const { conversation, chatbot, goOn, finish } = await start();
    const thread = createFakeThread();
    const done = Promise.withResolvers<void>();
    chatbot.answer = async function* () {
      yield 'Half';
      await done.promise;
      yield ' and half';
    };
    await conversation.received(deliver(createFakeMessage(thread, 'q')));
    await goOn();
    expect(thread.history).toEqual(['Half']);
    done.resolve();
    await finish();
    expect(thread.visible()).toEqual(['Half and half']);
    expect(chatbot.queries).toHaveLength(1);
  });

  it('of a press', async () => {
    const pressed = Promise.withResolvers<void>();
    const recognize = vi.fn<(_: unknown, person: Author) => Promise<Author>>(async (_, by) => by);
    const { conversation, chatbot, ask, goOn, finish } = await start({ managers: { recognize } });
    const thread = createFakeThread();
    await ask(thread, 'q');
    recognize.mockImplementation(async (_, by) => {
      await pressed.promise;
      return by;
    });
    recognize.mockClear();
    const turn = turnOf(createFakeMessage(thread, 'q'));
    const press = { id: 'P', action: 'retry', turn, by: ada, place: fakeAddress } as const;
    const answer = answerTo(conversation.pressed(press));
    await goOn();
    expect(recognize).toHaveBeenCalledOnce();
    pressed.resolve();
    await settle(answer);
    await finish();
    expect(chatbot.queries).toHaveLength(2);
    expect(thread.visible()).toEqual(['You said: q', 'You said: q']);
  });
});
