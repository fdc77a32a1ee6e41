import { sleep } from '../../../src/shared/primitives/time.ts';
import { describe, expect, it, vi } from 'vitest';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import type { Log } from '../../../src/shared/primitives/log.ts';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import { toAddress, toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { openFaultyStore } from '../../fixtures/open-faulty-store.ts';
import type { StoreFaults } from '../../fixtures/store-faults.ts';
import { answerTo, settle, setUpConversation } from './set-up-conversation.ts';

let faults: StoreFaults;

async function openFile() {
  const opened = await openFaultyStore();
  ({ faults } = opened);
  return opened.store;
}

const ada = { id: 'U1', name: 'Ada', isManager: false };

const whole: StoredReply = {
  id: 'r1',
  query: 'q',
  response: 'Half and half',
  sources: [],
  state: 'whole',
};

describe('while the store refuses writes', () => {
  const { create } = setUpConversation(openFile);

  it('a question is not taken over, one note says so, and its redelivery is answered later', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    const delivery = deliver(createFakeMessage(thread, 'q'));
    faults.refuseWrites();
    for (let times = 0; times < 3; times += 1) {
      await expect(settle(conversation.received(delivery))).rejects.toThrow('full');
    }
    expect(thread.visible()).toEqual([expect.stringContaining('Something went wrong')]);
    faults.acceptWrites();
    await conversation.received(delivery);
    await finish();
    expect(thread.visible().slice(1)).toEqual(['You said: q']);
    expect(chatbot.queries).toHaveLength(1);
  });

  it('a question is taken over, in the order of its channel, if that ends within two seconds', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    faults.refuseWrites();
    const accepted = ['one', 'two'].map((text) =>
      conversation.received(deliver(createFakeMessage(thread, text))),
    );
    await vi.advanceTimersByTimeAsync(1_500);
    faults.acceptWrites();
    await vi.advanceTimersByTimeAsync(300);
    await Promise.all(accepted);
    await finish();
    expect(thread.visible()).toEqual(['You said: one', 'You said: two']);
    expect(chatbot.queries).toHaveLength(2);
  });

  it('a question that is stored already is answered later, by this process too', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    const read = Promise.withResolvers<IncomingMessage>();
    await conversation.received(deliver(message, () => read.promise));
    faults.refuseWrites();
    read.resolve(message);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(thread.visible()).toEqual([expect.stringContaining('Something went wrong')]);
    faults.acceptWrites();
    await finish();
    expect(thread.visible().slice(1)).toEqual(['You said: q']);
    expect(chatbot.queries).toHaveLength(1);
  });

  it('an overheard follow-up is not taken for one that isn’t for us', async () => {
    const { conversation, ask, chatbot, finish } = create();
    const thread = createFakeThread();
    await ask(thread, 'one');
    const message = createFakeMessage(thread, 'two', { addressed: 'overheard' });
    faults.refuseWrites();
    await expect(settle(conversation.received(deliver(message)))).rejects.toThrow('full');
    faults.acceptWrites();
    await conversation.received(deliver(message));
    await finish();
    expect(chatbot.queries).toHaveLength(2);
    expect(thread.visible()).toEqual(['You said: one', 'You said: two']);
  });

  it('a reply is shown whole, with nothing below it, and its end is stored later', async () => {
    const { conversation, chatbot, inbox, finish } = create();
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    chatbot.answer = async function* () {
      yield 'Half';
      await sleep(1_000);
      faults.refuseWrites();
      yield ' and half';
    };
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(thread.visible()).toEqual(['Half and half']);
    expect(thread.buttons()).toEqual([['Helpful', 'Not helpful']]);
    faults.acceptWrites();
    await finish();
    expect(await inbox.get(turnOf(message))).toMatchObject({ state: 'ended', posted: ['m1'] });
    expect(thread.visible()).toEqual(['Half and half']);
  });

  it('a question that waits behind that reply waits for the store', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    chatbot.answer = async function* (query) {
      if (query === 'one') faults.refuseWrites();
      yield `You said: ${query}`;
    };
    await conversation.received(deliver(createFakeMessage(thread, 'one')));
    await conversation.received(deliver(createFakeMessage(thread, 'two')));
    await vi.advanceTimersByTimeAsync(300_000);
    expect(thread.visible()).toEqual(['You said: one']);
    faults.acceptWrites();
    await finish();
    expect(thread.visible()).toEqual(['You said: one', 'You said: two']);
  });

  it('a question that is about to be asked waits for the store, and so does the next one', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    const { createSession } = chatbot;
    chatbot.createSession = (...given) => {
      faults.refuseWrites();
      chatbot.createSession = createSession;
      return createSession(...given);
    };
    await conversation.received(deliver(createFakeMessage(thread, 'one')));
    await vi.advanceTimersByTimeAsync(10_000);
    expect([chatbot.queries, thread.visible()]).toEqual([[], []]);
    faults.acceptWrites();
    await conversation.received(deliver(createFakeMessage(thread, 'two')));
    await finish();
    expect(thread.visible()).toEqual(['You said: one', 'You said: two']);
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['one', 'two']);
  });

  it('a failed turn can be tried again once the store works', async () => {
    const { conversation, chatbot, finish } = create();
    const thread = createFakeThread();
    const message = createFakeMessage(thread, 'q');
    chatbot.createSession = async () => {
      faults.refuseWrites();
      return { session: 's1', takesKeys: false };
    };
    void conversation.message(message);
    await vi.advanceTimersByTimeAsync(150_000);
    expect(thread.visible()).toEqual([expect.stringContaining('Something went wrong')]);
    expect(thread.buttons()).toEqual([['Try again']]);
    chatbot.createSession = async () => ({ session: 's1', takesKeys: false });
    faults.acceptWrites();
    await finish();
    const press = { action: 'retry', turn: turnOf(message), by: ada, place: fakeAddress } as const;
    await settle(answerTo(conversation.pressed(press)));
    expect(thread.visible().slice(1)).toEqual(['You said: q']);
  });

  it('a command that has run is not reported as failed', async () => {
    const { conversation, finish } = create();
    const thread = createFakeThread();
    const command = vi.fn<() => Promise<void>>(async () => {
      await thread.post({ markdown: 'Done.' });
      faults.refuseWrites();
    });
    void conversation.message(createFakeMessage(thread, 'source list', { command }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(thread.visible()).toEqual(['Done.']);
    faults.acceptWrites();
    await finish();
    const next = create();
    next.threads.set('T', thread);
    await next.recover();
    expect(thread.visible()).toEqual(['Done.']);
    expect(command).toHaveBeenCalledTimes(1);
  });

  it('four restarts write nothing; the next one after that completes the reply', async () => {
    const before = create();
    const thread = createFakeThread();
    before.chatbot.answer = async function* () {
      yield 'Half';
      await new Promise(() => {});
    };
    const command = () => new Promise<void>(() => {});
    void before.conversation.message(createFakeMessage(thread, 'q'));
    const other = createFakeThread({ address: { ...fakeAddress, thread: 'T2' } });
    void before.conversation.message(createFakeMessage(other, 'source list', { command }));
    await vi.advanceTimersByTimeAsync(1_000);
    faults.run(
      `INSERT INTO inbox (id, revision, state, created_at, due_at, attempts, value) VALUES ('broken', 0, 'asking', 0, 0, 0, 'null')`,
    );
    const unread = toReceivedRow(toAddress(createFakeMessage(thread, 'by a command')));
    await before.inbox.insert(unread);
    faults.refuseWrites();

    const start = async () => {
      const process = create();
      process.chatbot.stored.set('s1', whole);
      for (const each of [thread, other]) process.threads.set(each.address.thread, each);
      await process.conversation.recover();
      process.conversation.connected('fake');
      await vi.advanceTimersByTimeAsync(60_000);
      return process;
    };
    for (let starts = 0; starts < 4; starts += 1) {
      const process = await start();
      await settle(process.conversation.close(0));
    }
    expect(thread.history).toEqual(['Half']);
    expect(other.history).toEqual([]);

    const last = await start();
    faults.acceptWrites();
    await last.finish();
    expect(thread.history).toEqual(['Half', 'Half and half']);
    expect(other.history).toEqual([expect.stringContaining('I won’t run it again')]);
  });
});

