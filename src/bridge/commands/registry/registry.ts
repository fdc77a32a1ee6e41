import { createLru } from '../../../shared/primitives/cache.ts';
import type { KeyedStore } from '../../conversation/keyed-store.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Referenced } from '../option.ts';

/** The kinds of things that are remembered; the core remembers sessions. */
export type RememberedKind = 'chatbot' | 'source' | 'tag' | 'agent';

type Thing<Kind extends RememberedKind = RememberedKind> = Referenced[Kind];

/** The things of one kind and owner, newest last. */
export interface RegistryRecord {
  things: { thing: Thing; notedMs: number }[];
}

/** Something remembered that no longer exists at the service. */
export interface GoneThing {
  kind: RememberedKind;
  name: string;
}

/**
 * Remembers what was created or used here: the chatbots of each workspace, and the sources, tags
 * and agents of each chatbot, because workspaces that share a chatbot share those. `owner` is a
 * workspace's key or a chatbot's uuid.
 *
 * Reads reject when the store is down. Writes never do: what was created exists anyway.
 */
export interface Registry {
  remember<Kind extends RememberedKind>(
    kind: Kind,
    owner: string,
    thing: Thing<Kind>,
  ): Promise<void>;
  /** Updates something remembered, wherever it is remembered. */
  refresh<Kind extends RememberedKind>(kind: Kind, thing: Thing<Kind>): Promise<void>;
  remembered<Kind extends RememberedKind>(kind: Kind, owner: string): Promise<Thing<Kind>[]>;
  find<Kind extends RememberedKind>(kind: Kind, uuid: string): Promise<Thing<Kind> | undefined>;
  /**
   * Runs `remove`, which deletes something at the service, then forgets it. Rejects as `remove`
   * does.
   */
  removing(kind: RememberedKind, uuid: string, remove: () => Promise<void>): Promise<void>;
  /** Forgets something that no longer exists, and keeps it for `takeGone`. */
  lose(kind: RememberedKind, uuid: string): Promise<void>;
  /**
   * Like `lose`, for everything missing from the service's list, except what was noted shortly
   * before or after `askedMs`.
   */
  compare(
    kind: RememberedKind,
    owner: string,
    listed: readonly { uuid: string }[],
    askedMs: number,
  ): Promise<void>;
  /** The things of these owners that no longer exist, each returned only once. */
  takeGone(owners: readonly string[]): GoneThing[];
}

/** Beyond this number, the oldest is forgotten. */
const maxRemembered: Record<RememberedKind, number> = {
  chatbot: 100,
  source: 1_000,
  tag: 1_000,
  agent: 200,
};
const maxGone = 20;
const maxOwners = 500;

/** New things may take this long to appear in the service's lists. */
export const settlingMs = 60_000;

/** A source with a longer question and answer is remembered without them. */
const maxMetaLength = 2_000;

