import { textsFor } from '../texts/texts.ts';
import type { Access } from './access.ts';
import { createButtonActions } from './button-actions.ts';
import { createDecide, type RenderHelp } from './decide.ts';
import { explainError, StoppedError } from './errors.ts';
import { createIntake } from './intake.ts';
import { createHandOver, type HandOver, type HandOverTools } from './hand-over/hand-over.ts';
import type { Managers, Settings } from './settings.ts';
import type { Author, IncomingMessage, Notice, Platform, Receiver } from './platform.ts';
import type { Thread } from './thread.ts';
import type { ThreadAddress } from './address.ts';
import type { Tenancy } from './tenancy.ts';
import { createCapacity, createRunTurn, type RunTurnOptions } from './turns/run-turn.ts';
import { createTurnQueue } from './turns/turn-queue.ts';
import { createCompleteLate } from './turns/settle.ts';
import { createRecovery } from './turns/recovery.ts';
import { keepTrying } from '../../shared/primitives/retry.ts';
import { asTurn, type TurnRecord, type TurnRow, createTurnSteps } from './turns/turn-record.ts';

/** The core: receives what people write, and streams replies into their threads. */
export interface Conversation extends Receiver {
  /** Present if threads can be handed over to people. */
  readonly handOver: HandOver | undefined;
  /**
   * Stops the reply that is streaming in a thread. Returns a sentence that says why not if it
   * can't.
   */
  stopIn(thread: ThreadAddress, by: Author): string | undefined;
  /** Whether a reply in the thread is running or waiting, or still to be stored. */
  isAnsweringIn(thread: ThreadAddress): boolean;
  /**
   * Queues what an earlier run left unfinished. Called before the platforms connect, so that new
   * messages wait behind it. Never rejects.
   */
  recover(): Promise<void>;
  /** A platform has connected for the first time: its unfinished turns go on. */
  connected(platform: string): void;
  /**
   * Stops handling messages: they are stored for the next start, as are turns that have not begun.
   * Running turns get `graceMs` to end; then they are ended with a note. Whatever is not written two
   * seconds later is left to the next start.
   */
  close(graceMs: number): Promise<void>;
}

export interface ConversationOptions extends RunTurnOptions {
  /** A thread of any platform, by its address. */
  openThread(address: ThreadAddress): Thread | undefined;
  findPlatform(name: string): Pick<Platform, 'read'> | undefined;
  /** Max turns asked at once; no limit by default. */
  maxTurns?: number;
  /** What the bot answers in each channel; `threads` everywhere by default. */
  settings?: Pick<Settings, 'followingIn'>;
  /** Without it, only the platform's managers are managers. */
  managers?: Pick<Managers, 'recognize'>;
  access: Access;
  tenancy: Tenancy;
  /**
   * Tells somebody something where nobody else sees it.
   * @throws {PlatformError}
   */
  notify(platform: string, notice: Notice, signal?: AbortSignal): Promise<void>;
  /** With it, threads can be handed over to people. */
  handOver?: HandOverTools;
  /** What a bare call for help is answered with; a greeting by default. */
  renderHelp?: RenderHelp;
}

/** How long the last writes may take after turns were ended at shutdown. */
const lastWritesMs = 2_000;

