import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../../src/shared/primitives/time.ts';
import {
  createFakeMessage,
  createFakeThread,
  type FakeThread,
  turnOf,
} from '../../../fixtures/fake-thread.ts';
import type { Inbox } from '../../../../src/bridge/conversation/inbox/inbox.ts';
import { settle, setUpConversation, writeTimes } from '../set-up-conversation.ts';

describe('a reply in a crowd', () => {
  const { create } = setUpConversation();

  /** A conversation in a workspace whose other replies need all of its edits. */
  function createCrowd() {
    const world = create();
    const { edit } = createFakeThread().budgets;
    while (world.pacer.hasRoom(edit, 2)) world.pacer.join(edit);
    return world;
  }

  /** Has the chatbot say each part when it is told to. */
  function conduct({ chatbot }: ReturnType<typeof createCrowd>) {
    const parts: PromiseWithResolvers<string | undefined>[] = [];
    const part = (index: number) => (parts[index] ??= Promise.withResolvers());
    chatbot.answer = async function* () {
      for (let index = 0; ; index += 1) {
        const text = await part(index).promise;
        if (text === undefined) return;
        yield text;
      }
    };
    let said = 0;
    return async (text: string | undefined, thenMs = 2_000) => {
      part(said++).resolve(text);
      await vi.advanceTimersByTimeAsync(thenMs);
    };
  }

  async function open(thread: FakeThread = createFakeThread()) {
    const world = createCrowd();
    const say = conduct(world);
    const answered = world.conversation.message(createFakeMessage(thread, 'q'));
    await vi.advanceTimersByTimeAsync(100);
    return { ...world, thread, say, answered };
  }

  it('is posted paragraph by paragraph, and no message is edited', async () => {
    const { thread, say, answered } = await open();
    await say('One');
    expect(thread.visible()).toEqual([]);
    await say(' is here.\n\nTwo');
    expect(thread.visible()).toEqual(['One is here.']);
    await say(' is, too.\n\nThree');
    expect(thread.visible()).toEqual(['One is here.', 'Two is, too.']);
    expect(thread.buttons()).toEqual([[], []]);
    await say(' is last.');
    await say(undefined);
    await settle(answered);
    expect(thread.visible()).toEqual(['One is here.', 'Two is, too.', 'Three is last.']);
    expect(thread.history).toEqual(thread.visible());
    expect(thread.buttons().map((labels) => labels.length > 0)).toEqual([false, false, true]);
  });

  it('begins with whole sentences where the first paragraph takes long', async () => {
    const { thread, say, answered } = await open();
    await say('One is here. Two', 500);
    expect(thread.visible()).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(thread.visible()).toEqual(['One is here.']);
    await say(' is, too. Three');
    expect(thread.visible()).toEqual(['One is here.']);
    await say(undefined);
    await settle(answered);
    expect(thread.visible()).toEqual(['One is here.', 'Two is, too. Three']);
  });

  it('is posted whole where it is short', async () => {
    const { thread, say, answered } = await open();
    await say('Just this.', 100);
    await say(undefined);
    await settle(answered);
    expect(thread.history).toEqual(['Just this.']);
  });

  it('goes on with the numbers of its footnotes', async () => {
    const world = await open();
    const { thread, say, answered, chatbot } = world;
    const parts = ['One [1.1].\n\nTwo', ' [2.1].\n\nThree [1.1].'];
    for (const part of parts) await say(part);
    chatbot.stored.set('s1', {
      id: 'm1',
      query: 'q',
      response: parts.join(''),
      sources: [
        { marker: '1.1', title: 'A', quote: 'a' },
        { marker: '2.1', title: 'B', quote: 'b' },
      ],
      state: 'whole',
    });
    await say(undefined);
    await settle(answered);
    expect(thread.visible()).toEqual([
      'One [1].',
      'Two [2].',
      'Three [1]. (Sources: [1] A · [2] B)',
    ]);
  });

  it('says that it is working on the rest after each message', async () => {
    const { thread, say, answered } = await open();
    await say('One.\n\nTwo', 100);
    expect(thread.workingShown).toBe(2);
    await say(undefined);
    await settle(answered);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(thread.workingShown).toBe(2);
  });

  it('leaves the line where its question is deleted, and tells others how many are ahead', async () => {
    const { pacer, conversation, chatbot } = create();
    const { post } = createFakeThread().budgets;
    await writeTimes(5, pacer, post);
    chatbot.answer = async function* (query) {
      yield `answer to ${query}`;
    };
    const waiting: { thread: FakeThread; said: string[]; answered: Promise<void> }[] = [];
    for (const name of ['a', 'b', 'c']) {
      const address = { ...createFakeThread().address, thread: name };
      const thread = createFakeThread({ address });
      const said: string[] = [];
      thread.showWorking = async (doing) => void said.push(doing);
      waiting.push({
        thread,
        said,
        answered: conversation.message(createFakeMessage(thread, name)),
      });
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(waiting.map(({ said }) => said.at(-1))).toEqual([
      'is thinking…',
      'is answering 1 other question first…',
      'is answering 2 other questions first…',
    ]);
    const removed = { platform: 'fake', workspace: 'W', channel: 'C', id: 'q-a' };
    await settle(Promise.resolve(conversation.removed(removed)));
    await settle(Promise.all(waiting.map(({ answered }) => answered)));
    expect(waiting.map(({ thread }) => thread.visible())).toEqual([
      [],
      ['answer to b'],
      ['answer to c'],
    ]);
  });

  it('leaves the line without a word where somebody stops it', async () => {
    const { pacer, conversation, openRows } = create();
    const thread = createFakeThread();
    await writeTimes(5, pacer, thread.budgets.post);
    const message = createFakeMessage(thread, 'a');
    const answered = conversation.message(message);
    await vi.advanceTimersByTimeAsync(100);
    const { author: by } = message;
    const place = thread.address;
    await conversation.pressed({ action: 'stop', turn: turnOf(message), by, place });
    await settle(answered);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(thread.history).toEqual([]);
    expect(await openRows()).toEqual([]);
  });

  it('leaves the line where its question is deleted while its end is being stored', async () => {
    const { inbox, openRows } = create();
    const thread = createFakeThread();
    const removed = { platform: 'fake', workspace: 'W', channel: 'C', id: 'q-a' };
    const deleting: Inbox = Object.create(inbox, {
      update: {
        async value(...[id, change, from]: Parameters<Inbox['update']>) {
          const updated = await inbox.update(id, change, from);
          if (!('state' in change) || change.state !== 'ending') return updated;
          void world.conversation.removed(removed);
          await sleep(1_000);
          return updated;
        },
      },
    });
    const world = create({ inbox: deleting });
    await writeTimes(5, world.pacer, thread.budgets.post);
    await settle(world.conversation.message(createFakeMessage(thread, 'a')));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(thread.visible()).toEqual([]);
    expect(await openRows()).toEqual([]);
  });

  it('ends its status where no message does', async () => {
    const world = create();
    const left = createFakeThread();
    await writeTimes(5, world.pacer, left.budgets.post);
    const hidden: string[] = [];
    left.hideWorking = async () => void hidden.push('left');
    const answered = world.conversation.message(createFakeMessage(left, 'a'));
    await vi.advanceTimersByTimeAsync(100);
    const removed = { platform: 'fake', workspace: 'W', channel: 'C', id: 'q-a' };
    await settle(Promise.resolve(world.conversation.removed(removed)));
    await settle(answered);
    const thread = createFakeThread();
    thread.hideWorking = async () => void hidden.push('answered');
    await world.ask(thread, 'b');
    expect(thread.visible()).toHaveLength(1);
    expect(hidden).toEqual(['left']);
  });
});
