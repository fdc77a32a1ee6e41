import { expect, test } from 'vitest';
import type { KeyedStore } from '../../../src/bridge/conversation/keyed-store.ts';
import {
  type ChannelSettings,
  createSettings,
  type WorkspaceSettings,
  createManagers,
} from '../../../src/bridge/conversation/settings.ts';
import type { Author } from '../../../src/bridge/conversation/platform.ts';
import type { Tenancy } from '../../../src/bridge/conversation/tenancy.ts';
import { fakeAddress } from '../../fixtures/fake-thread.ts';
import { silentLog } from '../../fixtures/log.ts';
import { createMemoryStore } from '../../fixtures/memory-store.ts';

const place = { platform: 'fake', workspace: 'W', channel: 'C' };

/** A store in memory that counts how often it is read, and may be down. */
function createCountedStore<Value>(values = new Map<string, Value>()) {
  const state = { reads: 0, isDown: false };
  const memory = createMemoryStore(values);
  const check = () => {
    if (state.isDown) throw new Error('The store is down.');
  };
  const store: KeyedStore<Value> = {
    ...memory,
    async get(key) {
      state.reads += 1;
      check();
      return memory.get(key);
    },
    async update(key, change) {
      check();
      return memory.update(key, change);
    },
  };
  return { store, state, values };
}

function create() {
  const workspaces = createCountedStore<WorkspaceSettings>();
  const channels = createCountedStore<Partial<ChannelSettings>>();
  const clock = { ms: 0 };
  /** Another process on the same store has the like. */
  const open = () =>
    createSettings({
      workspaces: workspaces.store,
      channels: channels.store,
      now: () => clock.ms,
    });
  return { settings: open(), open, workspaces, channels, clock };
}

test('a channel is followed as it was set, and read once in half a minute', async () => {
  const { settings, open, channels, clock } = create();
  expect(await settings.in(place)).toMatchObject({ following: 'threads' });
  await Promise.all(Array.from({ length: 20 }, () => settings.in(place)));
  expect(channels.state.reads).toBe(1);
  await open().changeIn(place, () => ({ following: 'everything' }));
  expect(await settings.in(place)).toMatchObject({ following: 'threads' });
  clock.ms += 30_000;
  expect(await settings.in(place)).toMatchObject({ following: 'everything' });
  await settings.changeIn(place, () => ({ following: 'mentions' }));
  expect(await settings.in(place)).toMatchObject({ following: 'mentions' });
  expect(await settings.in({ ...place, channel: 'D' })).toMatchObject({ following: 'threads' });
  expect(channels.state.reads).toBe(4);
});

test('changes of a workspace follow one another, and lose none of another process', async () => {
  const { settings, open } = create();
  const other = open();
  const name = (person: string) => (all: WorkspaceSettings) => ({
    ...all,
    contacts: { people: [...all.contacts.people, person] },
  });
  expect((await settings.of(place)).contacts).toEqual({ people: [] });
  await other.change(place, name('A'));
  const before = await Promise.all(['B', 'C', 'D'].map((id) => settings.change(place, name(id))));
  expect(before.map(({ contacts }) => contacts.people.length)).toEqual([1, 2, 3]);
  expect((await settings.of(place)).contacts).toEqual({ people: ['A', 'B', 'C', 'D'] });
  expect((await settings.of({ ...place, workspace: 'X' })).contacts).toEqual({ people: [] });
});

test('a store that is down is an error, and is asked again', async () => {
  const { settings, channels, workspaces } = create();
  channels.state.isDown = true;
  workspaces.state.isDown = true;
  await expect(settings.in(place)).rejects.toThrow('down');
  await expect(settings.change(place, (all) => all)).rejects.toThrow('down');
  channels.state.isDown = false;
  workspaces.state.isDown = false;
  expect(await settings.in(place)).toMatchObject({ following: 'threads' });
  expect((await settings.of(place)).managers).toEqual({ people: [], groups: [] });
});

const bert: Author = { id: 'U2', name: 'Bert', isManager: false };

const tenancy: Pick<Tenancy, 'isHome' | 'tenantOf'> = {
  isHome: async () => true,
  tenantOf: async (at) => at,
};

function manage(
  set: Partial<WorkspaceSettings['managers']> = {},
  named: string[] = [],
  answers: Partial<typeof tenancy> = {},
) {
  const managers = { people: [], groups: [], ...set };
  const of = async () => ({ managers, contacts: { people: [] } });
  const answering = { ...tenancy, ...answers };
  return createManagers({ named, settings: { of }, tenancy: answering, log: silentLog });
}

test.each([
  ['the platform', { ...bert, isManager: true }, manage()],
  ['the environment', bert, manage({}, ['U2'])],
  ['a group in the environment', { ...bert, groups: ['S1'] }, manage({}, ['S1'])],
  ['a command', bert, manage({ people: ['U2'] })],
  ['a group in a command', { ...bert, groups: ['S9', 'S1'] }, manage({ groups: ['S1'] })],
])('a person named by %s is a manager', async (_, person, managers) => {
  expect(await managers.recognize(fakeAddress, person)).toMatchObject({ isManager: true });
});

test('those named by the environment manage at home alone', async () => {
  const isHome = async () => false;
  const elsewhere = manage({}, ['U2', 'S1'], { isHome });
  const person = { ...bert, groups: ['S1'], outsider: 'stranger' } as const;
  expect(await elsewhere.recognize(fakeAddress, person)).toEqual({ ...person, isManager: false });
  const failing = async () => Promise.reject(new Error('The store is down.'));
  const unknown = manage({}, ['U2'], { isHome: failing });
  expect(await unknown.recognize(fakeAddress, bert)).toMatchObject({ isManager: false });
});

test.each([
  ['one at home', 'W', true],
  ['another one', 'X', false],
  ['none yet', undefined, false],
])(
  'those named by the environment manage a direct message that belongs to %s: %s, %s',
  async (_, chosen, isManager) => {
    const managers = manage({}, ['U2'], {
      isHome: async ({ workspace }) => workspace === 'W',
      tenantOf: async ({ platform }) =>
        chosen === undefined ? undefined : { platform, workspace: chosen },
    });
    const direct = { platform: 'fake', workspace: 'dm', channel: 'D' };
    expect(await managers.recognize(direct, bert)).toMatchObject({ isManager });
  },
);

test('nobody else manages', async () => {
  const managers = manage({ people: ['U3'], groups: ['S1'] }, ['U4']);
  expect(await managers.recognize(fakeAddress, bert)).toMatchObject({ isManager: false });
  expect(await managers.recognize(fakeAddress, { ...bert, groups: ['S2'] })).toMatchObject({
    isManager: false,
  });
});

test('while the settings can’t be read, only managers of the platform and the environment manage', async () => {
  const of = async () => Promise.reject(new Error('The store is down.'));
  const managers = createManagers({ named: ['U3'], settings: { of }, tenancy, log: silentLog });
  expect(await managers.recognize(fakeAddress, bert)).toMatchObject({ isManager: false });
  expect(await managers.recognize(fakeAddress, { ...bert, id: 'U3' })).toMatchObject({
    isManager: true,
  });
  expect(await managers.recognize(fakeAddress, { ...bert, isManager: true })).toMatchObject({
    isManager: true,
  });
});

test('a person is recognized with everything else about them', async () => {
  const managers = manage({ people: ['U2'] });
  expect(await managers.recognize(fakeAddress, bert)).toEqual({ ...bert, isManager: true });
});
