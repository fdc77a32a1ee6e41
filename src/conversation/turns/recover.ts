import { messagesFor } from '../../messages/messages.ts';
import type { Log, Platform, Thread, ThreadAddress } from '../ports.ts';
import type { TurnStore } from './turn-store.ts';
import type { TurnQueue } from './turn-queue.ts';
import { asTurn, type TurnRecord, type TurnRow } from './turn-record.ts';

export interface RecoverOptions {
  turns: TurnStore;
  queue: TurnQueue;
  findPlatform(name: string): Pick<Platform, 'read'> | undefined;
  openThread(address: ThreadAddress): Thread | undefined;
  /** Resolves once the platform can be used. */
  whenConnected(platform: string): Promise<void>;
  /** Reads a message that was stored but not read. */
  read(row: TurnRow, ready: Promise<void>): Promise<void>;
  log: Log;
}

/**
 * Continues what an earlier run left unfinished, in order of arrival. Resolves when everything is
 * queued; it runs once its platform has connected. Never rejects.
 */
export async function recoverTurns(options: RecoverOptions): Promise<void> {
  const { turns, queue, log } = options;
  try {
    const { rows, unreadable } = await turns.unfinished();
    for (const id of unreadable)
      log.error({ turn: id }, 'a stored turn can’t be read: it is set aside');
    for (const row of rows) await resume(row);
  } catch (error) {
    log.error({ err: error }, 'the turns of an earlier run could not be read');
  }

  async function resume(row: TurnRow): Promise<void> {
    const { id, platform } = row;
    if (!options.findPlatform(platform)) {
      log.warn({ turn: id, platform }, 'a turn is kept until its platform is configured again');
      return;
    }
    const ready = options.whenConnected(platform);
    if (row.state === 'received') return void options.read(row, ready);
    const turn = row.state === 'command' ? await toInterruptedCommand(row) : asTurn(row);
    const thread = turn && options.openThread(turn.address);
    if (thread) void run(turn, thread, ready);
  }

  async function run(turn: TurnRecord, thread: Thread, ready: Promise<void>): Promise<void> {
    try {
      await queue.run(turn, thread, ready);
    } catch (error) {
      log.error({ err: error, thread: turn.address }, 'an interrupted turn could not be ended');
    }
  }

  /** A command may have had its effect, so it is not run again. */
  async function toInterruptedCommand(row: TurnRow): Promise<TurnRecord | undefined> {
    const { commandInterrupted } = messagesFor(row.author?.locale).thread;
    const ending = { text: commandInterrupted, footer: '', buttons: [] };
    return asTurn(await turns.update(row.id, { state: 'ending', ending }, ['command']));
  }
}
