import { LRUCache } from 'lru-cache';
import { messagesFor } from '../messages/messages.ts';
import { beginInOrder, createQueue } from '../primitives/queue.ts';
import { retry } from '../primitives/retry.ts';
import { sleep } from '../primitives/sleep.ts';
import { addressKey, channelKey } from './address.ts';
import { createButtonActions } from './button-actions.ts';
import { createDecide } from './decide.ts';
import { explainError } from './explain.ts';
import { createHandOver, type HandOver, type HandOverTools } from './hand-over/hand-over.ts';
import type { Managers } from './managers.ts';
import { createMessageChanges } from './message-changes.ts';
import { createMessageFilter } from './message-filter.ts';
import { PlatformError } from './platform-error.ts';
import type {
  Author,
  ButtonPress,
  Delivery,
  IncomingMessage,
  Platform,
  Receiver,
  Thread,
  ThreadAddress,
} from './ports.ts';
import type { Settings } from './settings.ts';
import { createCapacity } from './turns/capacity.ts';
import { recoverTurns } from './turns/recover.ts';
import { createRunTurn, type RunTurnOptions } from './turns/run-turn.ts';
import { createRunningTurns, StoppedError } from './turns/running-turns.ts';
import {
  asTurn,
  toReceivedRow,
  turnId,
  type TurnRecord,
  type TurnRow,
} from './turns/turn-record.ts';
import { createTurnQueue } from './turns/turn-queue.ts';

/** The core: receives what people write, and streams replies into their threads. */
export interface Conversation extends Receiver {
  /** Present if threads can be handed over to people. */
  readonly handOver: HandOver | undefined;
  /**
   * Stops the reply that is streaming in a thread. Returns a sentence that says why not if it
   * can't.
   */
  stopIn(thread: ThreadAddress, by: Author): string | undefined;
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
  /** With it, threads can be handed over to people. */
  handOver?: HandOverTools;
}

/** How long the last writes may take after turns were ended at shutdown. */
const lastWritesMs = 2_000;

/** Reading a message asks the platform for names. */
const maxReads = 4;
const readAgainMs = 1_000;

