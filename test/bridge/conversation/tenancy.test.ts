import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { noWorkspace } from '../../../src/bridge/conversation/address.ts';
import { createBindings, type BindingRecord } from '../../../src/bridge/conversation/bindings.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import type { OwnershipRecord, Tenancy } from '../../../src/bridge/conversation/tenancy.ts';
import type { KeyedStore } from '../../../src/bridge/conversation/keyed-store.ts';
import type { KeyedStores } from '../../fixtures/memory-store.ts';
import { openTenancy } from '../../fixtures/open-tenancy.ts';

const of = (workspace: string) => ({ platform: 'fake', workspace });

describe('whose chatbots are whose', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore('memory:');
  });
  afterEach(() => store[Symbol.asyncDispose]());

  const names = ['home', 'A', 'B'] as const;
  const bots = ['first', 'one', 'two'] as const;
  const workspace = fc.constantFrom(...names);
  const chatbot = fc.constantFrom(...bots);
  const made = fc.constantFrom('one', 'two');
  const step = fc.oneof(
    // Nobody makes or deletes the first one by a command.
    fc.record({
      kind: fc.constant('made' as const),
      workspace,
      chatbot: made,
    }),
    fc.record({ kind: fc.constant('share' as const), from: workspace, workspace, chatbot }),
    fc.record({ kind: fc.constant('takeBack' as const), chatbot }),
    fc.record({ kind: fc.constant('forget' as const), chatbot: made }),
  );

  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  /** Does the steps, and tells what each brought about. */
  async function walk(tenancy: Tenancy, steps: readonly Step[]): Promise<unknown[]> {
    const outcomes: unknown[] = [];
    for (const each of steps) {
      if (each.kind === 'made') await tenancy.made(of(each.workspace), each.chatbot);
      if (each.kind === 'forget') await tenancy.forget(each.chatbot);
      if (each.kind === 'takeBack') outcomes.push(await tenancy.takeBack(each.chatbot));
      if (each.kind !== 'share') continue;
      const code = await tenancy.offer(of(each.from), each.chatbot);
      outcomes.push(await tenancy.accept(of(each.workspace), ` ${code} `));
      outcomes.push(await tenancy.accept(of(each.workspace), code));
    }
    return outcomes;
  }

  /** The same in a few lines: what is to come of the steps, and who holds what then. */
  function expectOf(steps: readonly Step[]) {
    const outcomes: unknown[] = [];
    const owners = new Map<string, string>();
    const shared = new Map<string, Set<string>>();
    const ownerOf = (bot: string) => owners.get(bot) ?? 'home';
    const sharedWith = (bot: string) => shared.get(bot) ?? new Set<string>();
    for (const each of steps) {
      const places = sharedWith(each.chatbot);
      if (each.kind === 'share') {
        const isOwner = ownerOf(each.chatbot) === each.from;
        const isGiven = isOwner && each.from !== each.workspace;
        outcomes.push(isGiven ? each.chatbot : undefined, undefined);
        if (isGiven) shared.set(each.chatbot, places.add(each.workspace));
        continue;
      }
      if (each.kind === 'takeBack') outcomes.push(places.size);
      if (each.kind === 'made') owners.set(each.chatbot, each.workspace);
      if (each.kind === 'forget') owners.set(each.chatbot, 'nobody');
      shared.delete(each.chatbot);
    }
    const holdings = names.flatMap((name) =>
      bots.map((bot) => {
        if (ownerOf(bot) === name) return [name, bot, 'owned'];
        return [name, bot, sharedWith(bot).has(name) ? 'shared' : undefined];
      }),
    );
    return { outcomes, holdings };
  }

  it('is what was made and given, and of the home what nobody made', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        await using own = await openStore('memory:');
        const tenancy = openTenancy(own, { workspaces: ['home'] });
        const expected = expectOf(steps);
        expect(await walk(tenancy, steps)).toEqual(expected.outcomes);
        const bindings = createBindings({
          store: own.keyv<BindingRecord>('binding'),
          fallback: 'first',
          tenancy,
        });
        const holdings: unknown[] = [];
        for (const name of names) {
          const held: string[] = [];
          for (const bot of bots) {
            const holding = await tenancy.holds(of(name), bot);
            if (holding) held.push(bot);
            holdings.push([name, bot, holding]);
          }
          expect(await tenancy.isKnown(of(name))).toBe(name === 'home' || held.length > 0);
          // Whatever was chosen, what answers belongs to the workspace.
          const place = { ...of(name), channel: 'C' };
          await bindings.bind(place, 'channel', 'two');
          const answering = await bindings.chatbotFor(place).catch((error: unknown) => error);
          const none: unknown = expect.objectContaining({ kind: 'no_chatbot' });
          expect(held.length > 0 ? held : [none]).toContainEqual(answering);
        }
        expect(holdings).toEqual(expected.holdings);
      }),
      { numRuns: 30 },
    );
  });

  it('gives a code that works for a day', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const tenancy = openTenancy(store, { workspaces: ['home'] });
      const code = await tenancy.offer(of('home'), 'first');
      const ends = Date.now() + 24 * 60 * 60 * 1000;
      vi.setSystemTime(ends - 1);
      expect(await tenancy.accept(of('B'), code)).toBe('first');
      vi.setSystemTime(ends + 1);
      expect(await tenancy.accept(of('A'), code)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes back codes as well', async () => {
    const tenancy = openTenancy(store, { workspaces: ['home'] });
    const code = await tenancy.offer(of('home'), 'first');
    await tenancy.takeBack('first');
    expect(await tenancy.accept(of('A'), code)).toBeUndefined();
  });

  it('takes a code as it is shown', async () => {
    const tenancy = openTenancy(store, { workspaces: ['home'] });
    const code = await tenancy.offer(of('home'), 'first');
    expect(await tenancy.accept(of('A'), `code:${code}`)).toBe('first');
  });

  it('leaves with its workspace, unless it was shared', async () => {
    const tenancy = openTenancy(store, { workspaces: ['home'] });
    for (const bot of ['one', 'two']) await tenancy.made(of('A'), bot);
    await tenancy.accept(of('B'), await tenancy.offer(of('A'), 'two'));
    expect(await tenancy.leave(of('B'))).toEqual([]);
    await tenancy.accept(of('B'), await tenancy.offer(of('A'), 'one'));
    expect(await tenancy.leave(of('A'))).toEqual(['two']);
  });

  it('prefers the oldest', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const tenancy = openTenancy(store, { workspaces: ['home'] });
    for (const bot of ['b', 'a']) {
      await tenancy.accept(of('A'), await tenancy.offer(of('home'), bot));
      vi.setSystemTime(Date.now() + 1);
    }
    expect(await tenancy.chatbotsOf(of('A'))).toEqual(['b', 'a']);
    expect(await tenancy.holds(of('A'), 'b')).toBe('shared');
  });

  it('stores no code that could be used', async () => {
    const tenancy = openTenancy(store, { workspaces: ['home'] });
    const code = await tenancy.offer(of('home'), 'first');
    const stored: unknown[] = [];
    for await (const entry of store.keyv<unknown>('share-code').entries()) stored.push(entry);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(code);
  });
});

