import type { Installation, InstallationQuery, InstallationStore } from '@slack/oauth';
import { isDeepStrictEqual } from 'node:util';
import { createQueue } from '../../shared/primitives/queue.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { growingWaitMs, retry } from '../../shared/primitives/retry.ts';
import type { Seal } from '../../shared/primitives/seal.ts';
import { type Sleep, sleep as sleepFor } from '../../shared/primitives/time.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import type { Identity } from './clients.ts';

/** What is stored of an installation: all but its tokens can be read. */
export interface InstallationRecord {
  /** Absent if a whole organisation installed the app. */
  team?: { id: string; name?: string };
  enterprise?: { id: string; name?: string };
  bot: { id: string; userId: string };
  scopes: readonly string[];
  /** The workspaces of an organisation in which the bot was seen. */
  teams: readonly string[];
  /** Those that the organisation took out again, and when. */
  excluded?: readonly { team: string; at: number }[];
  /** Milliseconds since the epoch, as all times here. */
  installedAt: number;
  /** When the app was removed from the workspace. */
  removedAt?: number;
  /** Why the token can't be used: Slack's error code, or `secrets_key` if it can't be decrypted. */
  refused?: string;
  /** When the token expires; absent if it never does. */
  expiresAt?: number;
  /** The process that is renewing the token, and how long others wait for it. */
  renewing?: { by: string; until: number };
  /** The Installation of @slack/oauth as JSON, encrypted. */
  sealed: string;
}

/** An installation and its key. */
export interface KeptInstallation extends InstallationRecord {
  key: string;
}

/**
 * The installations of the app: of a workspace each, or of an organisation for all of its workspaces.
 * They are in memory, with the tokens encrypted, and follow what other processes change. What changes
 * them rejects when the store is down.
 */
export interface Installations {
  /** Reads them all, and encrypts with the present key what the previous one had encrypted. */
  load(): Promise<void>;
  /** Reads those that may serve a workspace if none is known: another process may have stored one just now. */
  find(team: string, enterprise?: string): Promise<void>;
  all(): KeptInstallation[];
  get(key: string): KeptInstallation | undefined;
  /**
   * The installation that answers in a workspace: its own, or else that of its organisation.
   *
   * @param enterprise the organisation that an event names
   */
  serving(team: string, enterprise?: string): KeptInstallation | undefined;
  /** The installation of one workspace whose bot has this user id. */
  ofBot(user: string): KeptInstallation | undefined;
  /** The last one that answered in a workspace, even if it was removed. */
  last(team: string): KeptInstallation | undefined;
  /** Changes one, if it still exists. Undefined leaves it as it is. */
  change(
    key: string,
    change: (record: InstallationRecord) => InstallationRecord | undefined,
  ): Promise<KeptInstallation | undefined>;
  /**
   * Its tokens.
   * @throws {SealError} when they can't be decrypted
   */
  open(kept: KeptInstallation): Installation;
  /** Deletes one that is removed, unless it was installed again meanwhile. */
  deleteRemoved(key: string): Promise<unknown>;
  /** For the one who installs the app, and for the one who renews tokens. */
  readonly onInstall: InstallationStore;
  readonly onRenewal: InstallationStore;
}

const unreadable = 'secrets_key';

/** How often it is tried to store a new token: for about ten minutes. */
const maxFailures = 15;

