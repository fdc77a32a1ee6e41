import { textsFor } from '../../texts/texts.ts';
import { keepTrying } from '../../../shared/primitives/retry.ts';
import type { Delivery, Platform } from '../platform.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Thread } from '../thread.ts';
import type { ThreadAddress } from '../address.ts';
import type { CompleteLate } from './settle.ts';
import type { TurnQueue } from './turn-queue.ts';
import { asTurn, type TurnRecord, type TurnRow, type TurnStore } from './turn-record.ts';

/** Continues what an earlier run left unfinished. */
export interface Recovery {
  /**
   * Queues it, in order of arrival; each turn goes on once its platform has connected. Never
   * rejects.
   */
  recover(): Promise<void>;
  /** A platform has connected for the first time. */
  connected(platform: string): void;
}

interface RecoveryOptions {
  turns: TurnStore;
  queue: TurnQueue;
  findPlatform(name: string): Pick<Platform, 'read'> | undefined;
  openThread(address: ThreadAddress): Thread | undefined;
  /** Reads a message that was stored but not read. */
  read(delivery: Omit<Delivery, 'event'>): Promise<void>;
  completeLate: CompleteLate;
  /** Aborted when the process begins to stop: ends waits for the store. */
  closing: AbortSignal;
  log: Log;
}

export function createRecovery(options: RecoveryOptions): Recovery {
  const { turns, queue, closing, log } = options;
  const connections = new Map<string, PromiseWithResolvers<void>>();

  function connectionOf(platform: string): PromiseWithResolvers<void> {
    const known = connections.get(platform);
    if (known) return known;
    const connection = Promise.withResolvers<void>();
    connections.set(platform, connection);
    return connection;
  }

  async function resumeAll(): Promise<void> {
    const { rows, unreadable } = await turns.unfinished();
    for (const id of unreadable) {
      log.error({ turn: id }, 'a stored turn can’t be read: it is set aside');
    }
    for (const row of rows) {
      try {
        // No platform delivered it: the row of the command that asked it has all that is needed.
        const isAskedByCommand = row.state === 'received' && row.event === undefined;
        if (isAskedByCommand) drop(row);
        else resume(row);
      } catch (error) {
        log.error({ err: error, turn: row.id }, 'a turn of an earlier run was not resumed');
      }
    }
  }

  function drop({ id }: TurnRow): void {
    const onFirstFailure = (error: unknown) =>
      log.error({ err: error, turn: id }, 'a row that is not needed waits for the store');
    keepTrying(() => turns.delete(id), { signal: closing, onFirstFailure });
  }

  function resume(row: TurnRow): void {
    const { id, platform } = row;
    if (!options.findPlatform(platform)) {
      log.warn({ turn: id, platform }, 'a turn is kept until its platform is configured again');
      return;
    }
    const ready = connectionOf(platform).promise;
    if (row.state === 'received') return void options.read(toDelivery(row, ready));
    const turn = asTurn(row);
    const thread = turn && options.openThread(turn.address);
    if (!thread) return;
    if (row.state === 'command') void interrupt(turn, thread, ready);
    else if (row.state === 'ended') void ready.then(() => options.completeLate(turn, thread));
    else void run(turn, thread, ready);
  }

  function toDelivery(row: TurnRow, ready: Promise<void>): Omit<Delivery, 'event'> {
    const { platform, workspace, channel, messageId: id, event } = row;
    const read = async () => {
      await ready;
      return options.findPlatform(platform)?.read(event);
    };
    return { platform, workspace, channel, id, read };
  }

  async function run(turn: TurnRecord, thread: Thread, ready: Promise<void>): Promise<void> {
    try {
      await queue.run(turn, thread, ready);
    } catch (error) {
      log.error({ err: error, thread: turn.address }, 'an interrupted turn could not be ended');
    }
  }

  /** A command may have had its effect, so it is not run again. */
  async function interrupt(
    { id, author }: TurnRecord,
    thread: Thread,
    ready: Promise<void>,
  ): Promise<void> {
    const { commandInterrupted } = textsFor(author.locale).thread;
    const ending = { text: commandInterrupted, footer: '', buttons: [] };
    const store = async () => {
      const turn = asTurn(await turns.update(id, { state: 'ending', ending }, ['command']));
      if (turn) void run(turn, thread, ready);
    };
    const onFirstFailure = (error: unknown) =>
      log.error({ err: error, turn: id }, 'an interrupted command waits for the store');
    await keepTrying(store, { signal: closing, onFirstFailure }).done;
  }

  return {
    async recover() {
      const onFirstFailure = (error: unknown) =>
        log.error({ err: error }, 'the turns of an earlier run could not be read');
      await keepTrying(resumeAll, { signal: closing, onFirstFailure }).tried;
    },
    connected: (platform) => connectionOf(platform).resolve(),
  };
}