describe('which workspaces are at home', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore('memory:');
  });
  afterEach(() => store[Symbol.asyncDispose]());

  /** Tells where the bot is. Resolves with the workspaces of these that are not served. */
  async function unserved(
    tenancy: Tenancy,
    platform: string,
    workspaces: readonly string[],
    byAnyone: boolean,
  ): Promise<string[]> {
    await tenancy.joined(platform, workspaces, byAnyone);
    const served = await Promise.all(
      workspaces.map((workspace) => tenancy.serve({ platform, workspace })),
    );
    return workspaces.filter((_, place) => !served[place]);
  }

  it('are those that are named, wherever the bot is', async () => {
    const tenancy = openTenancy(store, { workspaces: ['A'] });
    expect(await unserved(tenancy, 'fake', ['A', 'B'], true)).toEqual(['B']);
    expect(await unserved(tenancy, 'other', ['B'], false)).toEqual(['B']);
    expect(await tenancy.isKnown(of('A'))).toBe(true);
  });

  it('are those where the bot is when it first connects, and none that it joins later', async () => {
    const first = openTenancy(store, { workspaces: [] });
    expect(await unserved(first, 'fake', ['A', 'B'], true)).toEqual([]);
    expect(await unserved(first, 'fake', ['C'], true)).toEqual(['C']);
    const second = openTenancy(store, { workspaces: [] });
    expect(await second.isKnown(of('A'))).toBe(true);
    expect(await unserved(second, 'fake', ['B', 'C'], true)).toEqual(['C']);
    expect(await second.known('fake')).toEqual(['A', 'B']);
  });

  it('are the first one that it joins where it was in none', async () => {
    const tenancy = openTenancy(store, { workspaces: [] });
    expect(await unserved(tenancy, 'fake', [], true)).toEqual([]);
    expect(await unserved(tenancy, 'fake', ['A'], true)).toEqual([]);
    expect(await unserved(tenancy, 'fake', ['B'], true)).toEqual(['B']);
  });

  it('are the one of the token, also after it was changed', async () => {
    expect(await unserved(openTenancy(store, { workspaces: [] }), 'fake', ['A'], false)).toEqual(
      [],
    );
    const tenancy = openTenancy(store, { workspaces: [] });
    expect(await unserved(tenancy, 'fake', ['B'], false)).toEqual([]);
    expect(await tenancy.isKnown(of('A'))).toBe(false);
  });

  it('are not known before the platform has told where the bot is', async () => {
    const tenancy = openTenancy(store, { workspaces: [] });
    const known = tenancy.isKnown(of('A'));
    await tenancy.joined('fake', ['A'], true);
    expect(await known).toBe(true);
  });

  it('are never a direct message outside of workspaces: it belongs to the one chosen for it', async () => {
    const tenancy = openTenancy(store, { workspaces: ['A'] });
    const place = { ...of(noWorkspace), channel: 'D' };
    expect(await tenancy.isKnown(place)).toBe(false);
    expect(await tenancy.tenantOf(place)).toBeUndefined();
    await tenancy.choose(place, 'A');
    expect(await tenancy.tenantOf(place)).toEqual(of('A'));
    expect(await tenancy.tenantOf({ ...place, channel: 'D2' })).toBeUndefined();
  });
});

