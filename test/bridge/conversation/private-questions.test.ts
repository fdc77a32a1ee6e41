import { expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../../fixtures/fake-thread.ts';
import { setUpConversation } from './set-up-conversation.ts';

const { create, keepUp } = setUpConversation();
const { signal } = new AbortController();
const author = { id: 'U1', name: 'Ada', isManager: false };
const asked = { query: 'Am I ill?', author, place: fakeAddress };

/** Reads a private answer while time passes. */
async function read(conversation: ReturnType<typeof create>['conversation']) {
  const whole = Array.fromAsync(conversation.answerAlone(asked, signal));
  await vi.advanceTimersByTimeAsync(5_000);
  return whole;
}

it('the session of a private question that a process died with is deleted by the next one', async () => {
  const before = create();
  const dying = before.chatbot;
  dying.answer = async function* () {
    yield 'Perhaps';
    await new Promise(() => {});
  };
  void Array.fromAsync(before.conversation.answerAlone(asked, signal)).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(2_000);
  const after = create();
  const deleted: string[] = [];
  after.chatbot.deleteReplies = async (session) => {
    deleted.push(session);
    return 0;
  };
  await after.conversation.keepUp(signal);
  // It may still be answered, in another process.
  expect(deleted).toEqual([]);
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  await after.conversation.keepUp(signal);
  expect(deleted).toEqual(['s1']);
  await after.conversation.keepUp(signal);
  expect(deleted).toEqual(['s1']);
  await keepUp();
});

it('and so is one that the service could not delete at the time', async () => {
  const { chatbot, conversation } = create();
  const deleted: string[] = [];
  let isAway = true;
  chatbot.deleteReplies = async (session) => {
    if (isAway) throw new ChatbotError('unavailable', 'away');
    deleted.push(session);
    return 0;
  };
  expect((await read(conversation)).at(-1)).toMatchObject({ isWhole: true });
  isAway = false;
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  await conversation.keepUp(signal);
  expect(deleted).toEqual(['s1']);
});

it('nothing is shown of an answer that has only begun with spaces', async () => {
  const { chatbot, conversation } = create();
  chatbot.answer = async function* () {
    yield ' \n';
    await sleep(2_000);
    yield 'Perhaps.';
  };
  const shown = await read(conversation);
  expect(shown.map(({ markdown }) => markdown.trim())).not.toContain('');
  expect(shown.at(-1)).toMatchObject({ markdown: expect.stringContaining('Perhaps.') });
});

it('what stands below an answer is no part of the code that it ends in', async () => {
  const { chatbot, conversation } = create();
  chatbot.lastReply = async () => ({
    id: 'r1',
    query: 'Am I ill?',
    response: 'Run [1.1]:\n\n```js\nrun();',
    sources: [{ marker: '1.1', title: 'Guide', quote: 'run' }],
    state: 'whole',
  });
  const shown = await read(conversation);
  expect(shown.at(-1)).toMatchObject({
    markdown: 'Run [1]:\n\n```js\nrun();\n```\n\nSources: [1] Guide',
  });
});

it('private questions of one workspace leave places for those of others', async () => {
  const { chatbot, conversation, ask, finish } = create({ maxTurns: 1 });
  const threadOf = (name: string) =>
    createFakeThread({ address: { ...fakeAddress, workspace: 'B', thread: name } });
  await ask(threadOf('T1'), 'Am I first?');
  const go = Promise.withResolvers<void>();
  chatbot.answer = async function* (query) {
    await go.promise;
    yield `You said: ${query}`;
  };
  const place = { ...fakeAddress, workspace: 'A' };
  const all: Promise<unknown>[] = [];
  for (let index = 0; index < 20; index += 1) {
    const answer = conversation.answerAlone({ ...asked, place }, signal);
    all.push(Array.fromAsync(answer).catch(String));
    await vi.advanceTimersByTimeAsync(100);
  }
  const thread = threadOf('T2');
  void conversation.message(createFakeMessage(thread, 'Me too?'));
  await vi.advanceTimersByTimeAsync(1_000);
  go.resolve();
  await finish();
  expect(thread.visible()).toEqual(['You said: Me too?']);
  await vi.advanceTimersByTimeAsync(60_000);
  const told = await Promise.all(all);
  expect(told.at(-1)).toContain('too many questions');
  expect(told[0]).toContainEqual(expect.objectContaining({ isAnswered: true }));
});
