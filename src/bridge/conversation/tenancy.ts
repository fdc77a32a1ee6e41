import { createHash, randomBytes } from 'node:crypto';
import {
  type Channel,
  channelKey,
  isOutsideWorkspaces,
  type Workspace,
  workspaceKey,
} from './address.ts';
import { createOnceAtATime } from '../../shared/primitives/cache.ts';
import type { KeyedStore } from './keyed-store.ts';
import type { Log } from '../../shared/primitives/log.ts';

/** Who owns a chatbot. One without a record was not made by a command: it belongs to the home. */
export interface OwnershipRecord {
  /** The key of the workspace that made it; absent if it is the home's. */
  owner?: string;
  /** The keys of the workspaces that it was shared with. */
  shared: string[];
  /** When the row was made, in milliseconds since the epoch. */
  since?: number;
}

/** A code that gives a chatbot to another workspace, once. */
export interface ShareCodeRecord {
  chatbot: string;
  /** The workspace that gave it. */
  by: Workspace;
}

/** What a workspace may do with a chatbot: use and change it, or also delete and share it. */
type Holding = 'owned' | 'shared';

/**
 * Which workspaces the bot serves, and which chatbots belong to them. A direct message outside any
 * workspace belongs to the one that was chosen for it. Everything rejects when the store is down.
 */
export interface Tenancy {
  /** The bot is in these workspaces. `byAnyone`: anyone can add the bot to their workspace. */
  joined(platform: string, workspaces: readonly string[], byAnyone: boolean): Promise<void>;
  /**
   * Whether the bot serves a workspace that it is in, which gets a chatbot first if it has none and is to
   * have one.
   * @throws {Error} when it can't be made
   */
  serve(workspace: Workspace): Promise<boolean>;
  /** Whether the bot serves a workspace: it is one of the home, or has a chatbot. */
  isKnown(workspace: Workspace): Promise<boolean>;
  /** The ids of all workspaces of a platform that the bot serves. */
  known(platform: string): Promise<string[]>;
  /** The workspace whose chatbots answer there; undefined if none was chosen for a direct message. */
  tenantOf(place: Channel): Promise<Workspace | undefined>;
  /** Chooses the workspace of a direct message. */
  choose(place: Channel, workspace: string): Promise<void>;
  /** Whether a chatbot belongs to a workspace; undefined if it does not. */
  holds(workspace: Workspace, chatbot: string): Promise<Holding | undefined>;
  /** Whether a workspace is one of the home workspaces, which alone can create chatbots. */
  isHome(workspace: Workspace): Promise<boolean>;
  /**
   * The chatbots that a workspace made or was given, by uuid, oldest first; without those of the home
   * that nobody made.
   */
  chatbotsOf(workspace: Workspace): Promise<string[]>;
  /** Records that a workspace made a chatbot. */
  made(workspace: Workspace, chatbot: string): Promise<void>;
  /**
   * A workspace is to be forgotten. Resolves with the chatbots that belonged to it alone, which are to
   * be deleted; the others stay with those they were shared with.
   */
  leave(workspace: Workspace): Promise<string[]>;
  /** Forgets a chatbot that was deleted. */
  forget(chatbot: string): Promise<void>;
  /** A code with which one other workspace gets the chatbot of this one, within a day. */
  offer(by: Workspace, chatbot: string): Promise<string>;
  /** Takes a code; resolves with its chatbot, or undefined if there is no such code any more. */
  accept(workspace: Workspace, code: string): Promise<string | undefined>;
  /** Ends all sharing of a chatbot, codes that were given included. Resolves with how many workspaces had it. */
  takeBack(chatbot: string): Promise<number>;
}

export interface TenancyOptions {
  /** The ids of the home's workspaces; if there are none, they are learned. */
  workspaces: readonly string[];
  owners: KeyedStore<OwnershipRecord>;
  codes: KeyedStore<ShareCodeRecord>;
  /** The home's workspaces of each platform that anyone can add the bot to. */
  homes: KeyedStore<readonly string[]>;
  /** The chatbots that each workspace may hold, as `owners` says: by the workspace's key. */
  held: KeyedStore<readonly string[]>;
  /** The chosen workspaces of direct messages. */
  chosen: KeyedStore<string>;
  /**
   * Makes a chatbot for a workspace that joins and has none; undefined if it is not to have one. By
   * default, none has.
   */
  createFor?(workspace: Workspace): Promise<string | undefined>;
  /** Runs work while no other process runs any of the same name; by default there is no other. */
  exclusively?(name: string, work: () => Promise<void>): Promise<void>;
  log: Log;
}

