import { describe, expect, it, vi } from 'vitest';
import { type ButtonAction, buttonActions } from '../../../src/bridge/conversation/thread.ts';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { usualOptions } from '../../fixtures/conversation-tools.ts';
import { openAccess } from '../../fixtures/open-tenancy.ts';
import {
  createFakeMessage,
  createFakeThread,
  editOf,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { answerTo, settle, setUpConversation, thinkUntilAborted } from './set-up-conversation.ts';

describe('buttons', () => {
  const { create } = setUpConversation();

  const ada = { id: 'U1', name: 'Ada', isManager: false };
  const linus = { id: 'U2', name: 'Linus', isManager: false };
  const grace = { id: 'U3', name: 'Grace', isManager: true };

  /** A turn that streams until it is stopped. */
  async function streaming(question = 'q', options: Parameters<typeof create>[0] = {}) {
    const created = create(options);
    const thread = createFakeThread();
    created.threads.set('T', thread);
    created.chatbot.answer = thinkUntilAborted;
    const message = createFakeMessage(thread, question);
    const done = created.conversation.message(message);
    await vi.advanceTimersByTimeAsync(100);
    return { ...created, thread, message, done, turn: turnOf(message) };
  }

  it('offers to stop while the reply streams, to who asked and to managers only', async () => {
    const { conversation, thread, turn, done } = await streaming();
    expect(thread.buttons()).toEqual([['Stop']]);
    const refusal = await answerTo(
      conversation.pressed({
        action: 'stop',
        turn,
        by: linus,
        place: fakeAddress,
      }),
    );
    expect(refusal).toBe('Only Ada, who asked, or a manager can stop this answer.');
    expect(thread.visible()).toEqual(['Let me think']);
    expect(
      await answerTo(conversation.pressed({ action: 'stop', turn, by: grace, place: fakeAddress })),
    ).toBeUndefined();
    await settle(done);
    expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Grace.']);
    expect(thread.buttons()).toEqual([['Try again']]);
  });

  describe('while the service is silent', () => {
    const note = '*I’m still working on the answer…*';

    /** A question whose answer is still to begin, five seconds later. */
    async function waiting() {
      const created = create();
      const thread = createFakeThread();
      const first = Promise.withResolvers<string>();
      created.chatbot.answer = async function* (_query, signal) {
        const gone = new ChatbotError('aborted', 'aborted');
        signal.addEventListener('abort', () => first.reject(gone));
        yield await first.promise;
        yield ', at last.';
      };
      const message = createFakeMessage(thread, 'q');
      const done = created.conversation.message(message);
      await vi.advanceTimersByTimeAsync(4_900);
      expect(thread.visible()).toEqual([]);
      await vi.advanceTimersByTimeAsync(200);
      return { ...created, thread, done, turn: turnOf(message), begin: first.resolve };
    }

    it('says that it is still working, until the first text comes', async () => {
      const { thread, done, begin } = await waiting();
      expect(thread.visible()).toEqual([note]);
      expect(thread.buttons()).toEqual([['Stop']]);
      begin('Nine o’clock');
      await settle(done);
      expect(thread.visible()).toEqual(['Nine o’clock, at last.']);
      expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
    });

    it('can be stopped', async () => {
      const { conversation, thread, done, turn } = await waiting();
      const pressed = { action: 'stop', turn, by: ada, place: fakeAddress } as const;
      await answerTo(conversation.pressed(pressed));
      await settle(done);
      expect(thread.visible()).toEqual(['⏹ Stopped by Ada.']);
      expect(thread.buttons()).toEqual([['Try again']]);
    });

    it('is answered in the same message after a restart', async () => {
      const { inbox, thread, turn } = await waiting();
      expect(await inbox.get(turn)).toMatchObject({
        state: 'asking',
        posted: [expect.any(String)],
      });
      const next = create();
      next.threads.set('T', thread);
      next.chatbot.stored.set('s1', {
        id: 'm1',
        query: 'q',
        response: 'Nine.',
        sources: [],
        state: 'whole',
      });
      await next.recover();
      expect(thread.visible()).toEqual(['Nine.']);
    });
  });

  it('are not needed: a reply stops at the word', async () => {
    const { ask, thread, done } = await streaming();
    await ask(thread, 'Stop!', { author: ada });
    await settle(done);
    expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Ada.']);
  });

  it('stops at the platform’s own control', async () => {
    const { conversation, thread, done } = await streaming();
    await conversation.stopped(thread.address, ada);
    await settle(done);
    expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Ada.']);
  });

  it('asks the same question again, in the same session', async () => {
    const { conversation, chatbot, thread, turn, done } = await streaming();
    expect(
      await answerTo(conversation.pressed({ action: 'retry', turn, by: ada, place: fakeAddress })),
    ).toContain('still');
    await answerTo(conversation.pressed({ action: 'stop', turn, by: ada, place: fakeAddress }));
    await settle(done);
    chatbot.answer = async function* () {
      yield 'A whole answer';
    };
    await settle(
      answerTo(conversation.pressed({ action: 'retry', turn, by: linus, place: fakeAddress })),
    );
    expect(thread.visible()[1]).toBe('A whole answer');
    expect(chatbot.queries).toEqual([
      { session: 's1', query: 'q' },
      { session: 's1', query: 'q' },
    ]);
  });

  it('keeps what each reader thinks of a reply, and lets them change it', async () => {
    const { ask, conversation, inbox } = create();
    const thread = createFakeThread();
    await ask(thread, 'q');
    expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
    const turn = turnOf(createFakeMessage(thread, 'q'));
    await answerTo(conversation.pressed({ action: 'helpful', turn, by: ada, place: fakeAddress }));
    await answerTo(
      conversation.pressed({ action: 'unhelpful', turn, by: linus, place: fakeAddress }),
    );
    const said = await answerTo(
      conversation.pressed({
        action: 'unhelpful',
        turn,
        by: ada,
        place: fakeAddress,
      }),
    );
    expect(said).toContain('not helpful');
    expect((await inbox.get(turn))?.feedback).toEqual({ U1: 'unhelpful', U2: 'unhelpful' });
  });

  it('keeps why a reader found a reply not helpful, beside what they think of it', async () => {
    const { ask, conversation, inbox } = create();
    const thread = createFakeThread();
    await ask(thread, 'q');
    const turn = turnOf(createFakeMessage(thread, 'q'));
    const pressed = { action: 'unhelpful', turn, by: ada, place: fakeAddress } as const;
    await answerTo(conversation.pressed(pressed));
    const said = await answerTo(conversation.pressed({ ...pressed, remark: 'Too old.' }));
    expect(said).toContain('Managers can read');
    expect(await inbox.get(turn)).toMatchObject({
      feedback: { U1: 'unhelpful' },
      remarks: { U1: 'Too old.' },
    });
  });

  it('shows the quoted passages', async () => {
    const { ask, conversation, chatbot } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield 'So [2.1], and';
    };
    chatbot.stored.set('s1', {
      id: 'r1',
      query: 'q',
      response: 'So [2.1], and so [1.1].',
      sources: [
        { marker: '1.1', title: 'Guide', quote: 'first\nlines' },
        { marker: '2.1', title: 'Page', quote: 'second', url: 'https://example.com/a_(b)' },
      ],
      state: 'whole',
    });
    await ask(thread, 'q');
    expect(thread.visible()).toEqual([
      'So [1], and so [2]. (Sources: [1] [Page](https://example.com/a_%28b%29) · [2] Guide)',
    ]);
    const turn = turnOf(createFakeMessage(thread, 'q'));
    expect(
      await answerTo(
        conversation.pressed({ action: 'passages', turn, by: ada, place: fakeAddress }),
      ),
    ).toBe(
      '**[1]** [Page](https://example.com/a_%28b%29)\n> second\n\n**[2]** Guide\n> first\n> lines',
    );
  });

  it.each(['passages', 'helpful', 'unhelpful'] as const)(
    'tells that an answer is too old for its buttons (%s)',
    async (action) => {
      const { conversation } = create();
      const press = { action, turn: 'unknown', by: ada, place: fakeAddress };
      expect(await answerTo(conversation.pressed(press))).toContain('too old');
    },
  );

  it('offers to answer an edited question again', async () => {
    const { ask, conversation, chatbot } = create();
    const thread = createFakeThread();
    await ask(thread, 'q');
    const message = createFakeMessage(thread, 'q');
    await conversation.edited(editOf(message));
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()).toHaveLength(1);
    await conversation.edited(editOf(message, 'a better q'));
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()[1]).toBe('You changed your question.');
    expect(thread.buttons()[1]).toEqual(['Answer again']);
    await settle(
      answerTo(
        conversation.pressed({
          action: 'retry',
          turn: turnOf(message),
          by: ada,
          place: fakeAddress,
        }),
      ),
    );
    expect(chatbot.queries.at(-1)).toEqual({ session: 's1', query: 'a better q' });
    expect(thread.visible()).toEqual(['You said: q', 'You said: a better q']);
  });

  it('no longer offers to answer an edited question that is deleted', async () => {
    const { ask, conversation } = create();
    const thread = createFakeThread();
    await ask(thread, 'q');
    const message = createFakeMessage(thread, 'q');
    await conversation.edited(editOf(message, 'a better q'));
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()).toHaveLength(2);
    await conversation.removed({ ...thread.address, id: message.id });
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()).toEqual(['You said: q']);
    expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
  });

  it('offers to try again once: a second press below the same answer does nothing', async () => {
    const { conversation, chatbot, thread, done } = await streaming();
    const pressRetry = (turn: string) =>
      settle(answerTo(conversation.pressed({ action: 'retry', turn, by: ada, place })));
    const place = fakeAddress;
    await conversation.stopped(thread.address, ada);
    await settle(done);
    expect(thread.buttons()).toEqual([['Try again']]);
    chatbot.answer = async function* (query) {
      yield `You said: ${query}`;
    };
    const [below] = thread.turns();
    await pressRetry(below ?? '');
    await pressRetry(below ?? '');
    expect(chatbot.queries).toHaveLength(2);
    expect(thread.visible()).toEqual(['Let me think\n\n⏹ Stopped by Ada.', 'You said: q']);
    expect(thread.buttons()).toEqual([[], ['Helpful', 'Not helpful']]);
  });

  it('leaves an edited question alone that is not the last of its thread', async () => {
    const { ask, conversation } = create();
    const thread = createFakeThread();
    await ask(thread, 'first');
    await ask(thread, 'second');
    await conversation.edited(editOf(createFakeMessage(thread, 'first'), 'changed'));
    expect(thread.visible()).toHaveLength(2);
  });

  it('ends the turn of a deleted question', async () => {
    const { conversation, thread, message, done } = await streaming();
    await conversation.removed({ ...thread.address, id: message.id });
    await settle(done);
    expect(thread.visible()[0]).toContain('the question was deleted');
    expect(thread.buttons()).toEqual([[]]);
  });

  describe('where the rule is asked', () => {
    /** An answered question in a thread of a private channel, where the others are. */
    async function answered() {
      const rooms = { of: async () => ({ id: 'C', isPublic: false }), has: async () => false };
      const { access } = openAccess(await openStore('memory:'), { workspaces: ['W', 'W2'], rooms });
      const counted = { turnEnded: vi.fn<() => void>(), rated: vi.fn<() => void>() };
      const reports = { ...usualOptions.reports, ...counted };
      const created = create({ access, reports });
      const thread = createFakeThread();
      created.threads.set('T', thread);
      const message = createFakeMessage(thread, 'q');
      await settle(created.conversation.message(message));
      return { ...created, thread, reports, turn: turnOf(message) };
    }

    const gone = 'This answer is too old: I no longer know what it was about.';
    const denials: Record<ButtonAction, string> = {
      stop: 'There’s nothing to stop: I’m not answering anything here.',
      retry: gone,
      passages: gone,
      help: gone,
      helpful: gone,
      unhelpful: gone,
      person: gone,
      resume: 'I’m already answering here: this thread isn’t with people.',
      teach: gone,
      choose: gone,
    };

    it.each(buttonActions)(
      'does nothing where the turn is not, or for outsiders: %s',
      async (action) => {
        const { conversation, thread, chatbot, inbox, reports, turn } = await answered();
        const before = [thread.history.length, chatbot.queries.length, await inbox.get(turn)];
        const elsewhere = [
          { ...fakeAddress, thread: 'T2' },
          { ...fakeAddress, channel: 'C2' },
          { ...fakeAddress, workspace: 'W2' },
          { ...fakeAddress, platform: 'other' },
        ];
        const manager = { ...ada, isManager: true };
        for (const place of elsewhere) {
          const said = await answerTo(conversation.pressed({ action, turn, by: manager, place }));
          expect(said).toBe(denials[action]);
        }
        const outsider = { ...ada, outsider: 'stranger' as const };
        const said = await answerTo(
          conversation.pressed({ action, turn, by: outsider, place: fakeAddress }),
        );
        expect(said).toBe(denials[action]);
        expect([thread.history.length, chatbot.queries.length, await inbox.get(turn)]).toEqual(
          before,
        );
        expect(reports.rated).not.toHaveBeenCalled();
      },
    );

    it('tells whoever sees a reply, and did not ask, who may stop it', async () => {
      const rooms = { of: async () => ({ id: 'C', isPublic: false }), has: async () => true };
      const { access } = openAccess(await openStore('memory:'), { rooms });
      const { conversation, turn, done } = await streaming('q', { access });
      const press = (by: typeof ada) =>
        answerTo(conversation.pressed({ action: 'stop', turn, by, place: fakeAddress }));
      expect(await press(linus)).toBe('Only Ada, who asked, or a manager can stop this answer.');
      expect(await press(ada)).toBeUndefined();
      await settle(done);
    });

    it('works where the reply is, in the thread or, if none could be opened, in the channel', async () => {
      const { conversation, turn, reports } = await answered();
      for (const place of [fakeAddress, { ...fakeAddress, thread: 'C' }]) {
        const said = await answerTo(
          conversation.pressed({ action: 'helpful', turn, by: linus, place }),
        );
        expect(said).toMatch(/^Thank you/);
      }
      expect(reports.rated).toHaveBeenCalledTimes(2);
    });
  });
});
