import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../../../src/shared/primitives/time.ts';
import { ChatbotError, PlatformError } from '../../../../src/bridge/conversation/errors.ts';
import type { StoredReply } from '../../../../src/bridge/conversation/chatbot.ts';
import type { MessageContent } from '../../../../src/bridge/conversation/thread.ts';
import {
  createFakeMessage,
  createFakeThread,
  fakeAddress,
  type FakeThread,
  turnOf,
} from '../../../fixtures/fake-thread.ts';
import { answerTo, settle, setUpConversation } from '../set-up-conversation.ts';

const minute = 60_000;
const ada = { id: 'U1', name: 'Ada', isManager: false };
const done = ['Helpful', 'Not helpful'];

const timeout = () =>
  new PlatformError('failed', {
    code: 'platform_unreachable',
    params: { platform: 'Test' },
  });

describe('an edit that got no answer', () => {
  const { create } = setUpConversation();

  /**
   * A reply whose second text is written by an edit that gets no answer. `lands` carries that edit
   * out.
   */
  async function answer({ ending = async () => {} }: { ending?: () => Promise<void> } = {}) {
    const thread = createFakeThread();
    const created = create();
    const { chatbot, conversation } = created;
    let lost: MessageContent | undefined;
    let edits = 0;
    thread.beforeWrite = (kind, content) => {
      if (kind !== 'edit') return;
      edits += 1;
      if (lost) return;
      lost = content;
      throw timeout();
    };
    chatbot.answer = async function* () {
      yield 'One ';
      await sleep(1_000);
      yield 'two ';
      await sleep(1_000);
      yield 'three';
      await ending();
    };
    const message = createFakeMessage(thread, 'q');
    created.threads.set('T', thread);
    const start = Date.now();
    await settle(conversation.message(message));
    const turn = turnOf(message);
    const place = fakeAddress;
    const press = (action: 'retry' | 'helpful') =>
      settle(answerTo(conversation.pressed({ action, turn, by: ada, place })));
    return {
      ...created,
      thread,
      turn,
      press,
      tookMs: Date.now() - start,
      edits: () => edits,
      lands: () => thread.message('m1').edit(lost ?? { markdown: '' }),
    };
  }

  function assertStale(thread: FakeThread): void {
    expect(thread.visible()[0]).toBe('One two');
    expect(thread.buttons()[0]).toEqual(['Stop']);
  }

  it('and is carried out after the last one, is undone a minute later', async () => {
    const { thread, lands, edits } = await answer();
    await lands();
    assertStale(thread);
    const before = edits();
    await vi.advanceTimersByTimeAsync(minute);
    expect(thread.visible()).toEqual(['One two three']);
    expect(thread.buttons()).toEqual([done]);
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(edits()).toBe(before + 1);
  });

  it('holds up neither its turn nor the next one', async () => {
    const { thread, turn, inbox, tookMs, ask } = await answer();
    expect(tookMs).toBeLessThan(4_000);
    expect(await inbox.get(turn)).toMatchObject({ state: 'ended' });
    const start = Date.now();
    await ask(thread, 'next');
    expect(thread.visible()).toHaveLength(2);
    expect(Date.now() - start).toBeLessThan(4_000);
  });

  it('is undone as often as the platform says that this was too fast', async () => {
    const { thread, lands } = await answer();
    await lands();
    let refusals = 2;
    thread.beforeWrite = () => {
      const problem = { code: 'platform_busy', params: { platform: 'Test' } } as const;
      const retry = { retryAfterMs: 5_000 };
      if (refusals-- > 0) throw new PlatformError('rate_limited', problem, retry);
    };
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect(thread.visible()).toEqual(['One two three']);
  });

  it('leaves feedback as it is', async () => {
    const { thread, turn, inbox, press, lands } = await answer();
    await press('helpful');
    await lands();
    await vi.advanceTimersByTimeAsync(minute);
    expect(thread.visible()).toEqual(['One two three']);
    expect(await inbox.get(turn)).toMatchObject({ feedback: { U1: 'helpful' } });
  });

  it('is left alone where somebody asked again', async () => {
    const { thread, press, edits, lands, finish } = await answer();
    await press('retry');
    await finish();
    await lands();
    const before = edits();
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(edits()).toBe(before);
    expect(thread.visible()).toEqual(['One two', 'One two three']);
  });

  it('does not bring back a text that was completed meanwhile', async () => {
    const stored: StoredReply = {
      id: 'r1',
      query: 'q',
      response: 'Whole.',
      sources: [],
      state: 'whole',
    };
    const { thread, chatbot, edits, finish } = await answer({
      async ending() {
        throw new ChatbotError('interrupted', 'socket hang up');
      },
    });
    chatbot.stored.set('s1', stored);
    await finish();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(thread.visible()).toEqual(['Whole.']);
    const before = edits();
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(thread.visible()).toEqual(['Whole.']);
    expect(edits()).toBe(before);
  });

  it('is left alone where its message or its turn is gone', async () => {
    const { thread, inbox, edits } = await answer();
    await inbox.deleteIn({ platform: 'fake', workspace: 'W' });
    const before = edits();
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(edits()).toBe(before);
    const other = await answer();
    other.thread.beforeWrite = () => {
      throw new PlatformError('gone', 'message_gone');
    };
    const posts = other.thread.history.length;
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(other.thread.history).toHaveLength(posts);
    expect(thread.visible()).toEqual(['One two three']);
  });

  it('is left alone once the process stops, and does not hold it up', async () => {
    const { conversation, edits } = await answer();
    const before = edits();
    const start = Date.now();
    await settle(conversation.close(minute));
    expect(Date.now() - start).toBeLessThan(1_000);
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(edits()).toBe(before);
  });

  it.each([
    ['each was answered', () => false],
    // A repetition shows the same.
    [
      'only the last one was repeated',
      ({ markdown }: MessageContent) => markdown.endsWith('three'),
    ],
  ])('is all that is repeated: nothing is where %s', async (_why, isLost) => {
    const thread = createFakeThread();
    const { ask, chatbot } = create();
    let edits = 0;
    let losses = 1;
    thread.beforeWrite = (kind, content) => {
      if (kind !== 'edit') return;
      edits += 1;
      if (isLost(content) && content.buttons?.[0]?.action !== 'stop' && losses-- > 0)
        throw timeout();
    };
    chatbot.answer = async function* () {
      yield 'One ';
      await sleep(1_000);
      yield 'two ';
      await sleep(1_000);
      yield 'three';
    };
    await ask(thread, 'q');
    const before = edits;
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(edits).toBe(before);
    expect(thread.visible()).toEqual(['One two three']);
  });
});
