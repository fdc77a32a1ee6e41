import { type Channel, channelKey, type Workspace, workspaceKey } from './address.ts';
import { createCachedStore, type KeyedStore } from './keyed-store.ts';
import type { Author } from './platform.ts';
import type { Tenancy } from './tenancy.ts';
import type { Log } from '../../shared/primitives/log.ts';

export const followings = ['mentions', 'threads', 'questions', 'posts', 'everything'] as const;

/**
 * What the bot answers in a channel:
 * - `mentions`: messages that mention it
 * - `threads`: also every message in threads that have a session
 * - `questions`: also what looks like a question outside threads, each in a new thread
 * - `posts`: messages outside threads, each in a new thread; in threads, only those that mention it
 * - `everything`: every message, those outside threads each in a new thread
 *
 * Each new post in a forum is a question for the last three.
 */
export type Following = (typeof followings)[number];

/**
 * What the bot does in a channel where its sources don't clearly answer a question:
 * - `answer`: says what it has, or that it has nothing
 * - `quiet`: posts nothing, unless it was mentioned
 * - `silent`: posts nothing, even if it was
 */
export const unsureWays = ['answer', 'quiet', 'silent'] as const;
type UnsureWay = (typeof unsureWays)[number];

/** That, and whether those who are notified of requests for a person are told of the question. */
export interface Unsure {
  way: UnsureWay;
  calls: boolean;
}

/** A workspace's settings; ids are the platform's. */
export interface WorkspaceSettings {
  /** Managers in addition to the platform's own. */
  managers: { people: readonly string[]; groups: readonly string[] };
  /** The channel in which changes are announced. */
  audit?: string;
  /** Who is notified when someone asks for a person. */
  contacts: { channel?: string; people: readonly string[] };
  /** Whether guests, and strangers of shared channels, may ask in channels; by default not. */
  guests?: boolean;
  /** Who may ask, and where; by default everybody, everywhere. */
  asking?: AskingRules;
  limits?: QuestionLimits;
}

/** Whether there is anybody to notify when somebody asks for a person. */
export function hasContacts({ channel, people }: WorkspaceSettings['contacts']): boolean {
  return channel !== undefined || people.length > 0;
}

/** What a number of questions within a day is limited by. */
export const limitScopes = ['person', 'channel', 'workspace'] as const;
export type LimitScope = (typeof limitScopes)[number];

/** How many questions may be asked within 24 hours: by each person, in each channel, in the workspace. */
export type QuestionLimits = Partial<Record<LimitScope, number>>;

export const ruledKinds = ['people', 'groups', 'channels', 'bots'] as const;

/** Who is allowed or blocked, by id. `directPlace` stands for all direct messages. */
export type AskingRules = Partial<
  Record<(typeof ruledKinds)[number], Readonly<Record<string, 'allowed' | 'blocked'>>>
>;
export const directPlace = 'direct';

/** What the bot does in a channel. */
export interface ChannelSettings {
  following: Following;
  /** Whether a question outside a thread takes what was said before it in the channel. */
  takesContext: boolean;
  /** In a forum: the id of the tag that a post gets when its author presses Helpful. */
  solvedTag?: string;
  unsure: Unsure;
}

/** The settings of workspaces and channels. Rejects when the store is down. */
export interface Settings {
  of(workspace: Workspace): Promise<WorkspaceSettings>;
  /** Changes a workspace's settings; resolves with the old ones. */
  change(
    workspace: Workspace,
    change: (settings: WorkspaceSettings) => WorkspaceSettings,
  ): Promise<WorkspaceSettings>;
  in(channel: Channel): Promise<ChannelSettings>;
  /** Changes some of a channel's settings; resolves with the old ones. */
  changeIn(
    channel: Channel,
    change: (settings: ChannelSettings) => Partial<ChannelSettings>,
  ): Promise<ChannelSettings>;
}

const unset: WorkspaceSettings = { managers: { people: [], groups: [] }, contacts: { people: [] } };

/** What the bot does in a channel where nobody has chosen otherwise. */
export const usualSettings: ChannelSettings = {
  following: 'threads',
  takesContext: false,
  unsure: { way: 'answer', calls: false },
};

export function createSettings(options: {
  workspaces: KeyedStore<WorkspaceSettings>;
  /** What was chosen in each channel. */
  channels: KeyedStore<Partial<ChannelSettings>>;
  now: () => number;
}): Settings {
  const workspaces = createCachedStore(options.workspaces, options.now);
  const channels = createCachedStore(options.channels, options.now);

  return {
    of: async (workspace) => (await workspaces.get(workspaceKey(workspace))) ?? unset,
    async change(workspace, change) {
      const { before = unset } = await workspaces.update(workspaceKey(workspace), (all = unset) =>
        change(all),
      );
      return before;
    },
    in: async (channel) => ({ ...usualSettings, ...(await channels.get(channelKey(channel))) }),
    async changeIn(channel, change) {
      const { before } = await channels.update(channelKey(channel), (chosen) => ({
        ...chosen,
        ...change({ ...usualSettings, ...chosen }),
      }));
      return { ...usualSettings, ...before };
    },
  };
}

/**
 * Decides who is a manager: the only place that does, for the core and for commands. Whom the
 * environment or the workspace's settings name by id counts as one of the workspace; outsiders
 * become no managers by a group.
 */
export interface Managers {
  /** Ids of people and groups named in the environment, on any platform; they manage at home. */
  readonly named: readonly string[];
  /**
   * The person, with `isManager` and `outsider` decided by the platform, the environment and the
   * workspace's settings. Never rejects: while the settings can't be read, they count as empty.
   */
  recognize(place: Channel, person: Author): Promise<Author>;
}

export function createManagers(options: {
  named: readonly string[];
  settings: Pick<Settings, 'of'>;
  tenancy: Pick<Tenancy, 'isHome' | 'tenantOf'>;
  log: Log;
}): Managers {
  const { named, settings, tenancy, log } = options;

  /** Those who run the bot manage nothing in the workspaces of others. */
  async function namedFor(place: Channel): Promise<readonly string[]> {
    try {
      if (named.length === 0) return named;
      const tenant = await tenancy.tenantOf(place);
      return tenant && (await tenancy.isHome(tenant)) ? named : [];
    } catch (error) {
      log.error({ err: error, ...place }, 'whether a workspace is at home could not be read');
      return [];
    }
  }

  async function setFor(workspace: Workspace): Promise<string[]> {
    try {
      const { people, groups } = (await settings.of(workspace)).managers;
      return [...people, ...groups];
    } catch (error) {
      log.error({ err: error, ...workspace }, 'the managers could not be read');
      return [];
    }
  }

  async function recognize(place: Channel, person: Author): Promise<Author> {
    const { outsider, ...member } = person;
    if (member.isManager && !outsider) return person;
    const ids = new Set([...(await namedFor(place)), ...(await setFor(place))]);
    if (ids.has(person.id)) return { ...member, isManager: true };
    const isInGroup = (person.groups ?? []).some((group) => ids.has(group));
    return { ...person, isManager: isInGroup && !outsider };
  }

  return {
    named,
    recognize,
  };
}
