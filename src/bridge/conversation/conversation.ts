import { createQueue } from '../../shared/primitives/queue.ts';
import { keepTrying } from '../../shared/primitives/retry.ts';
import { inTime, sleep } from '../../shared/primitives/time.ts';
import type { ThreadAddress, Workspace } from './address.ts';
import { createButtonActions } from './button-actions.ts';
import { createChangeHandlers } from './changes.ts';
import { StoppedError } from './errors.ts';
import { createForgetting, type Forgetting } from './forgetting.ts';
import { createHandOver, type HandOver, type HandOverTools } from './hand-over/hand-over.ts';
import { handled, type InboxRow } from './inbox/row.ts';
import { createScheduler, type Handler, type Scheduler } from './inbox/scheduler.ts';
import { createIntake } from './intake.ts';
import type { Leases } from './leases.ts';
import { createMessageHandler, createSayWhy } from './message-handler.ts';
import type { Author, ButtonPress, Receiver, Told } from './platform.ts';
import { createTalk, type TalkStores } from './talk.ts';
import type { GivenTools, Tools } from './tools.ts';
import { type AnswerForOne, createPrivateQuestions } from './turns/answer-alone.ts';
import { createCapacity } from './turns/capacity.ts';
import { createRunTurn } from './turns/run-turn.ts';
import { createTurnQueue } from './turns/turn-queue.ts';

