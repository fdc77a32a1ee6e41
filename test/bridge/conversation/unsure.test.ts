import { describe, expect, it, vi } from 'vitest';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import { createGaps, type GapRecord } from '../../../src/bridge/conversation/gaps.ts';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import type { Unsure } from '../../../src/bridge/conversation/settings.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  editOf,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';
import { fakeSettings } from '../../fixtures/open-tenancy.ts';
import { setUpConversation } from './set-up-conversation.ts';

const { create } = setUpConversation();

/** What the service tells of its reply. */
type Told = 'sure' | 'weak' | 'unanswered' | 'nothing';

/** A conversation in a channel where everything is followed. */
async function start(unsure: Partial<Unsure> = { way: 'quiet' }, told: Told = 'unanswered') {
  const noted: string[] = [];
  const log = createMemoryLog();
  const settings = fakeSettings({
    following: 'everything',
    unsure: { way: 'answer', calls: false, ...unsure },
  });
  const gaps = {
    ...createGaps({
      store: createMemoryStore<GapRecord>(),
      former: createMemoryStore<GapRecord>(),
      inbox: { get: async () => undefined },
      now: () => 0,
    }),
    async refused({ query }: { query: string }, nearest = '') {
      if (query === 'unlisted?') throw new Error('The list can’t be written.');
      noted.push(`${query} ${nearest}`.trim());
    },
  };
  const created = create({ settings, gaps, log });
  const { chatbot } = created;
  let isTold = told;
  chatbot.answer = async function* (query) {
    yield 'Per';
    yield 'haps.';
    const session = chatbot.sessions.at(-1) ?? '';
    if (isTold === 'nothing') return;
    const sources = [{ marker: '1.1', title: 'Handbook', quote: 'Perhaps.' }];
    chatbot.stored.set(session, {
      id: `${chatbot.queries.length}`,
      query,
      response: 'Perhaps. [1.1]',
      state: 'whole',
      sources,
      ...(isTold === 'unanswered' && { unanswered: { nearest: 'Guide' }, sources: [] }),
      ...(isTold === 'weak' && { isWeak: true }),
    });
  };
  let count = 0;
  /** Says something in a thread of its own, or in one that there is. */
  async function say(
    text: string,
    addressed: IncomingMessage['addressed'] = 'overheard',
    known?: ReturnType<typeof createFakeThread>,
  ) {
    count += 1;
    const id = `${count}`;
    const own = createFakeThread({ address: { ...fakeAddress, thread: id } });
    const thread = known ?? Object.assign(own, { readBefore: async () => [] });
    created.threads.set(thread.address.thread, thread);
    const message = { ...createFakeMessage(thread, text, { addressed }), id };
    await created.conversation.received(deliver(message));
    await created.finish();
    return { thread, message };
  }
  /** Asks something that is edited before the service answers. */
  async function sayAndEdit(text: string, change: Partial<IncomingMessage>) {
    const answered = Promise.withResolvers<void>();
    const { answer } = chatbot;
    chatbot.answer = async function* (...asked) {
      await answered.promise;
      yield* answer(...asked);
    };
    count += 1;
    const id = `${count}`;
    const own = createFakeThread({ address: { ...fakeAddress, thread: id } });
    const thread = Object.assign(own, { readBefore: async () => [] });
    created.threads.set(id, thread);
    const message = createFakeMessage(thread, text, { id, addressed: 'overheard' });
    await created.conversation.received(deliver(message));
    await vi.advanceTimersByTimeAsync(1_000);
    await created.conversation.edited(editOf({ ...message, ...change }));
    await vi.advanceTimersByTimeAsync(1_000);
    chatbot.answer = answer;
    const before = [...thread.history];
    answered.resolve();
    await created.finish();
    return { thread, message, before };
  }
  return { ...created, say, sayAndEdit, noted, log, tell: (next: Told) => void (isTold = next) };
}

