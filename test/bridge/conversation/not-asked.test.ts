import { describe, expect, it, vi } from 'vitest';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import type { Following } from '../../../src/bridge/conversation/settings.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  editOf,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { fakeSettings } from '../../fixtures/open-tenancy.ts';
import { answerTo, setUpConversation } from './set-up-conversation.ts';

const minuteMs = 60_000;
const ada = { id: 'U1', name: 'Ada', isManager: false };
const { create, keepUp } = setUpConversation();

describe('a question that is refused because others wait can be tried again', () => {
  it.each([
    ['in its thread', 12, {}, () => 'T'],
    ['for the process', 12, { maxTurns: 1 }, (index: number) => `T${index}`],
  ])('%s', async (_, count, options, threadOf) => {
    const { conversation, chatbot, finish } = create(options);
    const go = Promise.withResolvers<void>();
    chatbot.answer = async function* (query) {
      await go.promise;
      yield `You said: ${query}`;
    };
    const threads = new Map<string, ReturnType<typeof createFakeThread>>();
    const messages: IncomingMessage[] = [];
    for (let index = 0; index < count; index += 1) {
      const name = threadOf(index);
      const known = threads.get(name);
      const thread = known ?? createFakeThread({ address: { ...fakeAddress, thread: name } });
      threads.set(name, thread);
      const message = createFakeMessage(thread, `${index}`);
      messages.push(message);
      void conversation.message(message);
      await vi.advanceTimersByTimeAsync(100);
    }
    const refused = messages.at(-1) ?? createFakeMessage(createFakeThread(), '');
    const thread = threads.get(refused.thread.address.thread);
    expect(thread?.buttons()).toContainEqual(['Try again']);
    expect(chatbot.queries.map(({ query }) => query)).not.toContain('11');
    go.resolve();
    await finish();
    const press = { action: 'retry', turn: turnOf(refused), by: ada } as const;
    await answerTo(conversation.pressed({ ...press, place: refused.thread.address }));
    await finish();
    expect(thread?.visible().at(-1)).toBe('You said: 11');
  });
});

it('a question that came too late is taught where it finds no answer once it is asked', async () => {
  let isLate = true;
  const { ask, chatbot, conversation, finish } = create({ isTooLate: () => isLate });
  chatbot.answer = async function* (query) {
    yield 'No idea.';
    const reply = { id: 'r1', query, response: 'No idea.', sources: [], unanswered: {} };
    chatbot.stored.set('s1', { ...reply, state: 'whole' });
  };
  const thread = createFakeThread();
  await ask(thread, 'q');
  isLate = false;
  const [turn = ''] = thread.turns();
  await answerTo(conversation.pressed({ action: 'retry', turn, by: ada, place: fakeAddress }));
  await finish();
  expect(thread.visible().at(-1)).toBe('No idea.');
  expect(thread.shownButtons().map(({ action }) => action)).toContain('teach');
});

describe('a message that is not for us', () => {
  /** One that was heard in a channel where only threads are followed. */
  async function overhear() {
    let following: Following = 'threads';
    const { conversation, ...others } = create({
      settings: fakeSettings(async () => ({ following })),
    });
    const thread = createFakeThread({ address: { ...fakeAddress, thread: 'q-Why?' } });
    const message = createFakeMessage(thread, 'Why?', { addressed: 'overheard' });
    await conversation.received(deliver(message));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(thread.visible()).toEqual([]);
    following = 'everything';
    return { ...others, conversation, thread, message };
  }

  it('leaves its id for an hour, so that it is not decided on anew', async () => {
    const { conversation, inbox, thread, message, finish } = await overhear();
    const { event, query, author } = (await inbox.get(turnOf(message))) ?? {};
    expect([event, query, author]).toEqual([undefined, undefined, undefined]);
    await vi.advanceTimersByTimeAsync(58 * minuteMs);
    await conversation.received(deliver(message));
    await finish();
    expect(thread.visible()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    await keepUp();
    expect(await inbox.get(turnOf(message))).toBeUndefined();
  });

  it('is answered where a second event says that it mentions us', async () => {
    const { conversation, thread, message, finish } = await overhear();
    const mention = { ...message, addressed: 'mention' } as const;
    await conversation.received(deliver(mention));
    await finish();
    await conversation.received(deliver(mention));
    await finish();
    expect(thread.visible()).toEqual(['You said: Why?']);
  });

  it('is answered where an edit mentions us', async () => {
    const { conversation, thread, message, finish } = await overhear();
    await conversation.edited(editOf({ ...message, addressed: 'mention' }, 'Why not?'));
    await finish();
    expect(thread.visible()).toEqual(['You said: Why not?']);
  });

  it('is answered where the second event comes while the first is decided on', async () => {
    const decided = Promise.withResolvers<Following>();
    const settings = fakeSettings(async () => ({ following: await decided.promise }));
    const { conversation, finish } = create({ settings });
    const thread = createFakeThread({ address: { ...fakeAddress, thread: 'q-Why?' } });
    const message = createFakeMessage(thread, 'Why?', { addressed: 'overheard' });
    await conversation.received(deliver(message));
    await vi.advanceTimersByTimeAsync(100);
    const second = conversation.received(deliver({ ...message, addressed: 'mention' }));
    decided.resolve('threads');
    await second;
    await finish();
    expect(thread.visible()).toEqual(['You said: Why?']);
  });

  it('is answered where the second event comes just before it is found not to be for us', async () => {
    const { inbox } = create();
    const thread = createFakeThread({ address: { ...fakeAddress, thread: 'q-Why?' } });
    const message = createFakeMessage(thread, 'Why?', { addressed: 'overheard' });
    let isFirst = true;
    const interrupting: typeof inbox = {
      ...inbox,
      async update(id, change, from) {
        if (isFirst && 'state' in change && change.state === 'handled') {
          isFirst = false;
          await conversation.received(deliver({ ...message, addressed: 'mention' }));
        }
        return inbox.update(id, change, from);
      },
    };
    const { conversation, finish } = create({ inbox: interrupting });
    await conversation.received(deliver(message));
    await finish();
    expect(thread.visible()).toEqual(['You said: Why?']);
  });

  it('leaves its id where it was delivered as one for us', async () => {
    const { conversation, inbox, finish } = create();
    const mention = createFakeMessage(createFakeThread(), 'Why?');
    const read = vi.fn<() => Promise<IncomingMessage>>(async () => ({
      ...mention,
      addressed: 'overheard',
    }));
    await conversation.received(deliver(mention, read));
    await finish();
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    expect(read).toHaveBeenCalledOnce();
    expect(await inbox.get(turnOf(mention))).toMatchObject({ state: 'handled' });
  });
});
