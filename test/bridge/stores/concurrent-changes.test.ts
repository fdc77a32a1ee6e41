import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressKey, type ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import { type BindingRecord, createBindings } from '../../../src/bridge/conversation/bindings.ts';
import {
  changeRecord,
  handOverId,
  type HandOverRecord,
} from '../../../src/bridge/conversation/hand-over/records.ts';
import { createSessions, type SessionRecord } from '../../../src/bridge/conversation/sessions.ts';
import {
  type ChannelSettings,
  createSettings,
  type WorkspaceSettings,
} from '../../../src/bridge/conversation/settings.ts';
import { createTalk, type TalkRecord } from '../../../src/bridge/conversation/talk.ts';
import {
  createRegistry,
  type RegistryRecord,
} from '../../../src/bridge/commands/registry/registry.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import { toReceivedRow, turnId } from '../../../src/bridge/conversation/inbox/row.ts';
import { createInboxStore } from '../../../src/bridge/stores/inbox-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../../src/bridge/stores/schema.ts';
import { databases, openUntilEnd } from '../../fixtures/databases.ts';
import { createYieldingDatabase } from '../../fixtures/yielding-database.ts';
import { createFakeBindings } from '../../fixtures/fake-bindings.ts';
import { createFakeChatbot } from '../../fixtures/fake-chatbot.ts';
import { createFakeMessage, createFakeThread, fakeAddress } from '../../fixtures/fake-thread.ts';
import { silentLog } from '../../fixtures/log.ts';
import { createYieldingStores, type KeyedStores, othersGoOn } from '../../fixtures/memory-store.ts';
import { fakeSettings, openTenancy } from '../../fixtures/open-tenancy.ts';

/*
 * Two processes, or two tasks of one, change the same value. Between any two steps of one, the other
 * goes on.
 */

const place = { platform: 'fake', workspace: 'W', channel: 'C' };
const { signal } = new AbortController();
/** How many steps one is ahead. */
const moments = [0, 1, 2, 3, 4, 5, 6];
const now = () => 0;