/** The core: receives what people write, and streams replies into their threads. */
export interface Conversation extends Receiver {
  readonly handOver: HandOver;
  /** The rows of running commands that did not arrive as messages. */
  readonly rows: Pick<Scheduler, 'insert' | 'release'>;
  /**
   * Stops the reply that is streaming in a thread. Resolves with a sentence that says why not if it
   * can't.
   */
  stopIn(thread: ThreadAddress, by: Author): Promise<string | undefined>;
  readonly forgetting: Forgetting;
  /** Deletes what people said in a thread, unless it is handed over: its next question won't include it. */
  forgetSaid(thread: ThreadAddress): Promise<void>;
  /**
   * Ends all work in progress without posting anything, and waits up to two seconds for what is being
   * written. Rejects when the store is down.
   */
  endAll(): Promise<void>;
  /** Answers a question for one person alone, outside any thread. */
  readonly answerAlone: AnswerForOne;
  /** Deletes what is left of such questions. Rejects when the store is down. */
  keepUp(signal: AbortSignal): Promise<void>;
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

export interface ConversationOptions extends GivenTools {
  /** What this process may work on. */
  leases: Leases;
  /** Max turns asked at once, over all processes. */
  maxTurns: number;
  /** Where what people say to each other is kept for the next question. */
  said: TalkStores;
  handOver: HandOverTools;
  /** Handles the row of a command that an earlier run left. */
  recoverCommand: Handler;
}

const unserved =
  'a chatbot for a workspace could not be created: the bot does nothing there until it is';

/** How long the last writes may take after turns were ended. */
const lastWritesMs = 2_000;

export function createConversation(options: ConversationOptions): Conversation {
  const { inbox, managers, tenancy, openThread, findPlatform, log, leases } = options;
  /** Aborted when the process begins to stop. */
  const stopping = new AbortController();
  const closing = stopping.signal;
  /** Aborted when shutdown no longer waits for writes. */
  const writes = new AbortController();
  const { signal } = writes;
  const talk = createTalk({ ...options, ...options.said });
  const scheduler = createScheduler({
    ...options,
    hasPlatform: (name) => findPlatform(name) !== undefined,
    closing,
  });
  const queue = createTurnQueue({ ...options, closing });
  const handOver = createHandOver({ ...options, ...options.handOver, talk, queue, signal });
  const tools: Tools = {
    ...options,
    talk,
    handOver,
    scheduler,
    queue,
    capacity: createCapacity(() => Math.max(1, Math.floor(options.maxTurns / leases.count))),
    reading: createQueue(),
    spoken: new Map(),
    sayWhy: createSayWhy(log, signal),
    tell,
    removed: (message) => intake.removed(message),
    closing,
    signal,
  };
  queue.handle(createRunTurn(tools));
  const act = createButtonActions(tools);
  scheduler.handle({
    message: createMessageHandler(tools),
    ...createChangeHandlers(tools),
    press: again(pressAgain),
    stop: again(({ event }) => {
      const { thread, by } = event as { thread: ThreadAddress; by: Author };
      return stop(thread, by);
    }),
    command: options.recoverCommand,
  });
  const intake = createIntake({ ...tools, press, stop });
  const forgetting = createForgetting(tools);

  async function press(pressed: ButtonPress, row: string): Promise<string | undefined> {
    const by = await managers.recognize(pressed.place, pressed.by);
    return act({ ...pressed, by }, row);
  }

  /** Where it was pressed in another process, the answer is told to the person. */
  async function pressAgain(row: InboxRow): Promise<void> {
    // The button is still there.
    if (options.isTooLate(row.createdAt)) return;
    const pressed = row.event as ButtonPress;
    const answer = await press(pressed, row.id);
    const thread = openThread(pressed.place);
    if (!answer || !thread || leases.process === undefined) return;
    await tell({ id: row.messageId, thread, author: pressed.by }, answer);
  }

  async function stop(thread: ThreadAddress, by: Author): Promise<void> {
    await queue.stopIn(thread, await managers.recognize(thread, by));
  }

  /** What a person did before a restart is done again; there is nobody to answer any more. */
  function again(task: (row: InboxRow) => Promise<unknown>): Handler {
    return async (row, { ready }) => {
      await ready;
      if (closing.aborted) return;
      await task(row);
      await inbox.update(row.id, handled);
    };
  }

  /** Until the core knows where the bot is, nobody there is served. */
  async function joined(
    platform: string,
    workspaces: readonly string[],
    byAnyone: boolean,
  ): Promise<string[]> {
    // From now on, each has a lease.
    for (const workspace of workspaces) leases.leaseOf({ platform, workspace });
    const learn = () => tenancy.joined(platform, workspaces, byAnyone);
    await keepTrying(learn, {
      signal: closing,
      onFirstFailure: (error) =>
        log.error({ err: error, platform }, 'the bot’s workspaces could not be stored'),
    }).done;
    const unknown: string[] = [];
    const waiting = new Set(workspaces);
    const serve = async () => {
      for (const workspace of waiting) {
        if (!(await tenancy.serve({ platform, workspace }))) unknown.push(workspace);
        waiting.delete(workspace);
      }
    };
    // Those that have a chatbot don't wait for one that can't be made.
    await keepTrying(serve, {
      signal: closing,
      onFirstFailure(error) {
        const [workspace] = waiting;
        log.error({ err: error, platform, workspace }, unserved);
      },
    }).tried;
    if (unknown.length > 0) {
      log.warn(
        { platform, workspaces: unknown },
        'no chatbot belongs to these workspaces, so the bot does nothing there (WORKSPACES)',
      );
    }
    return unknown;
  }

  /** Nothing can be written there: what is under way ends without a word. */
  async function left(platform: string, workspace: string): Promise<void> {
    const end = () => endIn({ platform, workspace });
    const onFirstFailure = (error: unknown) =>
      log.error({ err: error, platform, workspace }, 'work in progress could not be ended');
    await keepTrying(end, { signal: closing, onFirstFailure }).done;
  }

  /** Without a workspace, in all of them. */
  async function endIn(place?: Workspace): Promise<void> {
    for (const { id, query, platform, workspace } of await inbox.openIn(place)) {
      const state = query === undefined ? 'handled' : 'ended';
      await inbox.update(id, { state, event: undefined, unsettled: undefined });
      queue.abort(id, { kind: 'removed' });
      log.info({ row: id, platform, workspace }, 'the work in progress in a workspace has ended');
    }
  }

  async function tell({ id, thread, author }: Told, markdown: string): Promise<boolean> {
    const { platform, workspace, channel, thread: root } = thread.address;
    // In a thread that nobody has begun, nothing is shown.
    const place = { channel, ...(root !== id && { thread: root }) };
    const to = { person: author.id, in: place };
    try {
      await options.notify(platform, { workspace, to, markdown }, signal);
      return true;
    } catch (error) {
      log.info({ err: error, person: author.id }, 'someone was not told why the bot won’t answer');
      return false;
    }
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
    await scheduler.idle();
    await handOver.idle();
  }

  const apart = createPrivateQuestions(tools);

  return {
    ...intake,
    handOver,
    forgetting,
    rows: scheduler,
    joined,
    left,
    async stopIn(thread, by) {
      if (leases.leaseOf(thread)) return queue.stopIn(thread, by);
      await intake.stopped(thread, by);
      return undefined;
    },
    async forgetSaid(thread) {
      await handOver.forget(thread);
      if (!(await handOver.active(thread))) await talk.forget(thread);
    },
    answerAlone: apart.answer,
    keepUp: apart.keepUp,
    async endAll() {
      await endIn();
      await inTime(finished(), lastWritesMs, sleep);
    },
    isAnsweringIn: queue.hasIn,
    recover: scheduler.start,
    connected: scheduler.connected,
    close,
  };
}
