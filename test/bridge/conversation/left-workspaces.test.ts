import { expect, test, vi } from 'vitest';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import type { KeyedStore } from '../../../src/bridge/conversation/keyed-store.ts';
import { createMemoryLog } from '../../fixtures/memory-log.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';
import { openTenancy } from '../../fixtures/open-tenancy.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../../fixtures/fake-thread.ts';
import { settle, setUpConversation, thinkUntilAborted } from './set-up-conversation.ts';

const { create } = setUpConversation();

function threadIn(workspace: string, thread: string) {
  return createFakeThread({ address: { ...fakeAddress, workspace, thread } });
}

test('when the bot is removed from a workspace, its turns end at once and without a word; others go on', async () => {
  const log = createMemoryLog();
  const { conversation, chatbot, openRows } = create({ log });
  chatbot.answer = thinkUntilAborted;
  const gone = threadIn('A', 'T1');
  const stays = threadIn('B', 'T2');
  const asked = [gone, stays].map((thread) =>
    conversation.message(createFakeMessage(thread, `q in ${thread.address.workspace}`)),
  );
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await openRows()).toHaveLength(2);
  gone.beforeWrite = () => {
    throw new Error('The token is revoked.');
  };
  await conversation.left('fake', 'A');
  await settle(asked[0] ?? Promise.resolve());
  expect((await openRows()).map(({ workspace }) => workspace)).toEqual(['B']);
  expect(log.lines.map(({ message }) => message)).toContain(
    'the work in progress in a workspace has ended',
  );
  expect(conversation.isAnsweringIn(stays.address)).toBe(true);
  await conversation.left('fake', 'B');
  await settle(Promise.all(asked));
  expect(await openRows()).toEqual([]);
});

test('nor is the rest of a reply looked for there that broke off before', async () => {
  const { conversation, chatbot, inbox } = create();
  chatbot.answer = async function* () {
    yield 'Let me';
    throw new ChatbotError('interrupted', 'broken');
  };
  const looks = vi.fn<typeof chatbot.lastReply>(async () => undefined);
  chatbot.lastReply = looks;
  await settle(conversation.message(createFakeMessage(threadIn('A', 'T1'), 'q')));
  expect(await inbox.openIn()).toMatchObject([{ state: 'ended', unsettled: true }]);
  await conversation.left('fake', 'A');
  expect(await inbox.openIn()).toEqual([]);
  looks.mockClear();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looks).not.toHaveBeenCalled();
});

test('a workspace whose chatbot can’t be made keeps no other waiting, and has it once it can be made', async () => {
  const full = new Error('The owner has no room left.');
  let isFull = true;
  const tenancy = openTenancy(
    { keyv: () => createMemoryStore() },
    {
      workspaces: ['A'],
      async createFor({ workspace }) {
        if (isFull) throw full;
        return `chatbot of ${workspace}`;
      },
    },
  );
  const log = createMemoryLog();
  const { conversation } = create({ tenancy, log });
  const served = (workspace: string) => tenancy.isKnown({ platform: 'fake', workspace });
  expect(await settle(conversation.joined('fake', ['A', 'B'], true))).toEqual([]);
  expect(await Promise.all(['A', 'B'].map(served))).toEqual([true, false]);
  expect(log.lines.map(({ level, fields }) => ({ level, ...fields }))).toEqual([
    { level: 'error', err: full, platform: 'fake', workspace: 'B' },
  ]);
  isFull = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await served('B')).toBe(true);
});

test('while a store takes no writes, a workspace that joins gets one chatbot, not one for each try', async () => {
  let isFull = true;
  const owners = createMemoryStore<unknown>();
  const full = {
    ...owners,
    async set(key: string, value: unknown) {
      if (isFull) throw new Error('The disk is full.');
      return owners.set(key, value);
    },
  };
  const stores = new Map([['ownership', full]]);
  let made = 0;
  const tenancy = openTenancy(
    {
      keyv: <Value>(name: string) =>
        (stores.get(name) as KeyedStore<Value> | undefined) ?? createMemoryStore<Value>(),
    },
    { workspaces: ['A'], createFor: async () => `chatbot ${(made += 1)}` },
  );
  const { conversation } = create({ tenancy });
  const chatbots = () => tenancy.chatbotsOf({ platform: 'fake', workspace: 'B' });
  await settle(conversation.joined('fake', ['B'], true));
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(await chatbots()).toEqual([]);
  isFull = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([await chatbots(), made]).toEqual([['chatbot 1'], 1]);
});
