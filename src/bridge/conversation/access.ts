import { createCache } from '../../shared/primitives/cache.ts';
import type { Texts } from '../texts/texts.ts';
import { renderPlainText } from './markdown/plain-text.ts';
import {
  addressKey,
  type Channel,
  isOutsideWorkspaces,
  type Workspace,
  workspaceKey,
  type ThreadAddress,
} from './address.ts';
import type { Author, NamedWorkspace, Outsider, Room, Rooms, Standing } from './platform.ts';
import type { ButtonAction } from './thread.ts';
import { type AskingRules, directPlace, type Managers, type Settings } from './settings.ts';
import type { Tenancy } from './tenancy.ts';

/** What somebody can do with a conversation: by a command, in a menu, or with a button. */
export type ConversationAction =
  | 'list'
  | 'suggest'
  | 'show'
  | 'export'
  | 'share'
  | 'delete'
  | 'forget'
  | Exclude<ButtonAction, 'choose'>;

/**
 * What a person is to a conversation. All but `guest` and `author` are of its workspace, and in its room.
 * - `reader`: in the room
 * - `asker`: asked what it is about
 * - `author`: as `asker`, wherever they are now and whatever their role
 * - `alone`: its person, in a direct message
 * - `manager`: manages the workspace
 * - `guest`: an outsider who may ask in the channel, and asked what it is about
 */
export type Role = 'reader' | 'asker' | 'author' | 'alone' | 'manager' | 'guest';

/**
 * The rule: who may do what with a conversation. A person with none of the roles is answered as
 * if it did not exist. docs/security.md shows this table, and a test compares the two.
 */
export const rule: Readonly<Record<ConversationAction, readonly Role[]>> = {
  list: ['reader'],
  suggest: ['reader'],
  show: ['reader'],
  export: ['reader'],
  // In a room whose people may all read it.
  share: ['reader'],
  retry: ['reader', 'guest'],
  passages: ['reader', 'guest'],
  help: ['reader', 'guest'],
  helpful: ['reader', 'guest'],
  unhelpful: ['reader', 'guest'],
  person: ['reader', 'guest'],
  // Among them: who asked for a person, whose question it was, who took over first, and managers.
  resume: ['reader'],
  stop: ['asker', 'manager', 'guest'],
  delete: ['alone', 'manager'],
  teach: ['manager'],
  // Nobody deletes others' questions: managers may only delete whole sessions.
  forget: ['author'],
};

/** What decides whether a question is answered. */
interface AskingFacts {
  by: Author;
  /** The channel, or `directPlace`. */
  place: string;
  rules: Required<AskingRules>;
}

type Ruled = AskingRules[keyof AskingRules];
const is = (rule: 'allowed' | 'blocked', rules: Ruled = {}, ids: readonly string[] = []) =>
  ids.some((id) => rules[id] === rule);
const hasAllowed = (rules: Ruled = {}) => Object.values(rules).includes('allowed');
const isNamed = ({ by, rules }: AskingFacts) => is('allowed', rules.bots, by.bot);

/**
 * Who may ask: the first line that fits decides. docs/security.md shows these lines, and a test
 * compares the two.
 */
