import type { Log } from '../../shared/primitives/log.ts';
import type { Queue } from '../../shared/primitives/queue.ts';
import type { Access } from './access.ts';
import type { ThreadAddress } from './address.ts';
import type { Chatbot, Transcribe } from './chatbot.ts';
import type { Gaps } from './gaps.ts';
import type { HandOver } from './hand-over/hand-over.ts';
import type { RenderHelp, TypedCommand } from './help.ts';
import type { Inbox } from './inbox/inbox.ts';
import type { Scheduler } from './inbox/scheduler.ts';
import type { KeyedStore } from './keyed-store.ts';
import type { IncomingMessage, Notice, Platform, Receiver, Told } from './platform.ts';
import type { Admission, Questions } from './questions.ts';
import type { Pacer } from './reply/pacer.ts';
import type { Reports } from './reports.ts';
import type { Sessions } from './sessions.ts';
import type { Managers, Settings } from './settings.ts';
import type { Talk } from './talk.ts';
import type { Tenancy } from './tenancy.ts';
import type { Thread } from './thread.ts';
import type { Capacity } from './turns/capacity.ts';
import type { TurnQueue } from './turns/turn-queue.ts';

/** What a conversation is given, and hands on to its modules. */
export interface GivenTools {
  chatbot: Chatbot;
  /** Without it, voice notes are not read. */
  transcribe?: Transcribe;
  inbox: Inbox;
  sessions: Sessions;
  /** The sessions of private questions, by uuid, with when they were created: they are deleted afterwards. */
  apart: KeyedStore<number>;
  questions: Questions;
  gaps: Gaps;
  settings: Pick<Settings, 'of' | 'in'>;
  managers: Pick<Managers, 'recognize'>;
  access: Access;
  tenancy: Tenancy;
  admission: Admission;
  findPlatform(name: string): (Pick<Platform, 'read'> & Partial<Platform>) | undefined;
  /** A thread of any platform, by its address. */
  openThread(address: ThreadAddress): Thread | undefined;
  /**
   * Posts a notice outside any thread, or tells somebody something where nobody else sees it.
   * @throws {PlatformError}
   */
  notify(platform: string, notice: Notice, signal?: AbortSignal): Promise<void>;
  pacer: Pacer;
  /** Max characters of a reply to show; a longer one is attached whole as a file. */
  maxReplyCharacters?: number;
  /** How long a reply may take: after that, it is neither asked for again nor looked for. */
  maxReplyMs: number;
  /** Whether a question of this time is no longer asked, unless somebody asks again. */
  isTooLate(askedAt: number): boolean;
  /** A command as the bot's own help names it. */
  typed: TypedCommand;
  /** What a bare call for help is answered with. */
  renderHelp: RenderHelp;
  reports: Reports;
  log: Log;
}

/** What the modules of a conversation share. */
export interface Tools extends GivenTools {
  talk: Talk;
  handOver: HandOver;
  scheduler: Scheduler;
  queue: TurnQueue;
  capacity: Capacity;
  /** Where the messages and edits of a thread are read in order. */
  reading: Queue;
  /** The messages that no platform delivered, until they are read, by row. */
  spoken: Map<string, IncomingMessage>;
  /** Tells the author of a message that it can't be handled now. Never rejects. */
  sayWhy(message: IncomingMessage, error: unknown): Promise<void>;
  /**
   * Tells somebody something where nobody else sees it. Resolves with whether they were told; never
   * rejects.
   */
  tell(message: Told, markdown: string): Promise<boolean>;
  /** Handles that a message was deleted: stops the answer to it, wherever it is written. */
  removed: Receiver['removed'];
  /** Aborted when the process begins to stop: what happens is only stored, for the next start. */
  closing: AbortSignal;
  /** Aborted at the end of shutdown: writes still waiting are left to the next start. */
  signal: AbortSignal;
}
