import type { Logger } from '@slack/bolt';
import type { ReadSaid } from '../commands/adapters/mention-command.ts';
import type { RunningCommands } from '../commands/adapters/show-results.ts';
import type { Names } from '../commands/command.ts';
import type { FileReader } from '../commands/files.ts';
import type { CommandRunner } from '../commands/invocation.ts';
import type { ThreadAddress } from '../conversation/address.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import type { Receiver, Rooms } from '../conversation/platform.ts';
import type { Thread } from '../conversation/thread.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Sleep } from '../../shared/primitives/time.ts';
import type { Clients, Identity, Token } from './clients.ts';
import type { SlackFile } from './files.ts';
import type { HistoryLimit } from './history.ts';
import type { WrittenMessage } from './incoming-message.ts';
import type { People } from './people.ts';

/** What all workspaces of the app share. */
export interface AppTools {
  runner: CommandRunner;
  /** What people do is reported to it; undefined until the platform has started. */
  receiver(): Receiver | undefined;
  running: RunningCommands;
  /** Origins, in addition to Slack's, that files are read from and command answers are sent to. */
  trustedOrigins: readonly string[];
  apiUrl: string;
  logger: Logger;
  maxFileBytes: number;
  nativeStreaming: boolean;
  /** Where Slack limits how the app reads, by the key of the workspace. */
  historyLimits?: KeyedStore<HistoryLimit>;
  log: Log;
  /** Milliseconds. */
  now: () => number;
  sleep: Sleep;
  /** Aborted when the platform closes. */
  signal: AbortSignal;
}

/** Who the bot is in a workspace, and with which token it acts there. */
export interface Installed {
  /** Undefined before the platform has started. */
  identity(): Identity | undefined;
  token: Token;
  /** The workspace's id, if the token may be that of its organisation. */
  teamId?: string;
  /** Called with each answer of Slack's: with its error code if it refuses the token. */
  onAnswer?(refusal?: string): void;
}

/** A workspace at work: who the bot is in it, and all that it reads and writes there. */
export interface SlackWorkspace extends AppTools {
  /** @throws {Error} before the platform has started */
  identity(): Identity;
  clients: Clients;
  people: People;
  names: Names;
  rooms: Rooms;
  files: FileReader<SlackFile>;
  /** Reads what a message to the bot says. */
  readSaid: ReadSaid<WrittenMessage>;
  addressOf(channel: string, thread: string): ThreadAddress;
  openThread(channel: string, thread: string): Thread;
  thread(address: ThreadAddress): Thread;
}

/** The workspaces that the bot acts in. */
export interface Workspaces {
  /**
   * The workspace that an event, a command or a press belongs to, by its body; undefined if the bot is
   * not installed there.
   */
  of(body: object): SlackWorkspace | undefined;
  /** The same for an event about a message: in a shared channel, one of several workspaces answers. */
  answering(body: object): Promise<SlackWorkspace | undefined>;
  /** A workspace by its id. One that the bot is not installed in refuses every call, as Slack would. */
  at(workspace: string): SlackWorkspace;
}