export const askingLines: readonly [
  who: string,
  may: 'yes' | 'no' | 'not now',
  fits: (asked: AskingFacts) => boolean,
][] = [
  ['a bot that is not allowed', 'no', (asked) => asked.by.bot !== undefined && !isNamed(asked)],
  ['in a blocked channel', 'no', ({ place, rules }) => is('blocked', rules.channels, [place])],
  [
    'in a channel that is not allowed, if any is',
    'no',
    ({ place, rules }) => hasAllowed(rules.channels) && !is('allowed', rules.channels, [place]),
  ],
  ['a manager, or an allowed bot', 'yes', (asked) => asked.by.isManager || isNamed(asked)],
  ['a blocked person', 'no', ({ by, rules }) => is('blocked', rules.people, [by.id])],
  ['an allowed person', 'yes', ({ by, rules }) => is('allowed', rules.people, [by.id])],
  ['of a blocked group', 'no', ({ by, rules }) => is('blocked', rules.groups, by.groups)],
  [
    'of unknown groups, if any is blocked or allowed',
    'not now',
    ({ by, rules }) => by.areGroupsUnknown === true && Object.keys(rules.groups).length > 0,
  ],
  ['of an allowed group', 'yes', ({ by, rules }) => is('allowed', rules.groups, by.groups)],
  [
    'anyone else, if people or groups are allowed',
    'no',
    ({ rules }) => hasAllowed(rules.people) || hasAllowed(rules.groups),
  ],
  ['anyone else', 'yes', () => true],
];

/** Whether somebody in the room of a turn may stop it. */
export function mayStop(by: Author, asker: string): boolean {
  const isOne: Partial<Record<Role, boolean>> = { asker: by.id === asker, manager: by.isManager };
  return rule.stop.some((role) => isOne[role]);
}

/** A person, and where they use a command or press a button, which proves that they are there. */
export interface Viewer extends Workspace {
  person: Author;
  /** Absent if they are elsewhere. */
  channel?: string;
  /** The thread where they are. */
  thread?: string;
}

/** What a person wants to see or do something with. */
interface Subject {
  address: ThreadAddress;
  /** Who asked, if it is about one question. */
  asker?: string;
}

/** Why the bot does nothing for a person somewhere. */
export type Refusal =
  | { kind: 'unknown_workspace' | 'no_server' }
  | { kind: 'outsider'; outsider: Outsider }
  /** Managers have chosen who may ask, and where. */
  | { kind: 'asking' }
  /** A direct message could belong to several workspaces. */
  | { kind: 'choose'; workspaces: readonly NamedWorkspace[] };

/** The sentence for a person for whom the bot does nothing. */
export function renderRefusal(refusal: Refusal, { access: texts }: Texts): string {
  switch (refusal.kind) {
    case 'outsider':
      return texts.outsider[refusal.outsider];
    case 'choose':
      return texts.choose(refusal.workspaces.map(({ name }) => renderPlainText(name)));
    case 'asking':
    case 'no_server':
    case 'unknown_workspace':
      return texts[refusal.kind];
  }
}

/** Decides who may see what: for messages, commands, buttons, forms and menus alike. */
export interface Access {
  /**
   * Why the bot does nothing for a person there; undefined if it does. Outsiders may at most ask, and
   * do what concerns only their own data (`own`). Rejects when the store is down.
   */
  refusal(
    place: Channel,
    person: Author,
    use: 'ask' | 'own' | 'other',
  ): Promise<Refusal | undefined>;
  /** Whether a person may do something with a conversation. Rejects when the store is down. */
  may(action: ConversationAction, viewer: Viewer, subject: Subject): Promise<boolean>;
  /** Whether a person is where a conversation is, or would be. Rejects when the store is down. */
  reads(viewer: Viewer, address: ThreadAddress): Promise<boolean>;
  /** The room of a conversation, as the platform told within the last minute. Never rejects. */
  roomOf(address: ThreadAddress): Promise<Room | undefined>;
  /** The workspaces that a direct message outside any can belong to. Never rejects. */
  choices(place: Channel, person: string): Promise<readonly NamedWorkspace[]>;
  /** What a person is in a workspace now; undefined if that is not known. Never rejects. */
  standing(workspace: Workspace, person: string): Promise<Standing | undefined>;
}

/** Whether somebody is where a conversation is, whatever the platform tells about that place. */
function isAt({ channel, thread = channel }: Viewer, address: ThreadAddress): boolean {
  return channel === address.channel && thread === address.thread;
}

/** How long what a platform says about rooms and people counts. */
const freshMs = 60_000;
/** A no may only mean that the platform is in trouble. */
const noFreshMs = 5_000;
const maxKept = 5_000;