export function createRegistry(options: {
  store: KeyedStore<RegistryRecord>;
  log: Log;
  /** Milliseconds since the epoch. */
  now: () => number;
}): Registry {
  const { store, log, now } = options;
  const gone = createLru<GoneThing[]>(maxOwners);
  const leaving = new Set<string>();

  async function read(key: string): Promise<RegistryRecord['things']> {
    return (await store.get(key))?.things ?? [];
  }

  async function keysOf(kind: RememberedKind, uuid: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const [key, { things }] of store.entries()) {
      const holds = key.startsWith(`${kind}:`) && things.some(({ thing }) => thing.uuid === uuid);
      if (holds) keys.push(key);
    }
    return keys;
  }

  /** Resolves with the things before. */
  async function change(
    key: string,
    to: (things: RegistryRecord['things']) => RegistryRecord['things'],
  ): Promise<RegistryRecord['things']> {
    const { before } = await store.update(key, (record) => {
      const things = record?.things ?? [];
      const changed = to(things);
      return changed === things ? record : { things: changed };
    });
    return before?.things ?? [];
  }

  /** Logs failures, because what was done at the service is done. */
  async function note(kind: RememberedKind, noting: () => Promise<unknown>): Promise<void> {
    try {
      await noting();
    } catch (error) {
      log.warn({ err: error, kind }, 'the registry could not be written');
    }
  }

  /** Removes things from a record, and keeps their names for `takeGone`. */
  async function drop(key: string, isGone: (noted: RegistryRecord['things'][number]) => boolean) {
    // Most often none is, and a read waits for nobody.
    if (!(await read(key)).some(isGone)) return;
    const before = await change(key, (things) => things.filter((noted) => !isGone(noted)));
    const [kind, owner] = parseKey(key);
    const names = before
      .filter(isGone)
      .map(({ thing }): GoneThing => ({ kind, name: nameOf(thing) }));
    gone.set(owner, [...(gone.get(owner) ?? []), ...names].slice(-maxGone));
  }

  return {
    remember: (kind, owner, thing) =>
      note(kind, () =>
        change(keyOf(kind, owner), (things) =>
          [
            ...things.filter((noted) => noted.thing.uuid !== thing.uuid),
            { thing: slim(thing), notedMs: now() },
          ].slice(-maxRemembered[kind]),
        ),
      ),
    refresh: (kind, thing) =>
      note(kind, async () => {
        for (const key of await keysOf(kind, thing.uuid)) {
          await change(key, (things) =>
            things.map((noted) =>
              noted.thing.uuid === thing.uuid ? { ...noted, thing: slim(thing) } : noted,
            ),
          );
        }
      }),
    async remembered<Kind extends RememberedKind>(kind: Kind, owner: string) {
      const things = await read(keyOf(kind, owner));
      // A record's key determines the kind of its things.
      return things.map(({ thing }) => thing as Thing<Kind>).toReversed();
    },
    async find<Kind extends RememberedKind>(kind: Kind, uuid: string) {
      const [key] = await keysOf(kind, uuid);
      const things = key === undefined ? [] : await read(key);
      return things.find(({ thing }) => thing.uuid === uuid)?.thing as Thing<Kind> | undefined;
    },
    async removing(kind, uuid, remove) {
      leaving.add(uuid);
      try {
        await remove();
        await note(kind, async () => {
          for (const key of await keysOf(kind, uuid)) {
            await change(key, (things) => things.filter(({ thing }) => thing.uuid !== uuid));
          }
          if (kind !== 'chatbot') return;
          for (const part of ['source', 'tag', 'agent'] as const) {
            await store.delete(keyOf(part, uuid));
          }
        });
      } finally {
        leaving.delete(uuid);
      }
    },
    lose: (kind, uuid) =>
      note(kind, async () => {
        for (const key of await keysOf(kind, uuid)) {
          await drop(key, ({ thing }) => thing.uuid === uuid);
        }
      }),
    compare(kind, owner, listed, askedMs) {
      const uuids = new Set(listed.map(({ uuid }) => uuid));
      const isGone = ({ thing: { uuid }, notedMs }: RegistryRecord['things'][number]) =>
        !uuids.has(uuid) && !leaving.has(uuid) && notedMs < askedMs - settlingMs;
      return note(kind, () => drop(keyOf(kind, owner), isGone));
    },
    takeGone(owners) {
      const taken = owners.flatMap((owner) => gone.get(owner) ?? []);
      for (const owner of owners) gone.delete(owner);
      return taken;
    },
  };
}

function keyOf(kind: RememberedKind, owner: string): string {
  return `${kind}:${owner}`;
}

function parseKey(key: string): [RememberedKind, string] {
  const colon = key.indexOf(':');
  return [key.slice(0, colon) as RememberedKind, key.slice(colon + 1)];
}

function nameOf(thing: Thing): string {
  if ('name' in thing && typeof thing.name === 'string') return thing.name;
  if ('title' in thing && typeof thing.title === 'string' && thing.title) return thing.title;
  return 'file_name' in thing && typeof thing.file_name === 'string' && thing.file_name
    ? thing.file_name
    : thing.uuid;
}

function slim<Kind extends RememberedKind>(thing: Thing<Kind>): Thing<Kind> {
  const isLong =
    'meta_json' in thing &&
    typeof thing.meta_json === 'string' &&
    thing.meta_json.length > maxMetaLength;
  return isLong ? { ...thing, meta_json: '{}' } : thing;
}
