import { type Channel, channelKey, type Workspace, workspaceKey } from './address.ts';
import type { HandOverContacts, KeyedStore } from './ports.ts';
import { createQueue } from '../primitives/queue.ts';
import { createCache } from '../primitives/cache.ts';

export const followings = ['mentions', 'threads', 'everything'] as const;

/**
 * What is answered in a channel:
 * - `mentions`: what mentions the bot
 * - `threads`: that, and anything said in threads that have a session
 * - `everything`: that, and every message, each of which begins a thread
 */
export type Following = (typeof followings)[number];

/** What managers have set for a workspace; ids are the platform's. */
export interface WorkspaceSettings {
  /** Who manages besides those whom the platform says so of. */
  managers: { people: readonly string[]; groups: readonly string[] };
  /** The channel that changes are told in. */
  audit?: string;
  /** Who is told when someone asks for a person. */
  contacts: { channel?: string; people: readonly string[] };
}

/** What managers have set for a channel. */
export interface ChannelSettings {
  following: Following;
}

/** What is set for workspaces and channels. Rejects where the store is down. */
export interface Settings extends HandOverContacts {
  of(workspace: Workspace): Promise<WorkspaceSettings>;
  /** Changes what is set for a workspace, one change after another; resolves with what it was. */
  change(
    workspace: Workspace,
    change: (settings: WorkspaceSettings) => WorkspaceSettings,
  ): Promise<WorkspaceSettings>;
  followingIn(place: Channel): Promise<Following>;
  follow(place: Channel, following: Following): Promise<void>;
  contactsFor(workspace: Workspace): Promise<WorkspaceSettings['contacts']>;
}

const unset: WorkspaceSettings = { managers: { people: [], groups: [] }, contacts: { people: [] } };

export function createSettings(options: {
  workspaces: KeyedStore<WorkspaceSettings>;
  channels: KeyedStore<ChannelSettings>;
  now: () => number;
}): Settings {
  const workspaces = createCachedStore(options.workspaces, options.now);
  const channels = createCachedStore(options.channels, options.now);
  const changes = createQueue();

  const of = async (workspace: Workspace) =>
    (await workspaces.get(workspaceKey(workspace))) ?? unset;

  return {
    of,
    change(workspace, change) {
      const key = workspaceKey(workspace);
      return changes.run(key, async () => {
        const before = (await workspaces.getAnew(key)) ?? unset;
        await workspaces.set(key, change(before));
        return before;
      });
    },
    followingIn: async (place) => (await channels.get(channelKey(place)))?.following ?? 'threads',
    follow: (place, following) => channels.set(channelKey(place), { following }),
    contactsFor: async (place) => (await of(place)).contacts,
  };
}

/** A store whose values are asked for all the time, and rarely change. */
interface CachedStore<Value> {
  /** What is stored, or was half a minute ago. Rejects where the store is down. */
  get(key: string): Promise<Value | undefined>;
  /** What is stored now. */
  getAnew(key: string): Promise<Value | undefined>;
  set(key: string, value: Value): Promise<void>;
}

/** What another process changed is seen after this time. */
const freshMs = 30_000;
const maxKept = 1_000;

/** Keeps in memory what was read and written, for a thousand keys at most. */
function createCachedStore<Value>(store: KeyedStore<Value>, now: () => number): CachedStore<Value> {
  const cache = createCache<Value | undefined>({ max: maxKept, freshMs, now });

  return {
    get: (key) => cache.get(key, () => store.get(key)),
    getAnew(key) {
      const value = store.get(key);
      cache.set(key, value);
      return value;
    },
    async set(key, value) {
      await store.set(key, value);
      cache.set(key, Promise.resolve(value));
    },
  };
}
