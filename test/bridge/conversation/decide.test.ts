import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConversation } from '../../../src/bridge/conversation/conversation.ts';
import { createPacer } from '../../../src/bridge/conversation/reply/pacer.ts';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import { createSessions, type SessionRecord } from '../../../src/bridge/conversation/sessions.ts';
import type { Following } from '../../../src/bridge/conversation/settings.ts';
import type { TalkRecord } from '../../../src/bridge/conversation/talk.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import { createFakeChatbot } from '../../fixtures/fake-chatbot.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../../fixtures/fake-thread.ts';
import { openAccess } from '../../fixtures/open-tenancy.ts';
import { silentLog } from '../../fixtures/log.ts';
import { createFakeBindings } from '../../fixtures/fake-bindings.ts';
import { findSmallTalk } from '../../../src/bridge/conversation/decide.ts';
import { english, textsFor } from '../../../src/bridge/texts/texts.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(() => store[Symbol.asyncDispose]());

/** The core in a channel that is followed so, where `T` is a thread with a session. */
async function follow(followingIn: () => Promise<Following>) {
  const chatbot = createFakeChatbot();
  const sessions = createSessions({
    store: store.keyv<SessionRecord>('session'),
    former: store.keyv<ThreadAddress>('former-session'),
    chatbot,
    bindings: createFakeBindings(),
  });
  await sessions.replace(fakeAddress, { session: 'S', chatbot: 'bot' });
  const conversation = createConversation({
    ...openAccess(store),
    chatbot,
    sessions,
    inbox: store.inbox,
    pacer: createPacer(),
    openThread: () => undefined,
    findPlatform: () => undefined,
    settings: {
      followingIn,
      takesContextIn: async () => false,
      solvedTagIn: async () => undefined,
    },
    said: { store: store.keyv<TalkRecord>('talk'), saidIn: store.keyv<string>('said-in') },
    apart: store.keyv<number>('private-session'),
    log: silentLog,
  });
  /** Whether something said in a thread is answered. */
  return async (thread: string, change: Partial<IncomingMessage>): Promise<boolean> => {
    const fake = createFakeThread({ address: { ...fakeAddress, thread } });
    const message = { id: 'Q', addressed: 'overheard', ...change } as const;
    await conversation.message(createFakeMessage(fake, 'Why?', message));
    return fake.visible().length > 0;
  };
}

test.each([
  ['mentions', { mention: true, begun: false, others: false, channel: false }],
  ['threads', { mention: true, begun: true, others: false, channel: false }],
  ['everything', { mention: true, begun: true, others: false, channel: true }],
] as const)(
  'in a channel where %s are followed, nothing else is answered',
  async (following, answered) => {
    const isAnswered = await follow(async () => following);
    expect({
      mention: await isAnswered('X', { addressed: 'mention', id: 'Q1' }),
      begun: await isAnswered('T', { id: 'Q2' }),
      others: await isAnswered('X2', { id: 'Q3' }),
      // What is said in the channel itself begins the thread of its own id.
      channel: await isAnswered('Q4', { id: 'Q4' }),
    }).toEqual(answered);
  },
);

test('while the setting can’t be read, only messages to the bot are answered', async () => {
  const isAnswered = await follow(async () => Promise.reject(new Error('The store is down.')));
  expect(await isAnswered('T', { id: 'Q1' })).toBe(false);
  expect(await isAnswered('T', { id: 'Q2', addressed: 'mention' })).toBe(true);
});

const german = textsFor('de');

test.each([
  ['hi', 'greeting'],
  ['Hello!', 'greeting'],
  ['Heyyy 👋', 'greeting'],
  ['good morning', 'greeting'],
  ['Thanks!!', 'thanks'],
  ['Thank you very much.', 'thanks'],
  ['ok, thanks', 'thanks'],
  ['HELP', 'help'],
  ['help me!', 'help'],
])('%j is a %s', (text, kind) => {
  expect(findSmallTalk(text)).toEqual({ kind, texts: english });
});

test.each([
  ['hi', 'de-AT', german],
  ['help', 'de', german],
  ['hi', 'fi-FI', english],
  // The words tell where the reader's language does not know them.
  ['Grüß Gott', 'en-US', german],
  ['danke!', undefined, german],
  ['thanks', 'de', english],
])('%j of somebody who reads %s is answered in the right language', (text, locale, texts) => {
  expect(findSmallTalk(text, locale)?.texts).toBe(texts);
});

test.each([
  ['hi, how do I add a source?'],
  ['hello world program in C'],
  ['thanks, and when does it open?'],
  ['help me with my tax return'],
  ['hi?'.repeat(40)],
  ['hilfe beim Drucker'],
  ['👍'],
  ['1'],
  [''],
])('%j is no small talk', (text) => {
  expect(findSmallTalk(text)).toBeUndefined();
});
