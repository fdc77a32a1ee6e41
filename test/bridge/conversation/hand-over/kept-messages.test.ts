import { describe, expect, it, vi } from 'vitest';
import { ChatbotError } from '../../../../src/bridge/conversation/errors.ts';
import { createFakeMessage, editOf, turnOf } from '../../../fixtures/fake-thread.ts';
import { setUpHandOver, ada, grace } from './set-up-hand-over.ts';
import { patience } from '../../../fixtures/patience.ts';

describe('hand-over: what was said meanwhile', () => {
  const { create } = setUpHandOver();

  it('gives what was said to the next query, and to no other', async () => {
    const { say, press, thread, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(ada, 'My invoice\n  is wrong.');
    await say(grace, 'It is number 7.');
    expect(await press('resume', grace)).toBeUndefined();
    expect(thread.visible().at(-1)).toBe('The bot is back.');
    expect(thread.buttons()).toEqual([[], [], []]);
    chatbot.answer = async function* () {
      yield 'Yes';
    };
    await say(ada, 'How do I pay it?');
    await say(ada, 'And when?');
    expect(chatbot.queries).toEqual([
      {
        session: 's1',
        query: 'How do I pay it?',
        context: 'Ada: My invoice is wrong.\nGrace: It is number 7.',
      },
      { session: 's1', query: 'And when?' },
    ]);
  });

  it('keeps only the newest messages of a long talk', async () => {
    const { say, press, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    for (let n = 1; n <= 60; n += 1) await say(grace, `${n}: ${'word '.repeat(200)}`);
    await press('resume', ada);
    await say(ada, 'And now?');
    const [asked] = chatbot.queries;
    expect(asked?.context?.length).toBeLessThan(3000);
    expect(asked?.context).toContain('Grace: 60: word');
    expect(asked?.context).not.toContain('Grace: 40:');
  });

  it('shows the stored reply of a query with context', async () => {
    const { say, press, thread, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'Hello');
    await press('resume', ada);
    chatbot.answer = async function* (query) {
      const sources = [{ marker: '1.1', title: 'Guide', quote: 'so' }];
      chatbot.stored.set('s1', { id: 'r1', query, response: 'So [1.1].', sources, state: 'whole' });
      yield 'So';
    };
    await say(ada, 'Why?');
    expect(thread.visible().at(-1)).toBe('So [1]. (Sources: [1] Guide)');
  });

  it('gives what was said again where the query failed', async () => {
    const { say, press, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    await say(grace, 'It is number 7.');
    await press('resume', ada);
    const { answer } = chatbot;
    chatbot.answer = () => {
      throw new ChatbotError('unavailable', 'down');
    };
    const failed = await say(ada, 'How?');
    chatbot.answer = answer;
    await press('retry', ada, turnOf(failed));
    await vi.waitUntil(() => chatbot.queries.length > 1, patience);
    const asked = { session: 's1', query: 'How?', context: 'Grace: It is number 7.' };
    expect(chatbot.queries).toEqual([asked, asked]);
  });

  it('completes a reply with context after a crash', async () => {
    const before = create();
    await before.say(ada, 'talk to a human', 'mention');
    await before.say(grace, 'It is number 7.');
    await before.press('resume', ada);
    const streams = Promise.withResolvers<string>();
    before.chatbot.answer = async function* (query) {
      yield 'Half';
      streams.resolve(query);
      await new Promise(() => {});
    };
    const { thread } = before;
    void before.say(ada, 'How?');
    const query = await streams.promise;
    const after = create({}, thread);
    after.chatbot.stored.set('s1', {
      id: 'r1',
      query,
      response: 'All',
      sources: [],
      state: 'whole',
    });
    await after.conversation.recover();
    after.conversation.connected('fake');
    await vi.waitFor(() => expect(thread.visible()).toContain('All'), patience);
  });

  it('gives what was said as it reads after edits, and nothing that was deleted', async () => {
    const { edit, say, press, remove, chatbot } = create();
    await say(ada, 'talk to a human', 'mention');
    const number = await say(grace, 'It is number 7.');
    const secret = await say(ada, 'My password is hunter2.');
    const doubt = await say(ada, 'Or is it?');
    await edit(editOf(number, 'It is number 8.'));
    await remove(secret);
    await press('resume', ada);
    await remove(doubt);
    await say(ada, 'How do I pay it?');
    expect(chatbot.queries).toEqual([
      { session: 's1', query: 'How do I pay it?', context: 'Grace: It is number 8.' },
    ]);
  });

  it('forgets what was said before a restart and deleted after it', async () => {
    const before = create();
    await before.say(ada, 'talk to a human', 'mention');
    const said = await before.say(grace, 'It is number 7.');
    const { say, press, remove, chatbot } = create({}, before.thread);
    await remove(said);
    await press('resume', ada);
    await say(ada, 'How do I pay it?');
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'How do I pay it?' }]);
  });

  it('forgets what is deleted while it is still on its way to people', async () => {
    const { say, press, remove, conversation, thread, chatbot } = create();
    const announces = Promise.withResolvers<void>();
    const announced = Promise.withResolvers<void>();
    thread.beforeWrite = () => {
      announces.resolve();
      return announced.promise;
    };
    const asked = say(ada, 'talk to a human', 'mention');
    await announces.promise;
    const message = createFakeMessage(thread, 'My password is hunter2.');
    const said = conversation.message(message);
    const removed = remove(message);
    announced.resolve();
    await Promise.all([asked, said, removed]);
    await press('resume', ada);
    await say(ada, 'q');
    expect(chatbot.queries).toEqual([{ session: 's1', query: 'q' }]);
  });
});
