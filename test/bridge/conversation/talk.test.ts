import { describe, expect, it, vi } from 'vitest';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import { createThreadControl } from '../../../src/bridge/commands/thread-control.ts';
import { turnId } from '../../../src/bridge/conversation/inbox/row.ts';
import type { Spoken } from '../../../src/bridge/conversation/thread.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../../fixtures/fake-thread.ts';
import { fakeSettings } from '../../fixtures/open-tenancy.ts';
import { setUpConversation } from './set-up-conversation.ts';

describe('what was said before a question', () => {
  const { create } = setUpConversation();

  const said: Spoken[] = [{ sent: '1', name: 'Grace', text: 'It is number 7.' }];

  /** A thread of people, whose history is read as given. */
  function threadOf(read: () => Promise<Spoken[]>) {
    let reads = 0;
    const readBefore = async () => {
      reads += 1;
      return read();
    };
    return { thread: { ...createFakeThread(), readBefore }, reads: () => reads };
  }

  const settings = fakeSettings({ following: 'mentions' });

  it('is read once, also after a restart', async () => {
    const { thread, reads } = threadOf(async () => said);
    const before = create({ settings });
    await before.ask(thread, 'How?', { id: '2' });
    expect(before.chatbot.queries).toMatchObject([{ context: 'Grace: It is number 7.' }]);
    const overheard = { id: '3', addressed: 'overheard' };
    await before.ask(thread, 'Or 8', overheard);
    const after = create({ settings });
    await after.ask(thread, 'Which?', { id: '4' });
    expect(after.chatbot.queries).toEqual([
      { session: 's1', query: 'Which?', context: 'Ada: Or 8' },
    ]);
    expect(reads()).toBe(1);
  });

  it('is given again where the query failed', async () => {
    const { thread, reads } = threadOf(async () => said);
    const { ask, chatbot, conversation, finish } = create({ settings });
    const { answer } = chatbot;
    chatbot.answer = () => {
      throw new ChatbotError('invalid', 'no');
    };
    await ask(thread, 'How?', { id: '2' });
    chatbot.answer = answer;
    const [turn = ''] = thread.turns();
    const by = { id: 'U1', name: 'Ada', isManager: false };
    await conversation.pressed({ action: 'retry', turn, by, place: thread.address });
    await finish();
    const asked = { session: 's1', query: 'How?', context: 'Grace: It is number 7.' };
    expect(chatbot.queries).toEqual([asked, asked]);
    expect(reads()).toBe(1);
  });

  it('is not given again where it was deleted meanwhile', async () => {
    const { thread } = threadOf(async () => said);
    const { ask, chatbot, conversation, finish, inbox } = create({ settings });
    const { answer } = chatbot;
    chatbot.answer = () => {
      throw new ChatbotError('invalid', 'no');
    };
    await ask(thread, 'How?', { id: '2' });
    chatbot.answer = answer;
    await conversation.removed({ ...fakeAddress, id: '1' });
    const [turn = ''] = thread.turns();
    const by = { id: 'U1', name: 'Ada', isManager: false };
    await conversation.pressed({ action: 'retry', turn, by, place: thread.address });
    await finish();
    expect(chatbot.queries.map(({ context }) => context)).toEqual([
      'Grace: It is number 7.',
      undefined,
    ]);
    expect((await inbox.get(turnId(fakeAddress, '2')))?.context).toBeUndefined();
  });

  it('is without the words of somebody who is forgotten meanwhile, also where a line shows a name shorter', async () => {
    const name = `Grace  ${'H'.repeat(100)}`;
    const { thread } = threadOf(async () => [
      { sent: '1', name, text: 'It is number 7.', by: 'U2' },
    ]);
    const { ask, chatbot, conversation, inbox } = create({ settings });
    chatbot.answer = () => {
      throw new ChatbotError('invalid', 'no');
    };
    await ask(thread, 'How?', { id: '2' });
    const row = turnId(fakeAddress, '2');
    expect((await inbox.get(row))?.context).toMatch(/^Grace H+….*number 7/);
    const { signal } = new AbortController();
    const person = { platform: 'fake', id: 'U2', name };
    await Array.fromAsync(conversation.forgetting.forget(person, signal));
    expect((await inbox.get(row))?.context).toBe('');
  });

  it('is not kept with a question that was answered', async () => {
    const { thread } = threadOf(async () => said);
    const { ask, inbox } = create({ settings });
    await ask(thread, 'How?', { id: '2' });
    expect((await inbox.get(turnId(fakeAddress, '2')))?.context).toBeUndefined();
  });

  it('is not kept with one whose answer is written by the next process', async () => {
    const { thread } = threadOf(async () => said);
    const before = create({ settings });
    const { post } = thread;
    thread.post = () => new Promise(() => {});
    void before.conversation.message(createFakeMessage(thread, 'How?', { id: '2' }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await before.openRows()).toMatchObject([{ state: 'ending' }]);
    void before.conversation.close(0);
    await vi.advanceTimersByTimeAsync(3_000);
    thread.post = post;
    const { ask, chatbot, inbox, recover, threads } = create({ settings });
    threads.set(fakeAddress.thread, thread);
    await recover();
    expect(thread.visible()).toEqual(['You said: How?']);
    expect((await inbox.get(turnId(fakeAddress, '2')))?.context).toBeUndefined();
    await ask(thread, 'And?', { id: '3' });
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'And?' }]);
  });

  it('is forgotten where the thread begins a new session', async () => {
    const { thread } = threadOf(async () => said);
    const { ask, chatbot, conversation, sessions } = create({ settings });
    await ask(thread, 'How?', { id: '2' });
    await ask(thread, 'Or 8', { id: '3', addressed: 'overheard' });
    const threads = createThreadControl(sessions, conversation, () => undefined);
    await threads.continueWith(fakeAddress, { session: 's9', chatbot: 'bot' });
    await ask(thread, 'Which?', { id: '4' });
    expect(chatbot.queries.at(-1)).toEqual({ session: 's9', query: 'Which?' });
  });

  it('holds nobody up for long, and nothing of it is logged', async () => {
    const log = createMemoryLog();
    const { thread, reads } = threadOf(() => new Promise(() => {}));
    const { ask, chatbot } = create({ settings, log });
    await ask(thread, 'How?', { id: '2' });
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'How?' }]);
    thread.readBefore = async () => said;
    await ask(thread, 'And?', { id: '3' });
    expect(chatbot.queries.at(-1)?.context).toBe('Grace: It is number 7.');
    expect(reads()).toBe(1);
    expect(JSON.stringify(log)).not.toContain('number 7');
  });

  it('is not read in a thread that the question begins', async () => {
    const { thread, reads } = threadOf(async () => said);
    const own = { ...thread, address: { ...fakeAddress, thread: '2' } };
    const { ask, chatbot } = create({ settings });
    await ask(own, 'How?', { id: '2' });
    await ask(own, 'And?', { id: '3' });
    expect(chatbot.queries.map(({ context }) => context)).toEqual([undefined, undefined]);
    expect(reads()).toBe(0);
  });
});