export function createConversation(options: ConversationOptions): Conversation {
  const { sessions, turns, openThread, reports, log } = options;
  /** Aborted when the process begins to stop. */
  const stopping = new AbortController();
  const closing = stopping.signal;
  /** Aborted when shutdown no longer waits for writes. */
  const writes = new AbortController();
  const { signal } = writes;
  const handOver =
    options.handOver &&
    createHandOver({
      ...options,
      ...options.handOver,
      signal,
      // Running turns of the thread are for people now.
      onBegun: (thread, { name }) => queue.abortIn(thread, { kind: 'person', name }),
    });
  const capacity = createCapacity(options.maxTurns ?? Infinity);
  const steps = createTurnSteps({ turns, sessions, closing, log });
  const runTurn = createRunTurn(options, {
    capacity,
    handOver,
    steps,
    onUnsettled: (turn, thread) => void completeLate(turn, thread),
    closing,
    signal,
  });
  const queue = createTurnQueue(runTurn, { pacer: options.pacer, closing, log });
  const completeLate = createCompleteLate(options, queue.run, closing);
  const { access, tenancy } = options;
  const pressed = createButtonActions({
    turns,
    queue,
    askAgain,
    openThread,
    handOver,
    reports,
    access,
    tenancy,
  });
  const { renderHelp = (_, texts) => texts.thread.greeting } = options;
  const decide = createDecide({
    turns,
    sessions,
    settings: options.settings,
    queue,
    capacity,
    handOver,
    steps,
    renderHelp,
    access,
    tell,
  });
  const intake = createIntake({
    ...options,
    decide,
    recognize,
    queue,
    handOver,
    closing,
    signal,
  });
  const { read } = intake;
  const recovery = createRecovery({ ...options, queue, read, completeLate, closing });

  async function recognize(place: ThreadAddress, person: Author) {
    return options.managers ? options.managers.recognize(place, person) : person;
  }

  /** Until the core knows where the bot is, nobody there is served. */
  async function joined(
    platform: string,
    workspaces: readonly string[],
    byAnyone: boolean,
  ): Promise<string[]> {
    let unknown: string[] = [];
    const learn = async () => {
      unknown = await tenancy.joined(platform, workspaces, byAnyone);
    };
    const onFirstFailure = (error: unknown) =>
      log.error({ err: error, platform }, 'where the bot is could not be stored');
    await keepTrying(learn, { signal: closing, onFirstFailure }).done;
    return unknown;
  }

  async function tell({ id, thread, author }: IncomingMessage, markdown: string): Promise<void> {
    const { platform, workspace, channel, thread: root } = thread.address;
    // In a thread that nobody has begun, nothing is shown.
    const place = { channel, ...(root !== id && { thread: root }) };
    const to = { person: author.id, in: place };
    try {
      await options.notify(platform, { workspace, to, markdown }, signal);
    } catch (error) {
      log.info({ err: error, person: author.id }, 'someone could not be told why I don’t answer');
    }
  }

  async function askAgain(record: TurnRecord): Promise<void> {
    const thread = openThread(record.address);
    const again: Partial<TurnRow> = {
      state: 'accepted',
      attempt: record.attempt + 1,
      query: record.edited ?? record.query,
      edited: undefined,
      editNote: undefined,
      posted: [],
      feedback: {},
      session: undefined,
      after: undefined,
      answer: undefined,
      unsettled: undefined,
      sources: undefined,
    };
    const turn = thread && asTurn(await turns.update(record.id, again, ['ended']));
    if (turn) await queue.run(turn, thread);
  }

  async function stopped(thread: ThreadAddress, by: Author): Promise<void> {
    queue.stopIn(thread, await recognize(thread, by));
  }

  async function close(graceMs: number): Promise<void> {
    stopping.abort();
    const restart = { kind: 'restart' } as const;
    const late = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => late.resolve());
    const timers = [
      setTimeout(() => queue.abortAll(restart), graceMs),
      setTimeout(() => writes.abort(new StoppedError(restart)), graceMs + lastWritesMs),
    ];
    // A write that the platform never answers ends with the process.
    await Promise.race([finished(), late.promise]);
    timers.forEach(clearTimeout);
  }

  async function finished(): Promise<void> {
    await Promise.all([intake.idle(), queue.idle()]);
    await handOver?.idle();
  }

  return {
    handOver,
    joined,
    received: intake.received,
    message: intake.message,
    edited: intake.edited,
    removed: intake.removed,
    stopped,
    stopIn: (thread, by) => queue.stopIn(thread, by),
    isAnsweringIn: queue.hasIn,
    async pressed(press) {
      const texts = textsFor(press.by.locale);
      try {
        if (closing.aborted) return explainError(new StoppedError({ kind: 'restart' }), texts);
        const by = await recognize(press.place, press.by);
        return await pressed({ ...press, by });
      } catch (error) {
        log.error({ err: error, turn: press.turn }, 'a button did not work');
        return `⚠️ ${explainError(error, texts)}`;
      }
    },
    recover: recovery.recover,
    connected: recovery.connected,
    close,
  };
}
