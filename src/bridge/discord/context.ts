import type { LRUCache } from 'lru-cache';
import type { Message, REST } from 'discord.js';
import { createLru } from '../../shared/primitives/cache.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { sleep as sleepFor, type Sleep } from '../../shared/primitives/time.ts';
import { createRunningCommands, type RunningCommands } from '../commands/adapters/show-results.ts';
import type { CommandRunner } from '../commands/invocation.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import { allLeases, type Leases } from '../conversation/leases.ts';
import type { Receiver } from '../conversation/platform.ts';
import { createRest } from './connection.ts';
import { createDiscordFiles, type DiscordFiles } from './files.ts';
import { createLocales, type Locales } from './locales.ts';
import { createPermissions, type Permissions } from './permissions.ts';
import type { ShardRange } from './layout.ts';
import { createShards, type Shards } from './shards.ts';
import { learnWriteLimits, type WriteLimits } from './write-limits.ts';
import { createWriter, type Writer } from './writer.ts';

export interface ContextOptions {
  token: string;
  /** The base URL of the REST API; by default Discord's own. */
  apiUrl?: string;
  /** The shards of this process; by default all, as many as Discord recommends. */
  shards?: ShardRange;
  /** Which of the shards are this process's, where several share them; all by default. */
  leases?: Leases;
  /** When the shards of all processes may begin their next sessions; needed where several share them. */
  sessionTimes?: Pick<KeyedStore<number>, 'update'>;
  /** Runs work while no other process runs any of the same name. */
  exclusively?(name: string, work: () => Promise<void>): Promise<void>;
  /** Max bytes read of a file; 25 MB by default. */
  maxFileBytes?: number;
  commands: CommandRunner;
  /** With it, people's messages are answered in the language of their last interaction. */
  locales?: KeyedStore<string>;
  log: Log;
  sleep?: Sleep;
}

/** What the parts of the adapter share. */
export interface DiscordContext {
  /** Calls of Discord's API, which need no shard. */
  rest: REST & Disposable;
  shards: Shards;
  leases: Leases;
  exclusively(name: string, work: () => Promise<void>): Promise<void>;
  writer: Writer;
  writeLimits: WriteLimits;
  permissions: Permissions;
  files: DiscordFiles;
  maxFileBytes: number;
  locales?: Locales;
  runner: CommandRunner;
  /** The commands that run now. */
  running: RunningCommands;
  /** The newest messages by id, so that they need not be fetched to be read. */
  recent: LRUCache<string, Message>;
  /** The core, once the platform has started. */
  receiver?: Receiver;
  log: Log;
  sleep: Sleep;
  /** Aborts when the adapter closes. */
  signal: AbortSignal;
}

/** Messages kept in memory until they are read. */
const maxRecent = 1_000;

export function createContext(options: ContextOptions, signal: AbortSignal): DiscordContext {
  const { token, apiUrl, shards: range, commands, log, sleep = sleepFor } = options;
  const { leases = allLeases, sessionTimes, exclusively = (_, work) => work() } = options;
  const { maxFileBytes = 25 * 1024 * 1024 } = options;
  const trustedOrigins = apiUrl ? [new URL(apiUrl).origin] : [];
  const rest = createRest({ token, apiUrl });
  const shards = createShards({ token, apiUrl, range, leases, sessionTimes, rest, log, signal });
  const permissions = createPermissions(shards);
  return {
    rest,
    shards,
    leases,
    exclusively,
    permissions,
    writer: createWriter({ rest, permissions }),
    writeLimits: learnWriteLimits(rest),
    files: createDiscordFiles({ trustedOrigins, maxBytes: maxFileBytes, rest, permissions }),
    maxFileBytes,
    ...(options.locales && { locales: createLocales(options.locales, { log }) }),
    runner: commands,
    running: createRunningCommands(log, 'Discord'),
    recent: createLru<Message>(maxRecent),
    log,
    sleep,
    signal,
  };
}