export function createInstallations(options: {
  store: KeyedStore<InstallationRecord>;
  seal: Seal;
  log: Log;
  sleep?: Sleep;
}): Installations {
  const { store, seal, log, sleep = sleepFor } = options;
  const rows = new Map<string, KeptInstallation>();
  /** The keys of the organisations that workspaces belong to. */
  const orgOf = new Map<string, string>();
  const byBot = new Map<string, string>();
  /** Reads and changes of a key run in order, so that the latest result is kept. */
  const inOrder = createQueue();

  function keep(key: string, record: InstallationRecord | undefined): KeptInstallation | undefined {
    if (!record) {
      rows.delete(key);
      return undefined;
    }
    const before = rows.get(key);
    const isUnreadable = before?.refused === unreadable && before.sealed === record.sealed;
    const kept = { ...record, key, ...(isUnreadable && { refused: unreadable }) };
    for (const team of before?.teams ?? []) orgOf.delete(team);
    rows.set(key, kept);
    for (const team of record.teams) orgOf.set(team, key);
    if (record.team) byBot.set(record.bot.userId, key);
    return kept;
  }

  function open({ key, sealed }: KeptInstallation): Installation {
    return JSON.parse(seal.open(sealed, key)) as Installation;
  }

  function read(key: string): Promise<KeptInstallation | undefined> {
    return inOrder.run(key, async () => keep(key, await store.get(key)));
  }

  async function readAll(): Promise<void> {
    const missing = new Set(rows.keys());
    for await (const [key, record] of store.entries()) {
      const known = rows.get(key);
      missing.delete(key);
      if (!known) keep(key, record);
      else if (!isDeepStrictEqual(known, { ...record, key })) await read(key);
    }
    for (const key of missing) await read(key);
  }

  store.onChange?.((key) => {
    const reading = key === undefined ? readAll() : read(key);
    reading.catch((error: unknown) => {
      log.warn({ err: error, installation: key }, 'changed installations could not be read');
    });
  });

  function change(
    key: string,
    make: (record: InstallationRecord) => InstallationRecord | undefined,
  ) {
    return update(key, (record) => record && (make(record) ?? record));
  }

  function update(
    key: string,
    make: (record?: InstallationRecord) => InstallationRecord | undefined,
  ): Promise<KeptInstallation | undefined> {
    return inOrder.run(key, async () => keep(key, (await store.update(key, make)).after));
  }

  /** Encrypts anew what the previous key encrypted. */
  async function checkSeal(kept: KeptInstallation): Promise<void> {
    const { key, sealed } = kept;
    try {
      const text = seal.open(sealed, key);
      if (seal.isCurrent(sealed)) return;
      const anew = seal.seal(text, key);
      await change(key, (record) =>
        record.sealed === sealed ? { ...record, sealed: anew } : undefined,
      );
    } catch (error) {
      log.error({ err: error, installation: key }, 'the tokens of a workspace can’t be decrypted');
      rows.set(key, { ...kept, refused: unreadable });
    }
  }

  async function write(
    installation: Installation,
    toRecord: (before?: Pick<InstallationRecord, 'removedAt'>) => Partial<InstallationRecord>,
  ): Promise<void> {
    const key = keyOf(installation);
    const { team, enterprise, bot } = installation;
    if (!bot) throw new Error('Slack granted no token for a bot.');
    const sealed = seal.seal(JSON.stringify(installation), key);
    await update(key, (before) => ({
      ...(team && { team: { id: team.id, name: team.name } }),
      ...(enterprise && { enterprise: { id: enterprise.id, name: enterprise.name } }),
      bot: { id: bot.id, userId: bot.userId },
      scopes: bot.scopes,
      teams: before?.teams ?? [],
      ...(before?.excluded && { excluded: before.excluded }),
      installedAt: before?.installedAt ?? Date.now(),
      ...(bot.expiresAt !== undefined && { expiresAt: bot.expiresAt * 1000 }),
      ...toRecord(before),
      sealed,
    }));
  }

  async function fetchInstallation(query: InstallationQuery<boolean>): Promise<Installation> {
    const key = query.isEnterpriseInstall ? `E:${query.enterpriseId}` : `T:${query.teamId}`;
    const kept = await read(key);
    if (!kept) throw new Error('The app is not installed there.');
    return open(kept);
  }

  const isActive = (kept: KeptInstallation | undefined) =>
    kept !== undefined && kept.removedAt === undefined;

  function serving(team: string, enterprise?: string): KeptInstallation | undefined {
    const org = enterprise === undefined ? orgOf.get(team) : `E:${enterprise}`;
    return [rows.get(`T:${team}`), rows.get(org ?? '')].find(isActive);
  }

  return {
    async load() {
      await readAll();
      for (const kept of rows.values()) await checkSeal(kept);
    },
    all: () => [...rows.values()],
    get: (key) => rows.get(key),
    async find(team, enterprise) {
      if (serving(team, enterprise)) return;
      await read(`T:${team}`);
      if (enterprise !== undefined) await read(`E:${enterprise}`);
    },
    serving,
    ofBot(user) {
      const kept = rows.get(byBot.get(user) ?? '');
      return kept && isActive(kept) ? kept : undefined;
    },
    last: (team) => rows.get(`T:${team}`) ?? rows.get(orgOf.get(team) ?? ''),
    change,
    open,
    deleteRemoved: (key) =>
      update(key, (record) => (record?.removedAt === undefined ? record : undefined)),
    onInstall: {
      storeInstallation: (installation) => write(installation, () => ({ installedAt: Date.now() })),
      fetchInstallation,
    },
    onRenewal: {
      // The refresh token has been used: without the new pair, the workspace would be lost.
      storeInstallation: (installation) =>
        retry(() => write(installation, (before) => ({ removedAt: before?.removedAt })), {
          waitMs: (_, failures) => (failures < maxFailures ? growingWaitMs(failures) : undefined),
          sleep,
        }),
      fetchInstallation,
    },
  };
}

function keyOf({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined) throw new Error('Slack did not say which workspace installed the app.');
  return isEnterpriseInstall ? `E:${id}` : `T:${id}`;
}

/** Who the bot is in a workspace that an installation serves. */
export function identityIn(team: string, { bot, scopes }: InstallationRecord): Identity {
  const isAgent = scopes.includes('assistant:write');
  return { teamId: team, botId: bot.id, userId: bot.userId, isAgent };
}

/** What people call an installation. */
export function nameOf({ team, enterprise, key }: KeptInstallation): string {
  return team?.name ?? enterprise?.name ?? key.slice(2);
}