it('finds the chatbots of a workspace without reading those of all others', async () => {
  await using store = await openStore('memory:');
  const scanned: string[] = [];
  function keyv<Value>(namespace: string): KeyedStore<Value> {
    const values: KeyedStore<Value> = store.keyv<Value>(namespace);
    return Object.assign(Object.create(values) as KeyedStore<Value>, {
      entries() {
        scanned.push(namespace);
        return values.entries();
      },
    });
  }
  const stores: KeyedStores = { keyv };
  // As a version left it that had no list of them.
  const before = { owner: 'fake:A', shared: ['fake:B'] };
  await store.keyv<OwnershipRecord>('ownership').set('old', before);
  const tenancy = openTenancy(stores, { workspaces: ['home'] });
  await tenancy.made(of('A'), 'new');
  expect(await tenancy.chatbotsOf(of('A'))).toEqual(['old', 'new']);
  expect(await tenancy.chatbotsOf(of('B'))).toEqual(['old']);
  expect(await tenancy.isKnown(of('B'))).toBe(true);
  expect(await tenancy.isKnown(of('C'))).toBe(false);
  expect(scanned).toEqual(['ownership']);
  const later = openTenancy(stores, { workspaces: ['home'] });
  expect(await later.chatbotsOf(of('A'))).toEqual(['old', 'new']);
  expect(scanned).toEqual(['ownership']);
});