/** The key of no workspace. */
const nobody = '';
/** The key in `held` that says that everything is listed. */
const complete = '*';

/** Max workspaces that a chatbot is shared with. */
const maxShared = 500;

const codeLastsMs = 24 * 60 * 60 * 1000;

export function createTenancy(options: TenancyOptions): Tenancy {
  const { workspaces: named, owners, codes, homes, held, chosen, log } = options;
  const { createFor = async () => undefined, exclusively = (_, work) => work() } = options;
  /** The home's workspaces on platforms where a token names them. */
  const byToken = new Map<string, readonly string[]>();
  /** The platforms that have told where the bot is. */
  const reported = new Set<string>();
  let learnt = Promise.withResolvers<void>();

  /** Somebody may be waiting for the home to be known. */
  function tellLearnt(): void {
    learnt.resolve();
    learnt = Promise.withResolvers();
  }

  // A platform may tell only another process.
  homes.onChange?.(tellLearnt);

  async function joined(platform: string, workspaces: readonly string[], byAnyone: boolean) {
    if (!byAnyone) byToken.set(platform, workspaces);
    else if (workspaces.length > 0) await settleHome(platform, workspaces);
    reported.add(platform);
    tellLearnt();
  }

  async function settleHome(platform: string, workspaces: readonly string[]): Promise<void> {
    const { before } = await homes.update(platform, (known) => known ?? workspaces);
    if (before) return;
    log.info({ platform, workspaces }, 'these workspaces own the first chatbot from now on');
  }

  /** Nobody knows who is at home before the platform has told where the bot is. */
  async function homeOf(platform: string): Promise<readonly string[]> {
    if (named.length > 0) return named;
    for (;;) {
      const next = learnt.promise;
      const isLast = reported.has(platform);
      const known = byToken.get(platform) ?? (await homes.get(platform));
      if (known) return known;
      if (isLast) return [];
      await next;
    }
  }

  async function isHome({ platform, workspace }: Workspace): Promise<boolean> {
    return (await homeOf(platform)).includes(workspace);
  }

  async function holds(workspace: Workspace, chatbot: string): Promise<Holding | undefined> {
    const record = await owners.get(chatbot);
    const key = workspaceKey(workspace);
    const isOwner = record?.owner === undefined ? await isHome(workspace) : record.owner === key;
    if (isOwner) return 'owned';
    return record?.shared.includes(key) ? 'shared' : undefined;
  }

  let listed: Promise<void> | undefined;

  /** Resolves once `held` lists everything: stores of earlier versions have no such list. */
  function whenListed(): Promise<void> {
    listed ??= listAll().catch((error: unknown) => {
      listed = undefined;
      throw error;
    });
    return listed;
  }

  async function listAll(): Promise<void> {
    if (await held.get(complete)) return;
    for await (const [chatbot, { owner = nobody, shared }] of owners.entries()) {
      for (const key of [owner, ...shared]) if (key !== nobody) await list(key, chatbot);
    }
    await held.set(complete, []);
  }

  /** Before the chatbot's own row, which alone decides: a list may name too many, and never too few. */
  async function list(key: string, chatbot: string): Promise<void> {
    await held.update(key, (known = []) => (known.includes(chatbot) ? known : [...known, chatbot]));
  }

  async function chatbotsOf(workspace: Workspace): Promise<string[]> {
    await whenListed();
    const key = workspaceKey(workspace);
    const found: { chatbot: string; since: number }[] = [];
    for (const chatbot of (await held.get(key)) ?? []) {
      const { owner, shared, since = 0 } = (await owners.get(chatbot)) ?? createRecord();
      if (owner === key || shared.includes(key)) found.push({ chatbot, since });
    }
    return found.toSorted((a, b) => a.since - b.since).map(({ chatbot }) => chatbot);
  }

  async function made({ platform, workspace }: Workspace, chatbot: string): Promise<void> {
    const owner = workspaceKey({ platform, workspace });
    await whenListed();
    await list(owner, chatbot);
    await owners.set(chatbot, { ...createRecord(), owner });
  }

  const serving = createOnceAtATime<boolean>();
  /** The chatbots that were made, and could not be stored yet, by the keys of their workspaces. */
  const unstored = new Map<string, string>();

  function serve(workspace: Workspace): Promise<boolean> {
    const key = workspaceKey(workspace);
    return serving(key, async () => {
      if (await isKnown(workspace)) return true;
      let chatbot: string | undefined;
      await exclusively(`join ${key}`, async () => {
        [chatbot] = await chatbotsOf(workspace);
        chatbot ??= unstored.get(key) ?? (await createFor(workspace));
        if (chatbot === undefined) return;
        unstored.set(key, chatbot);
        await made(workspace, chatbot);
        unstored.delete(key);
      });
      return chatbot !== undefined;
    });
  }

  /** A row stays for a day: without one, the chatbot would be the home's, and a code for it would still work. */
  async function forget(chatbot: string): Promise<void> {
    const known = await owners.get(chatbot);
    await owners.set(chatbot, { owner: nobody, shared: [] }, codeLastsMs);
    for (const key of known ? [known.owner ?? nobody, ...known.shared] : []) {
      await held.update(key, (listed) => listed?.filter((each) => each !== chatbot));
    }
  }

  async function isKnown(workspace: Workspace): Promise<boolean> {
    if (isOutsideWorkspaces(workspace)) return false;
    return (await isHome(workspace)) || (await chatbotsOf(workspace)).length > 0;
  }

  return {
    joined,
    serve,
    isKnown,
    async known(platform) {
      const known = new Set(await homeOf(platform));
      for await (const [, { owner, shared }] of owners.entries()) {
        for (const key of [owner ?? nobody, ...shared]) {
          const [of, workspace] = key.split(':').map(decodeURIComponent);
          if (of === platform && workspace) known.add(workspace);
        }
      }
      return [...known];
    },
    async tenantOf(place) {
      const { platform, workspace } = place;
      if (!isOutsideWorkspaces(place)) return { platform, workspace };
      const server = await chosen.get(channelKey(place));
      return server === undefined ? undefined : { platform, workspace: server };
    },
    choose: async (place, workspace) => void (await chosen.set(channelKey(place), workspace)),
    holds,
    isHome,
    chatbotsOf,
    made,
    forget,
    async leave(workspace) {
      const key = workspaceKey(workspace);
      const alone: string[] = [];
      for (const chatbot of await chatbotsOf(workspace)) {
        const { after } = await owners.update(
          chatbot,
          (record) => record && { ...record, shared: record.shared.filter((each) => each !== key) },
        );
        if (after?.owner === key && after.shared.length === 0) alone.push(chatbot);
      }
      return alone;
    },
    async offer({ platform, workspace }, chatbot) {
      const code = randomBytes(16).toString('base64url');
      await codes.set(hash(code), { chatbot, by: { platform, workspace } }, codeLastsMs);
      return code;
    },
    async accept(workspace, code) {
      const key = workspaceKey(workspace);
      // People paste it as it is shown.
      const id = hash(code.trim().replace(/^code:/i, ''));
      // First, so that a code never works twice; those who made it can't use it up.
      const { before: offered, after: kept } = await codes.update(id, (known) =>
        known && workspaceKey(known.by) === key ? known : undefined,
      );
      if (!offered || kept) return undefined;
      if ((await holds(offered.by, offered.chatbot)) !== 'owned') return undefined;
      const by = workspaceKey(offered.by);
      await whenListed();
      await list(key, offered.chatbot);
      const { after } = await owners.update(offered.chatbot, (record = createRecord()) => {
        const { owner = by, shared } = record;
        const isMissing = !shared.includes(key) && shared.length < maxShared;
        return owner === by && isMissing ? { ...record, shared: [...shared, key] } : record;
      });
      return after?.shared.includes(key) ? offered.chatbot : undefined;
    },
    async takeBack(chatbot) {
      for await (const [id, offered] of codes.entries()) {
        if (offered.chatbot === chatbot) await codes.delete(id);
      }
      const { before } = await owners.update(
        chatbot,
        (record) => record && { ...record, shared: [] },
      );
      return before?.shared.length ?? 0;
    },
  };
}

/** The record of a chatbot that is shared with nobody. */
function createRecord(): OwnershipRecord {
  return { shared: [], since: Date.now() };
}

/** What is stored of a code: whoever reads the store can't use it. */
function hash(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}