export function createConversation(options: ConversationOptions): Conversation {
  const { sessions, turns, openThread, reports, log } = options;
  const running = createRunningTurns();
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
      onBegun: (thread, { name }) => running.abortIn(thread, { kind: 'person', name }),
    });
  const capacity = createCapacity(options.maxTurns ?? Infinity);
  const runTurn = createRunTurn(options, { capacity, handOver, signal });
  const queue = createTurnQueue(runTurn, { running, log });
  const pressed = createButtonActions({ turns, running, askAgain, openThread, handOver, reports });
  const isForUs = createMessageFilter({
    sessions,
    turns,
    settings: options.settings,
    handOver,
    log,
  });
  const decide = createDecide({ turns, isForUs, queue, running, capacity, handOver });
  /** Messages are read in order of arrival per channel, and decided on per thread. */
  const reading = createQueue();
  const deciding = createQueue();
  /** What concerns one message happens in order. */
  const messages = createQueue();
  const changes = createMessageChanges({ turns, running, sessions, handOver, order: messages });
  /** Messages whose author was told that they can't be handled. */
  const told = new LRUCache<string, true>({ max: 1000 });
  const connections = new Map<string, PromiseWithResolvers<void>>();
  let closed = false;

  async function received(delivery: Delivery): Promise<void> {
    const row = toReceivedRow(delivery, delivery.event);
    try {
      const isNew = await turns.insert(row);
      // Slack delivers a mention as two events; the first may not be for us.
      if (!isNew && (await turns.get(row.id))?.state !== 'received') return;
    } catch (error) {
      void tellAuthor(delivery, error);
      throw error;
    }
    if (!closed) void read(delivery);
  }

  /** Reads a stored message and handles it. Never rejects. */
  async function read(delivery: Omit<Delivery, 'event'>): Promise<void> {
    try {
      await beginInOrder(reading, channelKey(delivery), async () => {
        const incoming = await retry(() => delivery.read(), {
          waitMs: (_error, failures) => (failures < maxReads ? readAgainMs * failures : undefined),
          sleep,
          signal,
        });
        if (!incoming) await turns.delete(turnId(delivery, delivery.id));
        return () => (incoming ? message(incoming) : undefined);
      });
    } catch (error) {
      log.error({ err: error, channel: delivery.channel }, 'a message could not be read');
    }
  }

  async function message(incoming: IncomingMessage): Promise<void> {
    const { thread, id, addressed } = incoming;
    const { address } = thread;
    try {
      await messages.run(turnId(address, id), () =>
        beginInOrder(deciding, addressKey(address), () => begin(incoming)),
      );
    } catch (error) {
      log.error({ err: error, thread: address }, 'a message was not answered');
      const isExpected = addressed !== 'overheard' || error instanceof PlatformError;
      if (isExpected) await sayWhy(incoming, error);
    }
  }

  async function begin(incoming: IncomingMessage): Promise<() => Promise<void> | undefined> {
    if (closed) return () => leave(incoming);
    const author = await recognize(incoming.thread.address, incoming.author);
    const task = await decide({ ...incoming, author });
    return () => task?.();
  }

  /** The process stops: stored messages are handled by the next one. */
  async function leave(incoming: IncomingMessage): Promise<void> {
    const isStored = await turns.get(turnId(incoming.thread.address, incoming.id));
    if (!isStored) await sayWhy(incoming, new StoppedError({ kind: 'restart' }));
  }

  async function recognize(place: ThreadAddress | ButtonPress['place'], person: Author) {
    return options.managers ? options.managers.recognize(place, person) : person;
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
      answer: undefined,
      sources: undefined,
    };
    const turn = thread && asTurn(await turns.update(record.id, again, ['ended']));
    if (turn) await queue.run(turn, thread);
  }

  /** The message could not be stored: if it was meant for us, its author is told. */
  async function tellAuthor(delivery: Delivery, error: unknown): Promise<void> {
    log.error({ err: error, channel: delivery.channel }, 'a message could not be stored');
    const incoming = await delivery.read().catch(() => undefined);
    if (incoming && incoming.addressed !== 'overheard') await sayWhy(incoming, error);
  }

  async function sayWhy({ id, thread, author }: IncomingMessage, error: unknown): Promise<void> {
    const key = turnId(thread.address, id);
    if (signal.aborted || told.has(key)) return;
    told.set(key, true);
    try {
      await thread.post({ markdown: `⚠️ ${explainError(error, messagesFor(author.locale))}` });
    } catch (again) {
      log.error({ err: again }, 'the failure could not be posted to the thread');
    }
  }

  async function edited(edit: Omit<Delivery, 'event'>): Promise<void> {
    await beginInOrder(reading, channelKey(edit), async () => {
      const incoming = await edit.read();
      if (!incoming || incoming.command) return () => undefined;
      const key = addressKey(incoming.thread.address);
      return () => deciding.run(key, () => changes.edited(incoming));
    });
  }

  async function stopped(thread: ThreadAddress, by: Author): Promise<void> {
    running.stopIn(thread, await recognize(thread, by));
  }

  async function recover(): Promise<void> {
    await recoverTurns({
      ...options,
      queue,
      whenConnected: (platform) => connectionOf(platform).promise,
      read: (row, ready) => read(toDelivery(row, ready)),
    });
  }

  function toDelivery(row: TurnRow, ready: Promise<void>): Omit<Delivery, 'event'> {
    const { platform, workspace, channel, messageId: id, event } = row;
    return {
      platform,
      workspace,
      channel,
      id,
      async read() {
        await ready;
        return options.findPlatform(platform)?.read(event);
      },
    };
  }

  function connectionOf(platform: string): PromiseWithResolvers<void> {
    const known = connections.get(platform);
    if (known) return known;
    const connection = Promise.withResolvers<void>();
    connections.set(platform, connection);
    return connection;
  }

  async function close(graceMs: number): Promise<void> {
    closed = true;
    queue.close();
    const restart = { kind: 'restart' } as const;
    const late = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => late.resolve());
    const timers = [
      setTimeout(() => running.abortAll(restart), graceMs),
      setTimeout(() => writes.abort(new StoppedError(restart)), graceMs + lastWritesMs),
    ];
    // A write that the platform never answers ends with the process.
    await Promise.race([finished(), late.promise]);
    timers.forEach(clearTimeout);
  }

  async function finished(): Promise<void> {
    await Promise.all([messages.idle(), queue.idle()]);
    await handOver?.idle();
  }

  /** Logs failures, so that the receiver never rejects. */
  function guarded<Arguments extends unknown[]>(
    handle: (...given: Arguments) => Promise<void>,
  ): (...given: Arguments) => Promise<void> {
    return async (...given) => {
      try {
        if (!closed) await handle(...given);
      } catch (error) {
        log.error({ err: error }, 'an event was not handled');
      }
    };
  }

  return {
    handOver,
    message,
    received,
    edited: guarded(edited),
    removed: guarded(changes.removed),
    stopped: guarded(stopped),
    stopIn: (thread, by) => running.stopIn(thread, by),
    async pressed(press) {
      const texts = messagesFor(press.by.locale);
      try {
        if (closed) return explainError(new StoppedError({ kind: 'restart' }), texts);
        const by = await recognize(press.place, press.by);
        return await pressed({ ...press, by });
      } catch (error) {
        log.error({ err: error, turn: press.turn }, 'a button did not work');
        return `⚠️ ${explainError(error, texts)}`;
      }
    },
    recover,
    connected: (platform) => connectionOf(platform).resolve(),
    close,
  };
}
