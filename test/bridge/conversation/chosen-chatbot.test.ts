import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BindingRecord, createBindings } from '../../../src/bridge/conversation/bindings.ts';
import { ChatbotError } from '../../../src/bridge/conversation/errors.ts';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import { createSessions, type SessionRecord } from '../../../src/bridge/conversation/sessions.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import { createFakeChatbot } from '../../fixtures/fake-chatbot.ts';
import { openTenancy } from '../../fixtures/open-tenancy.ts';
import { fakeAddress } from '../../fixtures/fake-thread.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(() => store[Symbol.asyncDispose]());

const { signal } = new AbortController();

/** Threads of a channel for which a chatbot was chosen; those in `gone` the service does not know. */
async function choose(chosen: string, gone: readonly string[]) {
  const chatbot = createFakeChatbot();
  const bindings = createBindings({
    store: store.keyv<BindingRecord>('binding'),
    fallback: 'usual',
    tenancy: openTenancy(store, { workspaces: ['W'] }),
  });
  await bindings.bind(fakeAddress, 'channel', chosen);
  const { createSession } = chatbot;
  chatbot.createSession = async (uuid, given) => {
    if (gone.includes(uuid)) throw new ChatbotError('not_found', 'There is no such chatbot');
    return createSession(uuid, given);
  };
  const sessions = createSessions({
    store: store.keyv<SessionRecord>('session'),
    former: store.keyv<ThreadAddress>('former-session'),
    chatbot,
    bindings,
  });
  return { sessions, bindings };
}

test('the usual chatbot answers again where the chosen one was deleted, and that is told once', async () => {
  const { sessions, bindings } = await choose('gone', ['gone']);
  const opened = await sessions.findOrCreate(fakeAddress, signal);
  expect(opened).toMatchObject({ chatbot: 'usual', usesFallback: true });
  expect(await bindings.chatbotFor(fakeAddress)).toBe('usual');
  expect(await sessions.findOrCreate(fakeAddress, signal)).not.toHaveProperty('usesFallback');
});

test('a chosen chatbot that is there is used', async () => {
  const { sessions } = await choose('chosen', []);
  const opened = await sessions.findOrCreate(fakeAddress, signal);
  expect(opened).toMatchObject({ chatbot: 'chosen' });
  expect(opened).not.toHaveProperty('usesFallback');
});

test('where the usual chatbot is gone as well, that is an error', async () => {
  const { sessions, bindings } = await choose('gone', ['gone', 'usual']);
  await expect(sessions.findOrCreate(fakeAddress, signal)).rejects.toMatchObject({
    kind: 'misconfigured',
  });
  expect(await bindings.chatbotFor(fakeAddress)).toBe('gone');
});

test('a session that was replaced meanwhile takes nothing with it when it is forgotten', async () => {
  const { sessions } = await choose('chosen', []);
  const { session } = await sessions.findOrCreate(fakeAddress, signal);
  await sessions.replace(fakeAddress, { session: 'newer', chatbot: 'chosen' });
  expect((await sessions.places()).get(session)).toEqual({
    address: fakeAddress,
    isCurrent: false,
  });
  await sessions.forget(session, { address: fakeAddress, isCurrent: true });
  expect(await sessions.find(fakeAddress)).toMatchObject({ session: 'newer' });
  expect((await sessions.places()).has(session)).toBe(false);
});

test('a session whose chatbot was taken back is replaced, and keeps its place', async () => {
  const chatbot = createFakeChatbot();
  const tenancy = openTenancy(store, { workspaces: ['home'] });
  const home = { platform: 'fake', workspace: 'home' };
  await tenancy.accept(fakeAddress, await tenancy.offer(home, 'lent'));
  await tenancy.accept(fakeAddress, await tenancy.offer(home, 'other'));
  const bindings = createBindings({
    store: store.keyv<BindingRecord>('binding'),
    fallback: 'usual',
    tenancy,
  });
  const sessions = createSessions({
    store: store.keyv<SessionRecord>('session'),
    former: store.keyv<ThreadAddress>('former-session'),
    chatbot,
    bindings,
  });
  await bindings.bind(fakeAddress, 'channel', 'lent');
  const before = await sessions.findOrCreate(fakeAddress, signal);
  expect(before).toMatchObject({ chatbot: 'lent' });
  await tenancy.takeBack('lent');
  expect(await sessions.findOrCreate(fakeAddress, signal)).toMatchObject({ chatbot: 'other' });
  expect((await sessions.places()).get(before.session)).toMatchObject({ isCurrent: false });
  await tenancy.takeBack('other');
  await expect(sessions.findOrCreate(fakeAddress, signal)).rejects.toMatchObject({
    kind: 'no_chatbot',
  });
});
