import { randomUUID } from 'node:crypto';
import type { Log } from '../../../shared/primitives/log.ts';
import { keepTrying } from '../../../shared/primitives/retry.ts';
import { inTime, type Sleep, sleep as sleepFor } from '../../../shared/primitives/time.ts';
import type { Inbox } from '../../conversation/inbox/inbox.ts';
import { handled, type InboxRow, toRow } from '../../conversation/inbox/row.ts';
import type { Scheduler } from '../../conversation/inbox/scheduler.ts';
import { type CommandEntry, CommandRecord, type GivenCommand, toRecord } from './command-record.ts';

/** The commands under way, as rows of the inbox, so that a restart can tell which were cut off. */
export interface CommandJournal {
  /** Aborted when the process begins to stop: from then on, commands are refused. */
  readonly closing: AbortSignal;
  /** The row of a command; not stored yet. */
  open(given: GivenCommand): CommandEntry;
  /**
   * Takes over the row of an earlier run. Undefined if nobody wants to know of it any more.
   * @throws {Error} when nothing can be stored: whoever gave the command would be told again and again
   */
  reopen(row: InboxRow): Promise<CommandEntry | undefined>;
}

/** After this time, nobody wants to know any more. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

/** Platforms wait three seconds for an acknowledgement. */
const maxStoringMs = 1_000;

/**
 * Commands run whether or not their row can be stored: people use them to repair things. A store
 * that is full, read-only or slow is only logged.
 */
export function createCommandJournal(options: {
  inbox: Pick<Inbox, 'update'>;
  /** Keeps the rows of running commands from being claimed. */
  rows: Pick<Scheduler, 'insert' | 'release'>;
  closing: AbortSignal;
  log: Log;
  sleep?: Sleep;
}): CommandJournal {
  const { inbox, rows, closing, log, sleep = sleepFor } = options;

  function createEntry(row: InboxRow, record: CommandRecord, known = false): CommandEntry {
    let isStored = known;
    let isLate = false;
    let isLeft = false;
    let writes = Promise.resolve();

    /** Writes happen in order. Once the store is late, the command does not wait for them. */
    async function write(task: () => Promise<void>): Promise<void> {
      const { command, action } = record;
      const written = writes.then(task).catch((error: unknown) => {
        log.error(
          { err: error, command, action },
          'a command could not be stored: if the process dies now, nobody is told',
        );
      });
      writes = written;
      if (isLate) return;
      const isDone = await inTime(
        written.then(() => true),
        maxStoringMs,
        sleep,
      );
      if (isDone) return;
      isLate = true;
      log.error({ command, action }, 'a command runs before it is stored: the store is slow');
    }

    async function store(): Promise<void> {
      const event = { ...record };
      if (isStored) await inbox.update(row.id, { event }, ['command']);
      else isStored = await rows.insert({ ...row, event });
    }

    function change(change: Partial<CommandRecord>): Promise<void> {
      const before = JSON.stringify(record);
      Object.assign(record, change);
      const isSame = JSON.stringify(record) === before;
      return write(async () => {
        if (isStored && !isSame) await store();
      });
    }

    async function finish(): Promise<void> {
      if (!isStored) return;
      const onFirstFailure = (error: unknown) =>
        log.error({ err: error, row: row.id }, 'the end of a command could not be stored');
      const end = async () => {
        await inbox.update(row.id, handled);
        isStored = false;
        rows.release(row.id);
      };
      // Claimed before that, it would be told as cut off.
      await keepTrying(end, { signal: closing, onFirstFailure }).done;
    }

    return {
      record,
      save: () =>
        write(async () => {
          if (!isStored) await store();
        }),
      complete: (given) => change(toRecord(given)),
      async watch(watch) {
        record.watch = watch;
        await write(store);
      },
      asked: ({ id, text, addressed, thread }) =>
        change({ asked: { id, text, addressed, thread: thread.address } }),
      shownIn: (shown) => change({ shown }),
      leave() {
        isLeft = true;
      },
      async end(isShown = true) {
        if (!isShown && closing.aborted) isLeft = true;
        if (!isLeft) await write(finish);
      },
    };
  }

  return {
    closing,
    open(given) {
      const record = toRecord(given);
      const { platform, workspace, channel } = record;
      const id = randomUUID();
      const message = { platform, workspace, channel, id };
      const row = toRow({ kind: 'command', id, message });
      return createEntry({ ...row, state: 'command' }, record);
    },
    async reopen(row) {
      const { data: record, error } = CommandRecord.safeParse(row.event);
      if (!record) log.error({ row: row.id, err: error }, 'a stored command can’t be read');
      const isTold = record && Date.now() - row.createdAt <= keptMs;
      const changed = await inbox.update(row.id, isTold ? { event: record } : handled, ['command']);
      return isTold && changed ? createEntry(row, record, true) : undefined;
    },
  };
}