describe('a channel that is quiet where the service is not sure', () => {
  it.each([
    ['unanswered', 'Why? Guide'],
    ['weak', 'Why? Handbook'],
  ] as const)('shows nothing at any time, and lists the question: %s', async (told, listed) => {
    const { say, noted, inbox } = await start({ way: 'quiet' }, told);
    const { thread, message } = await say('Why?');
    expect(thread.history).toEqual([]);
    expect(thread.workingShown).toBe(0);
    expect(noted).toEqual([listed]);
    expect(await inbox.get(turnOf(message))).toMatchObject({ state: 'handled', posted: [] });
  });

  it('ends a question that can’t be listed, and logs it', async () => {
    const { say, inbox, log } = await start();
    const { message } = await say('unlisted?');
    expect(await inbox.get(turnOf(message))).toMatchObject({ state: 'handled' });
    const lines = log.lines.map((line) => line.message);
    expect(lines).toContain('a question without an answer was not noted');
  });

  it('shows nothing at any time of a question that is edited meanwhile, and knows its newest words', async () => {
    const { say, sayAndEdit, tell, chatbot } = await start();
    const { thread } = await sayAndEdit('Where do we eat?', { text: 'Where do we drink?' });
    expect(thread.history).toEqual([]);
    expect(chatbot.queries).toMatchObject([{ query: 'Where do we eat?' }]);
    tell('sure');
    await say('In building B?', 'mention', thread);
    expect(chatbot.queries.at(-1)).toMatchObject({ context: 'Ada: Where do we drink?' });
  });

  it('offers to answer a question that was edited meanwhile once its answer is posted', async () => {
    const { sayAndEdit, chatbot, conversation, finish, inbox } = await start(
      { way: 'quiet' },
      'sure',
    );
    const { thread, message, before } = await sayAndEdit('Why?', { text: 'Why not?' });
    expect(before).toEqual([]);
    expect(thread.visible()).toEqual([
      expect.stringMatching(/^Perhaps\./),
      'You changed your question.',
    ]);
    const note = (await inbox.get(turnOf(message)))?.editNote;
    expect(note).toBeDefined();
    const turn = thread.turns().at(-1) ?? '';
    const by = { id: 'U1', name: 'Ada', isManager: false };
    await conversation.pressed({ action: 'retry', turn, by, place: thread.address });
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['Why?', 'Why not?']);
    expect(thread.visible()).not.toContain('You changed your question.');
  });

  it('offers an answer at once to an edit that mentions it', async () => {
    const { sayAndEdit } = await start();
    const mention = { text: 'Why, bot?', addressed: 'mention' } as const;
    const { thread } = await sayAndEdit('Why?', mention);
    expect(thread.visible()).toEqual(['You changed your question.']);
  });

  it.each(['sure', 'nothing'] as const)('answers where it is, or may be: %s', async (told) => {
    const { say, noted } = await start({ way: 'quiet' }, told);
    const { thread } = await say('Why?');
    expect(thread.visible().join('')).toMatch(/^Perhaps\./);
    // Nothing of it was shown before that was known.
    expect(thread.history).toHaveLength(1);
    expect(noted).toEqual([]);
  });

  it.each(['Hello', 'Thank you!', 'help'])('leaves “%s” to people', async (text) => {
    const { say } = await start({ way: 'quiet' });
    expect((await say(text)).thread.visible()).toEqual([]);
    expect((await say(text, 'mention')).thread.visible()).toHaveLength(1);
  });

  it('answers whoever mentions it', async () => {
    const { say } = await start({ way: 'quiet' });
    expect((await say('Why?', 'mention')).thread.visible()).toHaveLength(1);
  });

  it('answers only directly if it is to be silent', async () => {
    const { say, noted } = await start({ way: 'silent' });
    expect((await say('Why?', 'mention')).thread.visible()).toEqual([]);
    expect((await say('How?', 'direct')).thread.visible()).toHaveLength(1);
    expect(noted).toEqual(['Why? Guide', 'How? Guide']);
  });

  it('leaves the thread to people: what they say there is context for a later mention', async () => {
    const { say, chatbot, tell } = await start();
    const { thread } = await say('Where do we eat?');
    const asked = chatbot.queries.length;
    tell('sure');
    await say('In building B.', 'overheard', thread);
    expect(chatbot.queries).toHaveLength(asked);
    await say('So where?', 'mention', thread);
    expect(chatbot.queries.at(-1)).toMatchObject({
      query: 'So where?',
      context: 'Ada: Where do we eat?\nAda: In building B.',
    });
    expect(thread.visible()).toHaveLength(1);
  });

  it('has the newest words of a question that was left open as context', async () => {
    const { say, chatbot, tell, conversation, finish } = await start({ way: 'silent' });
    const { thread, message } = await say('Where do we eat?', 'mention');
    await conversation.edited(editOf(message, 'Where do we drink?'));
    await finish();
    tell('sure');
    await say('In building B?', 'mention', thread);
    expect(chatbot.queries.at(-1)).toMatchObject({ context: 'Ada: Where do we drink?' });
  });

  it('leaves a thread the session that it had before', async () => {
    const { say, sessions, chatbot } = await start();
    const thread = createFakeThread();
    chatbot.sessions.push('former');
    await sessions.replace(thread.address, { session: 'former', chatbot: 'bot' });
    await vi.advanceTimersByTimeAsync(1_000);
    await say('Why?', 'overheard', thread);
    expect(chatbot.queries).toMatchObject([{ session: 'former', query: 'Why?' }]);
    expect(thread.visible()).toEqual([]);
    expect(await sessions.find(thread.address)).toMatchObject({ session: 'former' });
  });

  it('answers once an edit mentions it', async () => {
    const { say, conversation, finish } = await start();
    const { thread, message } = await say('Why?');
    await conversation.edited(editOf({ ...message, addressed: 'mention' }, 'Why, bot?'));
    await finish();
    expect(thread.visible()).toHaveLength(1);
  });

  it('asks the words of an edit that mentions it anew, not with the key of those before', async () => {
    const { say, chatbot, conversation, finish, tell } = await start();
    chatbot.hasKeys = true;
    tell('sure');
    const { thread } = await say('First?');
    tell('unanswered');
    const { message } = await say('Why?', 'overheard', thread);
    await conversation.edited(editOf({ ...message, addressed: 'mention' }, 'Why, bot?'));
    await finish();
    const keys = chatbot.queries.map(({ session, key }) => `${session} ${key}`);
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['First?', 'Why?', 'Why, bot?']);
    expect(new Set(keys).size).toBe(3);
  });

  it('says nothing of a service that fails, but to whoever mentioned it', async () => {
    const { say, chatbot, noted } = await start({ way: 'silent' });
    chatbot.answer = async function* () {
      yield* [];
      throw new ChatbotError('invalid', 'No.');
    };
    expect((await say('Why?')).thread.visible()).toEqual([]);
    expect(noted).toEqual([]);
    expect((await say('Why?', 'mention')).thread.visible()).toHaveLength(1);
  });
});

it('elsewhere, the first text does not wait for the service to be sure', async () => {
  const { say } = await start({ way: 'answer' });
  const { thread } = await say('Why?');
  expect(thread.history.length).toBeGreaterThan(1);
  expect(thread.visible()).toHaveLength(1);
});
