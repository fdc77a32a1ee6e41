import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ActiveReplies } from '../../../src/service/replies/active-replies.ts';
import {
  RunningReply,
  type RunningReplyOptions,
} from '../../../src/service/replies/running-reply.ts';
import type { MessageRecord } from '../../../src/service/store/message-store.ts';
import { silentLog } from '../../fixtures/log.ts';

function createMessage(): MessageRecord {
  return {
    uuid: 'm',
    session: 's',
    query: 'When?',
    response: '',
    citations: {},
    finishReason: '',
    errorMessage: '',
    meta: {},
    createdMs: 0,
    modifiedMs: 0,
  };
}

/** A reply whose text is kept by `active`, as one with a stored message unless told otherwise. */
function addReply(
  active: ActiveReplies,
  given: Pick<RunningReplyOptions, 'answer'> & Partial<RunningReplyOptions>,
  isStored = true,
): RunningReply {
  const reply = new RunningReply({
    chatbot: 'c',
    message: createMessage(),
    key: 'k',
    store: async () => {},
    onDelta: (grown) => active.grown(grown),
    async onFailure() {},
    log: silentLog,
    ...given,
  });
  if (isStored) reply.kept = { length: 0, untilMs: 0 };
  active.add(reply);
  return reply;
}

test('a reply that ends while its text is stored is read whole, although its row is done by then', async () => {
  const stored = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const kept = Promise.withResolvers<void>();
  const store = {
    isShared: false,
    async keepReplies() {
      await ending.promise;
      kept.resolve();
      return ['m'];
    },
  };
  using active = new ActiveReplies({ store, generator: 'here', log: silentLog, now: () => 0 });
  const text = 'At nine. '.repeat(300);
  const reply = addReply(active, {
    async *answer() {
      yield text;
      return { finishReason: 'stop' as const, citations: {} };
    },
    async store() {
      ending.resolve();
      await kept.promise;
      stored.resolve();
    },
  });
  void reply.run();
  expect((await Array.fromAsync(reply.read())).join('')).toBe(text);
  await stored.promise;
});

test('a reply that goes on for longer than an hour is ended', async () => {
  const store = { isShared: false, keepReplies: async () => [] };
  const now = () => 61 * 60_000;
  using active = new ActiveReplies({ store, generator: 'here', log: silentLog, now });
  const stored = Promise.withResolvers<void>();
  const reply = addReply(active, {
    async *answer(signal) {
      yield 'At nine. '.repeat(300);
      await once(signal, 'abort');
      throw signal.reason;
    },
    store: async () => stored.resolve(),
  });
  void reply.run();
  await stored.promise;
  expect(reply.message.meta).toEqual({ interrupted: true });
});

test('a reply without a key whose message was deleted elsewhere ends with its text so far', async () => {
  const store = { isShared: true, keepReplies: async () => ['m'] };
  using active = new ActiveReplies({ store, generator: 'here', log: silentLog, now: () => 0 });
  const text = 'At nine. '.repeat(300);
  const reply = addReply(active, {
    key: undefined,
    async *answer(signal) {
      yield text;
      await once(signal, 'abort');
      throw signal.reason;
    },
  });
  void reply.run();
  expect((await Array.fromAsync(reply.read())).join('')).toBe(text);
});

test('a reply whose message waits for the store is left alone', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const store = {
    isShared: true,
    async keepReplies(replies: readonly { uuid: string }[]) {
      asked.push(...replies.map(({ uuid }) => uuid));
      return [];
    },
  };
  using active = new ActiveReplies({ store, generator: 'here', log: silentLog, now: () => 0 });
  const answer = async function* () {
    yield 'At nine.';
    return { finishReason: 'stop' as const, citations: {} };
  };
  addReply(active, { message: { ...createMessage(), uuid: 'stored' }, answer });
  addReply(active, { message: { ...createMessage(), uuid: 'waiting' }, answer }, false);
  vi.advanceTimersByTime(1_000);
  expect(asked).toEqual(['stored']);
});