describe('a row that can’t be read', () => {
  const { create } = setUpConversation(openFile);

  it.each(['null', '{"half', '[]', '{"address":{"platform":"fake"},"posted":["1"]}'])(
    'is set aside, logged, and holds nothing up: %s',
    async (value) => {
      const before = create();
      const thread = createFakeThread();
      before.chatbot.answer = async function* () {
        yield 'Half';
        await new Promise(() => {});
      };
      const broken = createFakeMessage(thread, 'broken');
      await before.inbox.insert(toReceivedRow(toAddress(broken)));
      faults.run(`UPDATE inbox SET value = '${value}'`);
      void before.conversation.message(createFakeMessage(thread, 'q'));
      await vi.advanceTimersByTimeAsync(1_000);

      const error = vi.fn<Log['error']>();
      const after = create({ log: { ...before.log, error } });
      after.threads.set('T', thread);
      after.chatbot.stored.set('s1', whole);
      await after.recover();
      expect(thread.visible()).toEqual(['Half and half']);
      expect(error.mock.calls).toEqual([
        [{ row: turnOf(broken) }, expect.stringContaining('set aside')],
      ]);
      const next = create({ log: { ...before.log, error } });
      await next.recover();
      expect(error).toHaveBeenCalledTimes(1);
    },
  );
});

describe('while another program has the store locked', () => {
  const { create } = setUpConversation(openFile);

  it('a reply that streams is shown whole, and a question is refused and told after ten seconds', async () => {
    const { conversation, chatbot, finish } = create();
    const threads = ['T', 'T2'].map((thread) =>
      createFakeThread({ address: { ...fakeAddress, thread } }),
    );
    const [thread, other] = threads as [(typeof threads)[0], (typeof threads)[0]];
    const go = Promise.withResolvers<void>();
    chatbot.answer = async function* (query) {
      yield 'You said: ';
      await go.promise;
      yield query;
    };
    void conversation.message(createFakeMessage(thread, 'one'));
    await vi.advanceTimersByTimeAsync(1_000);
    const asked = deliver(createFakeMessage(other, 'two'));
    faults.lock();
    go.resolve();
    const refused = conversation.received(asked).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(String(await refused)).toContain('locked for 10 seconds');
    expect(thread.visible()).toEqual(['You said: one']);
    expect(other.visible()).toEqual([expect.stringContaining('Something went wrong')]);
    faults.unlock();
    await settle(conversation.received(asked));
    await finish();
    expect(other.visible().slice(1)).toEqual(['You said: two']);
  });
});
