import { describe, expect, it } from 'vitest';
import { createFakeMessage, deliver } from '../../../fixtures/fake-thread.ts';
import { toAddress } from '../../../../src/bridge/conversation/inbox/row.ts';
import type { TalkRecord } from '../../../../src/bridge/conversation/talk.ts';
import type { KeyedStore } from '../../../../src/bridge/conversation/keyed-store.ts';
import { setUpHandOver, ada } from './set-up-hand-over.ts';

describe('a message to people that is deleted leaves no text', () => {
  const { create, store } = setUpHandOver();

  async function textsKept() {
    const records = await Array.fromAsync(store().keyv<TalkRecord>('talk').entries());
    return records.flatMap(([, { said }]) => said.map(({ text }) => text));
  }

  it('while it is being read', async () => {
    const { say, remove, conversation, thread } = create();
    await say(ada, 'talk to a human', 'mention');
    const secret = createFakeMessage(thread, 'secret', { addressed: 'overheard' });
    const read = Promise.withResolvers<typeof secret>();
    await conversation.received(deliver(secret, () => read.promise));
    await conversation.removed(toAddress(secret));
    read.resolve(secret);
    await remove(secret);
    await say(ada, 'more');
    expect(await textsKept()).toEqual(['more']);
  });

  it('while it is being recorded', async () => {
    const reached = Promise.withResolvers<void>();
    const recorded = Promise.withResolvers<void>();
    const kept = () => store().keyv<TalkRecord>('talk');
    const slow: KeyedStore<TalkRecord> = {
      get: (key) => kept().get(key),
      set: (key, value, ttl) => kept().set(key, value, ttl),
      delete: (key) => kept().delete(key),
      entries: () => kept().entries(),
      async update(key, change, ttl) {
        const { after } = await kept().update(key, (known) => known);
        if (after?.said.length === 0) {
          reached.resolve();
          await recorded.promise;
        }
        return kept().update(key, change, ttl);
      },
    };
    const said = { store: slow, saidIn: store().keyv<string>('said-in') };
    const { say, conversation, thread, remove } = create({}, undefined, { said });
    recorded.resolve();
    await say(ada, 'talk to a human', 'mention');
    const secret = createFakeMessage(thread, 'secret', { addressed: 'overheard' });
    const sent = conversation.message(secret);
    await reached.promise;
    await remove(secret);
    await sent;
    await say(ada, 'more');
    expect(await textsKept()).toEqual(['more']);
  });
});
