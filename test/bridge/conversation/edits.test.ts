import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/shared/primitives/time.ts';
import { ChatbotError, PlatformError } from '../../../src/bridge/conversation/errors.ts';
import { toAddress } from '../../../src/bridge/conversation/inbox/row.ts';
import type { Edit, IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  editOf,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { answerTo, settle, setUpConversation, thinkUntilAborted } from './set-up-conversation.ts';

const { create } = setUpConversation();

/** Reads a message, once the platform is no longer away. */
function readLater(platform: { isAway: boolean }, message: IncomingMessage) {
  return async () => {
    if (platform.isAway) throw new PlatformError('failed', 'discord_abuse');
    return message;
  };
}

describe('an edit', () => {
  it('that comes before its message could be read makes the new words asked', async () => {
    const { conversation, chatbot, finish } = create();
    const platform = { isAway: true };
    const message = createFakeMessage(createFakeThread(), 'q');
    await conversation.received(deliver(message, readLater(platform, message)));
    await vi.advanceTimersByTimeAsync(1_000);
    await conversation.edited(editOf(message, 'q, in other words'));
    await vi.advanceTimersByTimeAsync(60_000);
    platform.isAway = false;
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['q, in other words']);
  });

  it('that a dying process only stored makes the next one ask the new words', async () => {
    const before = create();
    before.chatbot.answer = thinkUntilAborted;
    const thread = createFakeThread();
    await before.conversation.received(deliver(createFakeMessage(thread, 'one')));
    const waiting = createFakeMessage(thread, 'two');
    await before.conversation.received(deliver(waiting));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await before.inbox.get(turnOf(waiting))).toMatchObject({ state: 'accepted' });
    void before.conversation.close(0);
    await vi.advanceTimersByTimeAsync(3_000);
    const edited = { ...waiting, text: 'two, in other words' };
    const slowly = async () => {
      await sleep(500);
      return edited;
    };
    await before.conversation.edited({ ...editOf(edited), event: deliver(edited, slowly).event });
    const next = create();
    next.threads.set('T', thread);
    await next.recover();
    expect(next.chatbot.queries.map(({ query }) => query)).toEqual(['two, in other words']);
  });

  it('that comes before its message is asked once', async () => {
    const { conversation, chatbot, finish } = create();
    const message = createFakeMessage(createFakeThread(), 'q');
    await conversation.edited(editOf(message, 'q, in other words'));
    await conversation.received(deliver(message));
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['q, in other words']);
  });

  it.each(['was put off', 'is delivered late'])(
    'that %s does not undo a newer one',
    async (how) => {
      const { conversation, chatbot, ask, finish } = create();
      const thread = createFakeThread();
      const message = createFakeMessage(thread, 'q');
      await ask(thread, 'q');
      const platform = { isAway: true };
      const older: Edit = editOf(message, 'older');
      const late = deliver(message, readLater(platform, { ...message, text: 'older' }));
      const isLate = how === 'is delivered late';
      if (!isLate) await conversation.edited({ ...older, event: late.event });
      await vi.advanceTimersByTimeAsync(10_000);
      await conversation.edited(editOf(message, 'newer'));
      await vi.advanceTimersByTimeAsync(10_000);
      platform.isAway = false;
      if (isLate) await conversation.edited(older);
      await finish();
      const by = { id: 'U1', name: 'Ada', isManager: false };
      const press = { action: 'retry', turn: turnOf(message), by, place: fakeAddress } as const;
      await settle(answerTo(conversation.pressed(press)));
      await finish();
      expect(chatbot.queries.at(-1)?.query).toBe('newer');
    },
  );

  it('is offered once more after the question was answered again', async () => {
    const { conversation, ask } = create();
    const plain = createFakeThread();
    const posted = new Map<string, ReturnType<typeof plain.post>>();
    // As Discord does it for a few minutes.
    const post: typeof plain.post = (content, key = '') => {
      const sent = posted.get(key) ?? plain.post(content, key);
      posted.set(key, sent);
      return sent;
    };
    const thread = { ...plain, post };
    const message = createFakeMessage(thread, 'q');
    await ask(thread, 'q');
    await conversation.edited(editOf(message, 'q, in other words'));
    await vi.advanceTimersByTimeAsync(100);
    const by = { id: 'U1', name: 'Ada', isManager: false };
    const press = { action: 'retry', turn: turnOf(message), by, place: fakeAddress } as const;
    await settle(answerTo(conversation.pressed(press)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(plain.visible()).toHaveLength(2);
    await conversation.edited(editOf(message, 'q, in better words'));
    await vi.advanceTimersByTimeAsync(100);
    expect(plain.visible().at(-1)).toBe('You changed your question.');
  });

  it('of a question that could not be asked is what “Try again” asks', async () => {
    const { conversation, chatbot, ask, finish } = create();
    const thread = createFakeThread();
    chatbot.failCreating = new ChatbotError('invalid', 'no');
    const message = createFakeMessage(thread, 'q');
    await ask(thread, 'q');
    delete chatbot.failCreating;
    await conversation.edited(editOf(message, 'q, in other words'));
    await vi.advanceTimersByTimeAsync(100);
    const [turn = ''] = thread.turns();
    const by = { id: 'U1', name: 'Ada', isManager: false };
    await conversation.pressed({ action: 'retry', turn, by, place: fakeAddress });
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['q, in other words']);
  });

  it('of a running question is no longer offered once that is deleted', async () => {
    const { conversation, chatbot, finish } = create();
    chatbot.answer = thinkUntilAborted;
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(1_000);
    await conversation.edited(editOf(message, 'q, in other words'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(thread.visible()).toEqual(['Let me think', 'You changed your question.']);
    await conversation.removed(toAddress(message));
    await finish();
    expect(thread.visible()).toHaveLength(1);
    expect(thread.buttons()).toEqual([[]]);
  });

  it('that makes a question find its answer takes it from the list of those without one', async () => {
    const { conversation, chatbot, ask, finish, gaps } = create();
    chatbot.answer = async function* (query) {
      yield query;
      const reply = { id: query, query, response: query, sources: [] };
      const unanswered = query === 'q' && { unanswered: {} };
      chatbot.stored.set('s1', { ...reply, state: 'whole', ...unanswered });
    };
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    await ask(thread, 'q');
    expect(await gaps.list(fakeAddress)).toMatchObject([{ query: 'q' }]);
    await conversation.edited(editOf(message, 'q, in other words'));
    await vi.advanceTimersByTimeAsync(100);
    const by = { id: 'U1', name: 'Ada', isManager: false };
    const press = { action: 'retry', turn: turnOf(message), by, place: fakeAddress } as const;
    await settle(answerTo(conversation.pressed(press)));
    await finish();
    expect(thread.visible()).toContain('q, in other words');
    expect(await gaps.list(fakeAddress)).toEqual([]);
  });

  it('that gives a mention its words is offered an answer', async () => {
    const { conversation, chatbot, ask, finish } = create();
    const thread = createFakeThread();
    await ask(thread, '');
    expect(thread.visible()).toHaveLength(1);
    await conversation.edited(editOf(createFakeMessage(thread, ''), 'How?'));
    await vi.advanceTimersByTimeAsync(100);
    const [turn = ''] = thread.turns();
    const by = { id: 'U1', name: 'Ada', isManager: false };
    await answerTo(conversation.pressed({ action: 'retry', turn, by, place: fakeAddress }));
    await finish();
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['How?']);
    expect(thread.visible().at(-1)).toBe('You said: How?');
  });
});
