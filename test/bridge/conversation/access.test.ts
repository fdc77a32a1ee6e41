import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Access,
  type ConversationAction,
  askingLines,
  rule,
  type Viewer,
} from '../../../src/bridge/conversation/access.ts';
import { noWorkspace, type ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import type {
  Author,
  NamedWorkspace,
  Room,
  Rooms,
} from '../../../src/bridge/conversation/platform.ts';
import { buttonActions } from '../../../src/bridge/conversation/thread.ts';
import type { AskingRules } from '../../../src/bridge/conversation/settings.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import { openAccess } from '../../fixtures/open-tenancy.ts';

/** The columns of the table in docs/security.md. */
const columns = ['asker', 'reader', 'manager', 'nobody', 'guest', 'otherGuest'] as const;
type Column = (typeof columns)[number];

/** The answers of the table in docs/security.md, by action. */
const documented = readTable();

function readTable(): Map<string, Record<Column, string>> {
  const text = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
  const [, table = ''] = /\| its asker \|[^]*?\n((?:\|.*\n)+)/.exec(text) ?? [];
  const rows = table.split('\n').flatMap((line) => {
    const [actions = '', ...answers] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (!/^[a-z]/.test(actions)) return [];
    const answered = Object.fromEntries(columns.map((column, index) => [column, answers[index]]));
    return actions.split(', ').map((action) => [action, answered] as const);
  });
  return new Map(rows as [string, Record<Column, string>][]);
}

const places = ['public channel', 'private channel', 'private thread', 'direct message'] as const;
type Place = (typeof places)[number];

const ids: Record<Place, ThreadAddress> = {
  'public channel': { platform: 'fake', workspace: 'W', channel: 'C', thread: 'T' },
  'private channel': { platform: 'fake', workspace: 'W', channel: 'P', thread: 'T' },
  'private thread': { platform: 'fake', workspace: 'W', channel: 'C', thread: 'PT' },
  'direct message': { platform: 'fake', workspace: 'W', channel: 'D', thread: 'D' },
};

const roomOf: Record<Place, Room> = {
  'public channel': { id: 'C', isPublic: true },
  'private channel': { id: 'P', isPublic: false },
  'private thread': { id: 'PT', isPublic: false },
  'direct message': { id: 'D', isPublic: false, isDirect: true },
};

/** Everybody in this is a member of the private places. */
const members = new Set(['asker', 'reader', 'manager', 'guest', 'otherGuest']);

function author(id: Column, more: Partial<Author> = {}): Author {
  return { id, name: id, isManager: id === 'manager', ...more };
}

/** All but `forget`: what somebody asked is theirs, wherever they are now. */
const others = (Object.keys(rule) as ConversationAction[]).filter((action) => action !== 'forget');

describe('who may do what with a conversation', () => {
  let store: Store;
  let asked: string[];
  let isReachable: boolean;
  let ms: number;

  beforeEach(async () => {
    store = await openStore('memory:');
    asked = [];
    isReachable = true;
    ms = 0;
  });
  afterEach(() => store[Symbol.asyncDispose]());

  function open({ guests = false } = {}): Access {
    const rooms: Rooms = {
      async of(address) {
        asked.push(`room ${address.thread}`);
        const known = Object.entries(ids).find(
          ([, { channel, thread }]) => channel === address.channel && thread === address.thread,
        );
        return isReachable && known ? roomOf[known[0] as Place] : undefined;
      },
      async has(_, room, person) {
        asked.push(`${person} in ${room.id}`);
        return isReachable && !room.isDirect && members.has(person);
      },
    };
    const options = { workspaces: ['W', 'W2'], rooms, settings: { guests }, now: () => ms };
    return openAccess(store, options).access;
  }

  /** Somewhere else in the workspace: this proves nothing. */
  const elsewhere = { platform: 'fake', workspace: 'W', channel: 'C9' };

  async function may(
    access: Access,
    column: Column,
    action: ConversationAction,
    place: Place,
    viewer: Partial<Viewer> = {},
  ): Promise<boolean> {
    const isOutsider = column === 'guest' || column === 'otherGuest';
    const person = author(column, isOutsider ? { outsider: 'guest' } : {});
    const address = ids[place];
    const asker = column === 'guest' ? 'guest' : 'asker';
    const at = place === 'direct message' && column === 'asker' ? { ...address } : elsewhere;
    return access.may(action, { ...at, person, ...viewer }, { address, asker });
  }

  it('is documented for all actions, buttons included, and nothing else is', () => {
    const actions = Object.keys(rule).toSorted();
    expect([...documented.keys()].toSorted()).toEqual(actions);
    const buttons = buttonActions.filter((action) => action !== 'choose');
    expect(actions).toEqual(expect.arrayContaining(buttons));
  });

  describe.each(places)('in a %s', (place) => {
    it.each(Object.keys(rule) as ConversationAction[])('is as documented: %s', async (action) => {
      const access = open({ guests: true });
      const answers = documented.get(action);
      for (const column of columns) {
        const { isPublic, isDirect } = roomOf[place];
        // Everybody of the workspace is in a public channel, and one person in a direct message.
        const isAlone = isDirect && column !== 'asker';
        const answer = answers?.[column === 'nobody' && isPublic ? 'reader' : column];
        const isAllowed = answer === 'yes' || (answer === 'direct' && isDirect === true);
        const isOwn = action === 'forget' && isAllowed;
        // What is shared is shown where the person is.
        const isThere = action === 'share' && column !== 'nobody';
        const viewer = isAlone || !isThere ? {} : ids[place];
        const allowed = await may(access, column, action, place, viewer);
        expect([column, allowed]).toEqual([column, isAllowed && (isOwn || !isAlone)]);
      }
    });
  });

  it('does not depend on what a manager of another workspace manages', async () => {
    const access = open({ guests: true });
    for (const place of places) {
      for (const action of others) {
        const there = { workspace: 'W2', channel: ids[place].channel, thread: ids[place].thread };
        expect(await may(access, 'manager', action, place, there)).toBe(false);
        expect(await may(access, 'asker', action, place, there)).toBe(false);
      }
    }
  });

  it('lets guests do nothing unless a manager has allowed it', async () => {
    const access = open();
    for (const place of places) {
      for (const action of others) {
        expect(await may(access, 'guest', action, place, ids[place])).toBe(false);
      }
    }
  });

  it('shares a conversation only where everyone may read it', async () => {
    const access = open();
    expect(await may(access, 'reader', 'share', 'public channel')).toBe(true);
    expect(await may(access, 'reader', 'share', 'private channel')).toBe(false);
    expect(await may(access, 'reader', 'share', 'private channel', { channel: 'P' })).toBe(false);
    expect(await may(access, 'reader', 'share', 'private channel', ids['private channel'])).toBe(
      true,
    );
    expect(await may(access, 'reader', 'share', 'private thread', ids['public channel'])).toBe(
      false,
    );
  });

  it('asks the platform nothing where being there proves it, and a minute’s answer counts', async () => {
    const access = open();
    await may(access, 'reader', 'show', 'private channel', { channel: 'P', thread: 'T' });
    expect(asked).toEqual([]);
    await may(access, 'reader', 'show', 'private channel', { channel: 'P' });
    expect(asked).toEqual(['room T']);
    await may(access, 'reader', 'show', 'private thread');
    await may(access, 'reader', 'show', 'private thread');
    expect(asked).toEqual(['room T', 'room PT', 'reader in PT']);
    ms += 60_000;
    await may(access, 'reader', 'show', 'private thread');
    expect(asked).toEqual(['room T', 'room PT', 'reader in PT', 'room PT', 'reader in PT']);
  });

  it('is a no where the platform does not tell, except where the person is', async () => {
    isReachable = false;
    const access = open();
    for (const place of places) {
      expect(await may(access, 'reader', 'show', place, elsewhere)).toBe(false);
      expect(await may(access, 'reader', 'show', place, ids[place])).toBe(true);
    }
  });

  it('refuses outsiders with a sentence, and lets them ask in channels where a manager has allowed it', async () => {
    const guest = author('guest', { outsider: 'stranger' });
    const channel = { platform: 'fake', workspace: 'W', channel: 'C' };
    const refused = { kind: 'outsider', outsider: 'stranger' };
    expect(await open().refusal(channel, guest, 'ask')).toEqual(refused);
    const { access } = openAccess(store, {
      settings: { guests: true },
      rooms: {
        of: async ({ channel: id }) =>
          id === 'D' ? { id, isPublic: false, isDirect: true } : { id, isPublic: true },
        has: async () => false,
      },
    });
    expect(await access.refusal(channel, guest, 'ask')).toBeUndefined();
    expect(await access.refusal(channel, guest, 'other')).toEqual(refused);
    expect(await access.refusal({ ...channel, channel: 'D' }, guest, 'ask')).toEqual(refused);
    expect(await access.refusal({ ...channel, workspace: 'W9' }, guest, 'ask')).toEqual({
      kind: 'unknown_workspace',
    });
  });

  it('gives a direct message of no workspace to the one that its person shares with the bot', async () => {
    let shared: NamedWorkspace[] | undefined = [{ id: 'W', name: 'One' }];
    const { access, tenancy } = openAccess(store, {
      workspaces: ['W', 'W2', 'W3'],
      rooms: {
        of: async () => undefined,
        has: async () => false,
        sharedWith: async (_, among) => shared?.filter(({ id }) => among.includes(id)),
      },
      now: () => ms,
    });
    const place = { platform: 'fake', workspace: noWorkspace, channel: 'D' };
    const refusal = () => access.refusal(place, author('reader'), 'ask');
    expect(await refusal()).toBeUndefined();
    expect(await tenancy.tenantOf(place)).toEqual({ platform: 'fake', workspace: 'W' });
    const viewer = { ...place, person: author('reader'), thread: 'D' };
    const address = { ...place, thread: 'D' };
    expect(await access.may('retry', viewer, { address, asker: 'reader' })).toBe(true);
    // They have left it, and are in two others.
    shared = [
      { id: 'W2', name: 'Two' },
      { id: 'W3', name: 'Three' },
    ];
    ms += 60_000;
    expect(await refusal()).toEqual({ kind: 'choose', workspaces: shared });
    expect(await access.may('retry', viewer, { address, asker: 'reader' })).toBe(false);
    await tenancy.choose(place, 'W2');
    expect(await refusal()).toBeUndefined();
    // No second choice is made for them, and trouble of the platform is none.
    shared = [{ id: 'W3', name: 'Three' }];
    ms += 60_000;
    expect(await refusal()).toEqual({ kind: 'choose', workspaces: shared });
    shared = undefined;
    ms += 60_000;
    expect(await refusal()).toEqual({ kind: 'outsider', outsider: 'unknown' });
    expect(await tenancy.tenantOf(place)).toMatchObject({ workspace: 'W2' });
    shared = [];
    ms += 60_000;
    expect(await refusal()).toEqual({ kind: 'no_server' });
  });
});

describe('who may ask', () => {
  const channel = { platform: 'fake', workspace: 'W', channel: 'C' };
  const direct = { ...channel, channel: 'D' };

  async function mayAsk(
    asking: AskingRules,
    by: Partial<Author>,
    place: typeof channel = channel,
  ): Promise<boolean> {
    await using store = await openStore('memory:');
    const { access } = openAccess(store, {
      settings: { asking },
      rooms: {
        of: async ({ channel: id }) => ({
          id,
          isPublic: true,
          ...(id === 'D' && { isDirect: true }),
        }),
        has: async () => false,
      },
    });
    const person = { id: 'P', name: 'P', isManager: false, ...by };
    return (await access.refusal(place, person, 'ask')) === undefined;
  }

  it.each([
    ['a person whom the workspace names', 'W', { people: ['P'], groups: [] }, {}, true],
    ['somebody of a group that it names', 'W', { people: [], groups: ['G'] }, {}, true],
    ['a guest of that group', 'W', { people: [], groups: ['G'] }, { outsider: 'guest' }, false],
    ['a manager of the platform', 'W', { people: [], groups: [] }, { isManager: true }, true],
    ['anyone else', 'W', { people: [], groups: [] }, {}, false],
  ] as const)(
    'in a direct message outside workspaces goes by what they are in the chosen one: %s',
    async (_, workspace, managers, standing, isAllowed) => {
      await using store = await openStore('memory:');
      const { access, tenancy } = openAccess(store, {
        settings: { managers, asking: { people: { P: 'blocked' }, groups: { G: 'blocked' } } },
        rooms: {
          of: async () => undefined,
          has: async () => false,
          sharedWith: async (_person, ids) => ids.map((id) => ({ id, name: id })),
          standing: async () => ({ isManager: false, groups: ['G'], ...standing }),
        },
      });
      const place = { platform: 'fake', workspace: noWorkspace, channel: 'D' };
      await tenancy.choose(place, workspace);
      const person = { id: 'P', name: 'P', isManager: false };
      expect((await access.refusal(place, person, 'ask')) === undefined).toBe(isAllowed);
    },
  );

  it('nobody in a direct message outside workspaces while the platform does not tell what they are', async () => {
    await using store = await openStore('memory:');
    const { access, tenancy } = openAccess(store, {
      settings: { asking: { groups: { G: 'blocked' } } },
      rooms: {
        of: async () => undefined,
        has: async () => false,
        sharedWith: async (_person, ids) => ids.map((id) => ({ id, name: id })),
        standing: async () => undefined,
      },
    });
    const place = { platform: 'fake', workspace: noWorkspace, channel: 'D' };
    await tenancy.choose(place, 'W');
    const person = { id: 'P', name: 'P', isManager: false };
    const unknown = { kind: 'outsider', outsider: 'unknown' };
    expect(await access.refusal(place, person, 'ask')).toEqual(unknown);
    expect(await access.refusal(place, person, 'own')).toBeUndefined();
  });

  it('is documented line by line', () => {
    const text = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
    const [, table = ''] = /\| who asks [^]*?\n\| -[^]*?\n((?:\|.*\n)+)/.exec(text) ?? [];
    const rows = table.trim().split('\n');
    const cells = rows.map((line) => line.split('|').flatMap((cell) => cell.trim() || []));
    expect(cells).toEqual(askingLines.map(([who, may]) => [who, may]));
  });

  it.each<[string, boolean, AskingRules, Partial<Author>, typeof channel?]>([
    ['anyone, by default', true, {}, {}],
    ['a bot that is not allowed', false, {}, { bot: ['B'] }],
    ['an allowed bot, by any of its ids', true, { bots: { A: 'allowed' } }, { bot: ['B', 'A'] }],
    ['a manager in a blocked channel', false, { channels: { C: 'blocked' } }, { isManager: true }],
    [
      'an allowed person elsewhere',
      false,
      { channels: { X: 'allowed' }, people: { P: 'allowed' } },
      {},
    ],
    ['anyone in an allowed channel', true, { channels: { C: 'allowed' } }, {}],
    ['anyone in a direct message', true, { channels: { direct: 'allowed' } }, {}, direct],
    [
      'anyone, if direct messages are blocked',
      false,
      { channels: { direct: 'blocked' } },
      {},
      direct,
    ],
    ['a blocked manager', true, { people: { P: 'blocked' } }, { isManager: true }],
    [
      'a blocked person of an allowed group',
      false,
      { people: { P: 'blocked' }, groups: { G: 'allowed' } },
      { groups: ['G'] },
    ],
    [
      'an allowed person of a blocked group',
      true,
      { people: { P: 'allowed' }, groups: { G: 'blocked' } },
      { groups: ['G'] },
    ],
    [
      'somebody of a blocked and an allowed group',
      false,
      { groups: { G: 'allowed', H: 'blocked' } },
      { groups: ['G', 'H'] },
    ],
    ['somebody of no allowed group', false, { groups: { G: 'allowed' } }, { groups: ['H'] }],
    ['somebody of unknown groups', false, { groups: { G: 'blocked' } }, { areGroupsUnknown: true }],
    [
      'somebody of unknown groups, if only people are named',
      true,
      { people: { Q: 'blocked' } },
      { areGroupsUnknown: true },
    ],
    [
      'an allowed person of unknown groups',
      true,
      { people: { P: 'allowed' }, groups: { G: 'blocked' } },
      { areGroupsUnknown: true },
    ],
  ])('%s: %s', async (_, may, rules, by, place) => {
    expect(await mayAsk(rules, by, place)).toBe(may);
  });
});