/** Caches what a platform answered; a no for a shorter time. */
function createAnswers<Answer>(isYes: (answer: Answer) => boolean, now: () => number) {
  const freshMsOf = (answer: Answer) => (isYes(answer) ? freshMs : noFreshMs);
  return createCache<Answer>({ max: maxKept, freshMs, freshMsOf, now });
}

export function createAccess(options: {
  tenancy: Tenancy;
  settings: Pick<Settings, 'of'>;
  managers: Pick<Managers, 'recognize'>;
  findRooms(platform: string): Rooms | undefined;
  /** Milliseconds, however the clock is set. */
  now: () => number;
}): Access {
  const { tenancy, settings, managers, findRooms, now } = options;
  const rooms = createAnswers<Room | undefined>(Boolean, now);
  const members = createAnswers<boolean>(Boolean, now);
  const shared = createAnswers<readonly NamedWorkspace[] | undefined>(
    (workspaces) => workspaces !== undefined && workspaces.length > 0,
    now,
  );

  function roomOf(address: ThreadAddress): Promise<Room | undefined> {
    const read = async () => findRooms(address.platform)?.of(address);
    return rooms.get(addressKey(address), read);
  }

  async function isMember(address: ThreadAddress, room: Room, person: string): Promise<boolean> {
    const key = JSON.stringify([address.platform, room.id, person]);
    const read = async () =>
      (await findRooms(address.platform)?.has(address, room, person)) ?? false;
    return members.get(key, read);
  }

  async function mayOutsidersAsk(place: ThreadAddress): Promise<boolean> {
    if (!(await settings.of(place)).guests) return false;
    const room = await roomOf(place);
    return room !== undefined && !room.isDirect;
  }

  /** Whether a person is of the workspace, and in the room of a conversation. */
  async function isReader(viewer: Viewer, address: ThreadAddress): Promise<boolean> {
    const { person } = viewer;
    if (workspaceKey(viewer) !== workspaceKey(address)) return false;
    if (isOutsideWorkspaces(address) && (await refusalOutside(address, person.id))) return false;
    if (isAt(viewer, address)) return true;
    const room = await roomOf(address);
    return room !== undefined && isIn(viewer, room, address);
  }

  /** What a person is to a conversation, of the roles that are asked for. */
  async function isOneOf(roles: readonly Role[], viewer: Viewer, { address, asker }: Subject) {
    const { person } = viewer;
    const isAsker = asker === person.id;
    if (roles.includes('author') && isAsker) return true;
    if (person.outsider) {
      const isTheirs = isAsker && workspaceKey(viewer) === workspaceKey(address);
      return roles.includes('guest') && isTheirs && mayOutsidersAsk(address);
    }
    if (!(await isReader(viewer, address))) return false;
    if (roles.includes('reader')) return true;
    if (roles.includes('asker') && isAsker) return true;
    if (roles.includes('manager') && person.isManager) return true;
    return roles.includes('alone') && (await roomOf(address))?.isDirect === true;
  }

  async function isIn(viewer: Viewer, room: Room, address: ThreadAddress): Promise<boolean> {
    if (room.isPublic || room.id === viewer.channel || room.id === viewer.thread) return true;
    return isMember(address, room, viewer.person.id);
  }

  /** Whether everyone who sees what is said where the person is may read the conversation. */
  async function isOpenThere(viewer: Viewer, address: ThreadAddress): Promise<boolean> {
    const { platform, workspace, channel, thread = channel } = viewer;
    const room = await roomOf(address);
    if (!room || room.isPublic) return room !== undefined;
    if (channel === undefined || thread === undefined) return false;
    return room.id === (await roomOf({ platform, workspace, channel, thread }))?.id;
  }

  /** Those of these workspaces that a person is in; undefined if the platform does not tell. */
  function sharedAmong(
    platform: string,
    person: string,
    workspaces: readonly string[],
  ): Promise<readonly NamedWorkspace[] | undefined> {
    const read = async () => findRooms(platform)?.sharedWith?.(person, workspaces);
    return shared.get(JSON.stringify([platform, person, workspaces]), read);
  }

  async function choices({ platform }: Channel, person: string) {
    return sharedAmong(platform, person, await tenancy.known(platform));
  }

  /**
   * The person must still be in the workspace that was chosen. The first choice is made for them if
   * there is only one, and never again.
   */
  async function refusalOutside(place: Channel, person: string): Promise<Refusal | undefined> {
    const chosen = await tenancy.tenantOf(place);
    if (chosen && (await tenancy.isKnown(chosen))) {
      const still = await sharedAmong(chosen.platform, person, [chosen.workspace]);
      if (!still) return { kind: 'outsider', outsider: 'unknown' };
      if (still.length > 0) return undefined;
    }
    const workspaces = await choices(place, person);
    if (!workspaces) return { kind: 'outsider', outsider: 'unknown' };
    const [only, ...others] = workspaces;
    if (!only) return { kind: 'no_server' };
    if (chosen || others.length > 0) return { kind: 'choose', workspaces };
    await tenancy.choose(place, only.id);
    return undefined;
  }

  async function refusalInside(place: Channel, { outsider }: Author, use: 'ask' | 'own' | 'other') {
    if (!(await tenancy.isKnown(place))) return { kind: 'unknown_workspace' } as const;
    if (!outsider || use === 'own') return undefined;
    const mayAsk = use === 'ask' && (await mayOutsidersAsk({ ...place, thread: place.channel }));
    return mayAsk ? undefined : ({ kind: 'outsider', outsider } as const);
  }

  async function standing({ platform, workspace }: Workspace, person: string) {
    return findRooms(platform)?.standing?.(workspace, person);
  }

  /** Why a person may not ask there, as managers have chosen. */
  async function refusalToAsk(place: Channel, person: Author): Promise<Refusal | undefined> {
    const tenant = (await tenancy.tenantOf(place)) ?? place;
    const { asking } = await settings.of(tenant);
    if (!asking && !person.bot) return undefined;
    const rules = { people: {}, groups: {}, channels: {}, bots: {}, ...asking };
    const { channel } = place;
    const isOutside = isOutsideWorkspaces(place);
    // A direct message does not say what its author is in the workspace.
    const found = isOutside ? await standing(tenant, person.id) : person;
    if (!found) return { kind: 'outsider', outsider: 'unknown' };
    const asMember = { ...person, ...found };
    const by = isOutside ? await managers.recognize({ ...place, ...tenant }, asMember) : person;
    const isDirect =
      isOutside ||
      (Object.keys(rules.channels).length > 0 &&
        (await roomOf({ ...place, thread: channel }))?.isDirect === true);
    const asked = { by, place: isDirect ? directPlace : channel, rules };
    const [, may] = askingLines.find(([, , fits]) => fits(asked)) ?? [];
    if (may === 'not now') return { kind: 'outsider', outsider: 'unknown' };
    return may === 'no' ? { kind: 'asking' } : undefined;
  }

  return {
    async refusal(place, person, use) {
      const refused = isOutsideWorkspaces(place)
        ? await refusalOutside(place, person.id)
        : await refusalInside(place, person, use);
      return refused || use !== 'ask' ? refused : refusalToAsk(place, person);
    },
    async may(action, viewer, subject) {
      const isAllowed = await isOneOf(rule[action], viewer, subject);
      if (!isAllowed || action !== 'share') return isAllowed;
      return isOpenThere(viewer, subject.address);
    },
    reads: async (viewer, address) => !viewer.person.outsider && isReader(viewer, address),
    roomOf,
    choices: async (place, person) => (await choices(place, person)) ?? [],
    standing,
  };
}
