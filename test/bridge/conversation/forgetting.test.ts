import { expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import {
  createFakeMessage,
  createFakeThread,
  type FakeThread,
} from '../../fixtures/fake-thread.ts';
import { setUpConversation, settle, thinkUntilAborted } from './set-up-conversation.ts';

const { create } = setUpConversation();
const { signal } = new AbortController();
const ada = { id: 'U1', name: 'Ada', isManager: false };
const bob = { id: 'U2', name: 'Bob', isManager: false };

type Opened = ReturnType<typeof create>;

/** Has all forgotten that a person asked and said. */
async function forget({ conversation }: Opened, { id, name } = ada): Promise<void> {
  const person = { id, name, platform: 'fake', workspace: 'W' };
  await settle(Array.fromAsync(conversation.forgetting.forget(person, signal)));
}

/** Asks, and stops the answer. The service says where it is once it is released. */
async function askAndStop({ conversation, chatbot }: Opened, thread: FakeThread, text: string) {
  const read = Promise.withResolvers<StoredReply>();
  chatbot.answer = thinkUntilAborted;
  chatbot.lastReply = async (session) => (session === 's1' ? read.promise : undefined);
  const asked = conversation.message(createFakeMessage(thread, text));
  await vi.advanceTimersByTimeAsync(1_000);
  await conversation.stopIn(thread.address, ada);
  await settle(asked);
  const reply: StoredReply = { id: 'm', query: text, response: '', state: 'partial', sources: [] };
  return () => read.resolve(reply);
}

it('where a stopped answer is does not come back once its question was forgotten', async () => {
  const opened = create();
  const release = await askAndStop(opened, createFakeThread(), 'Why?');
  await forget(opened);
  release();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await opened.questions.of(ada.id)).toEqual([]);
});

it('nor while further questions are still to be forgotten', async () => {
  const opened = create();
  const thread = createFakeThread();
  const release = await askAndStop(opened, thread, 'Why?');
  opened.chatbot.answer = async function* () {
    yield 'Because.';
  };
  const { address } = thread;
  const other = createFakeThread({ address: { ...address, thread: 'T2' } });
  await opened.ask(other, 'What?');
  const message = other.message.bind(other);
  other.message = (id) => ({
    ...message(id),
    async remove() {
      release();
      await sleep(1_000);
    },
  });
  await forget(opened);
  expect(await opened.questions.of(ada.id)).toEqual([]);
});

it('a question is not sent again with its key without what was said before it', async () => {
  const dying = create();
  dying.chatbot.hasKeys = true;
  dying.chatbot.answer = thinkUntilAborted;
  const thread = createFakeThread();
  thread.readBefore = async () => [{ sent: '1', name: 'Ada', text: 'I am ill', by: ada.id }];
  void dying.conversation.message(createFakeMessage(thread, 'Who?', { author: bob }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(dying.chatbot.queries).toMatchObject([
    { context: 'Ada: I am ill', key: expect.any(String) },
  ]);
  await forget(dying);

  const next = create();
  next.chatbot.hasKeys = true;
  next.threads.set(thread.address.thread, thread);
  const reply = { id: 'm', query: 'Who?', response: 'Ada.', sources: [] };
  next.chatbot.stored.set('s1', { ...reply, state: 'whole' });
  await next.recover();
  expect(next.chatbot.queries).toEqual([]);
  expect(thread.visible()).toEqual(['Ada.']);
});