describe.each(databases)('on $name', ({ createPlaces }) => {
  let store: Store;
  let yielding: KeyedStores;
  beforeEach(async () => {
    store = await openStore((await createPlaces()).storeUrl);
    yielding = createYieldingStores(store);
  });
  afterEach(() => store[Symbol.asyncDispose]());

  function openSessions() {
    return createSessions({
      store: yielding.keyv<SessionRecord>('session'),
      former: yielding.keyv<ThreadAddress>('former-session'),
      chatbot,
      bindings: createFakeBindings(),
    });
  }

  let chatbot = createFakeChatbot();
  beforeEach(() => {
    chatbot = createFakeChatbot();
  });

  async function after<Result>(steps: number, task: () => Promise<Result>): Promise<Result> {
    for (let step = 0; step < steps; step += 1) await othersGoOn();
    return task();
  }

  test.each(moments)(
    '%i steps into a command that chooses a session, a turn ends',
    async (steps) => {
      const [one, other] = [openSessions(), openSessions()];
      const { session } = await one.findOrCreate(fakeAddress, signal);
      await Promise.all([
        other.replace(fakeAddress, { session: 'chosen', chatbot: 'bot' }),
        after(steps, () => one.remember(fakeAddress, { session, turn: 'turn', message: 'm1' })),
      ]);
      const known = await one.find(fakeAddress);
      expect(known).toMatchObject({ session: 'chosen' });
      expect(known?.lastMessage).toBeUndefined();
    },
  );

  test('of sessions that replace one another, each keeps its address', async () => {
    const [one, other] = [openSessions(), openSessions()];
    const { session } = await one.findOrCreate(fakeAddress, signal);
    await Promise.all([
      one.replace(fakeAddress, { session: 'A', chatbot: 'bot' }),
      other.replace(fakeAddress, { session: 'B', chatbot: 'bot' }),
    ]);
    const places = await one.places();
    expect([...places.keys()].toSorted()).toEqual(['A', 'B', session].toSorted());
    expect([...places.values()].filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
  });

  test('a turn that replaces a lost session leaves the one that a command chose meanwhile', async () => {
    const [one, other] = [openSessions(), openSessions()];
    const { session } = await one.findOrCreate(fakeAddress, signal);
    const { createSession } = chatbot;
    chatbot.createSession = async (...given) => {
      await other.replace(fakeAddress, { session: 'chosen', chatbot: 'bot' });
      return createSession(...given);
    };
    expect(await one.renew(fakeAddress, session, signal)).toMatchObject({ session: 'chosen' });
    expect(await one.find(fakeAddress)).toMatchObject({ session: 'chosen' });
  });

  test.each(moments)(
    '%i steps into a command that chooses a session, one is deleted',
    async (steps) => {
      const [one, other] = [openSessions(), openSessions()];
      const { session } = await one.findOrCreate(fakeAddress, signal);
      await Promise.all([
        one.replace(fakeAddress, { session: 'new', chatbot: 'bot' }),
        after(steps, () => other.forget(session, { address: fakeAddress, isCurrent: true })),
      ]);
      expect(await one.find(fakeAddress)).toMatchObject({ session: 'new' });
    },
  );

  test('settings of a workspace and a channel', async () => {
    const open = () =>
      createSettings({
        workspaces: yielding.keyv<WorkspaceSettings>('workspaces'),
        channels: yielding.keyv<Partial<ChannelSettings>>('channels'),
        now,
      });
    const [one, other] = [open(), open()];
    await Promise.all([
      one.change(place, (all) => ({ ...all, guests: true })),
      other.change(place, (all) => ({ ...all, audit: 'C9' })),
    ]);
    expect(await open().of(place)).toMatchObject({ guests: true, audit: 'C9' });
    const before = await Promise.all([
      one.changeIn(place, () => ({ following: 'everything' })),
      other.changeIn(place, () => ({ following: 'mentions' })),
    ]);
    expect(before).toMatchObject([{ following: 'threads' }, { following: 'everything' }]);
  });

  test('a chatbot that is shared with several workspaces at once', async () => {
    const open = () => openTenancy(yielding, { workspaces: ['home'] });
    const [one, other] = [open(), open()];
    const home = { platform: 'fake', workspace: 'home' };
    const names = ['A', 'B', 'C', 'D'];
    const codes = await Promise.all(names.map(() => one.offer(home, 'bot')));
    const taken = await Promise.all(
      codes.map((code, index) => {
        const workspace = { platform: 'fake', workspace: names[index] ?? '' };
        return (index % 2 ? one : other).accept(workspace, code);
      }),
    );
    expect(taken).toEqual(names.map(() => 'bot'));
    expect(await one.takeBack('bot')).toBe(4);
  });

  test('a code that two workspaces enter at once works for one', async () => {
    const open = () => openTenancy(yielding, { workspaces: ['home'] });
    const [one, other] = [open(), open()];
    const code = await one.offer({ platform: 'fake', workspace: 'home' }, 'bot');
    const taken = await Promise.all([
      one.accept({ platform: 'fake', workspace: 'A' }, code),
      other.accept({ platform: 'fake', workspace: 'B' }, code),
    ]);
    expect(taken.filter(Boolean)).toEqual(['bot']);
  });

  test('the first report of where the bot is decides who is at home', async () => {
    const open = () => openTenancy(yielding, { workspaces: [] });
    await Promise.all([open().joined('fake', ['A'], true), open().joined('fake', ['B'], true)]);
    const homes = await store.keyv<readonly string[]>('home').get('fake');
    const told = await Promise.all(
      ['A', 'B'].map((workspace) => open().isHome({ platform: 'fake', workspace })),
    );
    expect(homes).toEqual(['A']);
    expect(told).toEqual([true, false]);
  });

  test('a chatbot that is chosen while the one before is deleted stays chosen', async () => {
    const open = () =>
      createBindings({
        store: yielding.keyv<BindingRecord>('binding'),
        fallback: 'usual',
        tenancy: openTenancy(yielding, { workspaces: ['W'] }),
      });
    const [one, other] = [open(), open()];
    for (const ahead of moments) {
      await one.bind(place, 'channel', 'old');
      const released = one.release('old');
      for (let step = 0; step < ahead; step += 1) await othersGoOn();
      await Promise.all([released, other.bind(place, 'channel', 'new')]);
      expect(await one.chatbotFor(place)).toBe('new');
    }
  });

  test('tags that are made at once', async () => {
    const open = () =>
      createRegistry({ store: yielding.keyv<RegistryRecord>('registry'), log: silentLog, now });
    const [one, other] = [open(), open()];
    const tag = (uuid: string) => ({
      uuid,
      name: uuid,
      color: '#112233',
      data_source_uuids: [],
      created_at: '',
      modified_at: '',
    });
    await Promise.all([
      one.remember('tag', 'bot', tag('t1')),
      other.remember('tag', 'bot', tag('t2')),
      one.remember('tag', 'bot', tag('t3')),
    ]);
    const remembered = await one.remembered('tag', 'bot');
    expect(remembered.map(({ uuid }) => uuid).toSorted()).toEqual(['t1', 't2', 't3']);
  });

  test('what is announced during a hand-over, and who takes over', async () => {
    const open = () => yielding.keyv<HandOverRecord>('hand-over');
    const [one, other] = [open(), open()];
    const askedBy = { id: 'U1', name: 'Ada', locale: 'en' };
    const id = handOverId(fakeAddress);
    await one.set(id, { address: fakeAddress, askedBy, askedAt: 0 });
    await Promise.all([
      changeRecord(one, id, { takenBy: { id: 'U2', name: 'Grace', locale: 'en' } }),
      changeRecord(other, id, { announcement: { id: 'm1', markdown: 'Somebody will come.' } }),
    ]);
    const record = await one.get(id);
    expect(record).toMatchObject({ takenBy: { id: 'U2' }, announcement: { id: 'm1' } });
  });

  test('what people say in a thread, and correct', async () => {
    const store = yielding.keyv<TalkRecord>('talk');
    const saidIn = yielding.keyv<string>('said-in');
    const inbox = { get: async () => undefined };
    const settings = fakeSettings({});
    const open = () => createTalk({ store, saidIn, inbox, settings, log: silentLog });
    const [one, other] = [open(), open()];
    const thread = createFakeThread();
    const message = (number: string) => createFakeMessage(thread, `said ${number}`, { id: number });
    await Promise.all([one.follow(fakeAddress), other.follow(fakeAddress)]);
    await one.note(message('1'));
    await Promise.all([
      one.note(message('2')),
      other.note(message('3')),
      one.correct(turnId(fakeAddress, '1'), 'corrected'),
    ]);
    const record = await store.get(addressKey(fakeAddress));
    expect(record?.said.map(({ text }) => text)).toEqual(['corrected', 'said 2', 'said 3']);
  });

  const seeds = [1, 2, 3, 4, 5];

  async function openYieldingInbox(seed: number) {
    const { bridge } = await createPlaces();
    const database = await openUntilEnd<BridgeTables>(bridge, bridgeMigrations);
    return createInboxStore(createYieldingDatabase(database, seed).queries);
  }

  const address = { platform: 'fake', workspace: 'W', channel: 'C', id: 'm1' };

  test.each(seeds)(
    'a message that arrives several times at once has one row (%i)',
    async (seed) => {
      const inbox = await openYieldingInbox(seed);
      const row = toReceivedRow(address, {});
      const inserted = await Promise.all([1, 2, 3].map(() => inbox.insert(row)));
      expect(inserted.filter(Boolean)).toHaveLength(1);
    },
  );

  test.each(seeds)('changes of one row of the inbox are all kept (%i)', async (seed) => {
    const inbox = await openYieldingInbox(seed);
    const row = toReceivedRow(address, {});
    await inbox.insert(row);
    const changes = [{ query: 'q' }, { edition: 'e' }, { answer: 'a' }, { session: 's' }];
    await Promise.all(changes.map((change) => inbox.update(row.id, change)));
    expect(await inbox.get(row.id)).toMatchObject(Object.assign({}, ...changes));
  });

  test.each(seeds)('of steps from one state at once, one is taken (%i)', async (seed) => {
    const inbox = await openYieldingInbox(seed);
    const row = toReceivedRow(address, {});
    await inbox.insert(row);
    const step = () => inbox.update(row.id, { state: 'accepted' }, ['received']);
    const taken = await Promise.all([step(), step(), step()]);
    expect(taken.filter(Boolean)).toHaveLength(1);
  });
});
