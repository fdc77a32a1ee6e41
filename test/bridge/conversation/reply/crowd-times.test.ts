import { expect, test, vi } from 'vitest';
import type { ThreadBudgets, WriteBudget } from '../../../../src/bridge/conversation/thread.ts';
import { sleep } from '../../../../src/shared/primitives/time.ts';
import { createFakeMessage, createFakeThread } from '../../../fixtures/fake-thread.ts';
import { setUpConversation } from '../set-up-conversation.ts';

/** The rules of docs/pacing.md, in time that passes only as fast as the test computes. */

const { create } = setUpConversation();

interface Crowd {
  replies: number;
  /** How long after one question the next is asked. */
  everyMs: number;
  lastsMs: (reply: number) => number;
  budgets: (reply: number) => ThreadBudgets;
}

const deltaMs = 200;
const latencyMs = 40;

/** When people see a reply's first text after it came, and its last after it ended, in ms. */
async function watch({ replies, everyMs, lastsMs, budgets }: Crowd) {
  const { conversation, chatbot } = create();
  const start = performance.now();
  const seen = Array.from({ length: replies }, () => ({ came: 0, first: 0, ended: 0, last: 0 }));
  chatbot.answer = async function* (query) {
    const reply = Number(query);
    const times = seen[reply];
    await sleep(300);
    if (times) times.came = performance.now();
    for (let ms = 0; ms < lastsMs(reply); ms += deltaMs) {
      yield ms % 1_000 === 800 ? 'and so on.\n\nThen ' : 'and so ';
      await sleep(deltaMs);
    }
    yield 'The end';
    if (times) times.ended = performance.now();
  };
  const ended: Promise<void>[] = [];
  for (let reply = 0; reply < replies; reply += 1) {
    const times = seen[reply];
    const address = { ...createFakeThread().address, thread: `${reply}` };
    const thread = { ...createFakeThread({ address }), budgets: budgets(reply) };
    const post = thread.post;
    const see = ({ markdown }: { markdown: string }) => {
      if (times) times.first ||= performance.now();
      if (times && markdown.includes('The end')) times.last = performance.now();
    };
    thread.post = async (content) => {
      await sleep(latencyMs);
      see(content);
      const { edit, ...message } = await post(content);
      return {
        ...message,
        async edit(edited) {
          await sleep(latencyMs);
          see(edited);
          await edit(edited);
        },
      };
    };
    ended.push(conversation.message(createFakeMessage(thread, `${reply}`)));
    await vi.advanceTimersByTimeAsync(everyMs);
  }
  let isOver = false;
  void Promise.all(ended).then(() => (isOver = true));
  while (!isOver) await vi.advanceTimersByTimeAsync(50);
  const first = seen.map((times) => times.first - times.came).toSorted((a, b) => a - b);
  const tail = seen.map((times) => times.last - times.ended).toSorted((a, b) => a - b);
  const at = (sorted: number[], share: number) => sorted[Math.ceil(share * replies) - 1];
  return {
    first: { p50: at(first, 0.5), p95: at(first, 0.95) },
    tail: { p50: at(tail, 0.5), p95: at(tail, 0.95) },
    /** The replies in the order in which people saw their first text. */
    order: seen
      .map((times, reply) => ({ reply, at: times.first }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ reply }) => reply),
    tookMs: performance.now() - start,
  };
}

test('fifty channels of a workspace with fifty edits and three hundred posts a minute', async () => {
  const within: WriteBudget = { key: 'posts', writes: 300, windowMs: 60_000 };
  const { first, tail } = await watch({
    replies: 50,
    everyMs: 300,
    lastsMs: () => 7_500,
    budgets: (reply) => ({
      post: { key: `post ${reply}`, writes: 5, windowMs: 5_250, within },
      edit: { key: 'edit', writes: 50, windowMs: 60_000 },
    }),
  });
  expect(first.p50).toBeLessThan(1_000);
  expect(first.p95).toBeLessThan(4_000);
  expect(tail.p50).toBeLessThan(200);
  expect(tail.p95).toBeLessThan(1_500);
});

test('a hundred questions in one channel are answered as fast as it takes posts, in the order asked', async () => {
  const post: WriteBudget = { key: 'post', writes: 5, windowMs: 5_000 };
  const { order, tookMs } = await watch({
    replies: 100,
    everyMs: 50,
    lastsMs: () => 2_000,
    budgets: () => ({ post, edit: { key: 'edit', writes: 50, windowMs: 60_000 } }),
  });
  expect(tookMs).toBeLessThan(105_000);
  const late = order.filter((reply, index) => Math.abs(reply - index) > 5);
  expect(late).toEqual([]);
});

test('a hundred threads of a bot with fifteen requests a second', async () => {
  const within: WriteBudget = { key: 'bot', writes: 15, windowMs: 1_000 };
  const { tail } = await watch({
    replies: 100,
    everyMs: 30,
    lastsMs: (reply) => 4_000 + ((reply * 700) % 7_000),
    budgets: (reply) => ({
      post: { key: `post ${reply}`, writes: 5, windowMs: 5_000, within },
      edit: { key: `edit ${reply}`, writes: 5, windowMs: 5_000, within },
    }),
  });
  expect(tail.p50).toBeLessThan(200);
  expect(tail.p95).toBeLessThan(1_500);
});
