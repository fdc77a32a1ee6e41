import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { IncomingMessage } from '../../conversation/platform.ts';
import type { KeyedStore } from '../../conversation/keyed-store.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { StoredAddress } from '../../conversation/inbox/row.ts';
import type { Invocation } from '../invocation.ts';
import { SourceWatch } from '../source/source-watch.ts';

/** A command that changes something, from before its effect until its last result was shown. */
const CommandRecord = z.object({
  command: z.string(),
  action: z.string().optional(),
  platform: z.string(),
  workspace: z.string(),
  channel: z.string(),
  requester: z.object({ id: z.string(), name: z.string() }),
  locale: z.string(),
  timeZone: z.string().optional(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  /** The bot's own messages that show the result; without tokens, which would expire. */
  shown: z.object({ channel: z.string(), messages: z.array(z.string()) }).optional(),
  /** What the command did its part of, and now watches. */
  watch: SourceWatch.optional(),
  /** The question that the command has posted for the core. */
  asked: z
    .object({
      id: z.string(),
      text: z.string(),
      addressed: z.enum(['mention', 'direct', 'overheard']),
      thread: StoredAddress,
    })
    .optional(),
});
export type CommandRecord = z.infer<typeof CommandRecord>;

/** A running command's row. Nothing rejects: failures are logged. */
export interface CommandEntry {
  readonly record: CommandRecord;
  /** Stores the row before the command has an effect. Resolves with whether it is stored. */
  save(): Promise<boolean>;
  /** Adds what the command watches now. */
  watch(watch: SourceWatch): Promise<void>;
  /** Adds the question that the command has posted. */
  asked(message: IncomingMessage): Promise<void>;
  /** Adds where its result stands. */
  shownIn(shown: NonNullable<CommandRecord['shown']>): Promise<void>;
  /** The process stops: `end` leaves the row to the next one. */
  leave(): void;
  /** Deletes the row. */
  end(): Promise<void>;
}

/** The commands under way, so that a restart can tell people which were cut off. */
export interface CommandJournal {
  /** The row of a command; not stored yet. */
  open(given: Invocation): CommandEntry;
  /** The rows of an earlier run. Never rejects. */
  earlier(): Promise<CommandEntry[]>;
}

/** After this time, nobody wants to know any more. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

/** Further commands run without a row. */
const maxRows = 1_000;

/**
 * Commands run whether or not their row can be stored: a store that is full or read-only is only
 * logged.
 */
export function createCommandJournal(options: {
  store: KeyedStore<unknown>;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
}): CommandJournal {
  const { store, now, log } = options;
  const stored = new Set<string>();

  function createEntry(key: string, record: CommandRecord): CommandEntry {
    let isLeft = false;

    async function save(): Promise<boolean> {
      const { command, action } = record;
      if (stored.size >= maxRows && !stored.has(key)) {
        log.warn({ command, action, maxRows }, 'too many commands are running to store another');
        return false;
      }
      try {
        await store.set(key, record, keptMs);
        stored.add(key);
        return true;
      } catch (error) {
        log.error(
          { err: error, command, action },
          'a command could not be stored: if the process dies now, nobody is told',
        );
        return false;
      }
    }

    return {
      record,
      save,
      async watch(watch) {
        record.watch = watch;
        await save();
      },
      async asked({ id, text, addressed, thread }) {
        record.asked = { id, text, addressed, thread: thread.address };
        if (stored.has(key)) await save();
      },
      async shownIn(shown) {
        const isKnown = JSON.stringify(shown) === JSON.stringify(record.shown);
        record.shown = shown;
        if (!isKnown && stored.has(key)) await save();
      },
      leave() {
        isLeft = true;
      },
      async end() {
        if (isLeft || !stored.has(key)) return;
        try {
          await store.delete(key);
          stored.delete(key);
        } catch (error) {
          log.error({ err: error, command: record.command }, 'a command’s row was not deleted');
        }
      },
    };
  }

  return {
    open({ command, action, context }) {
      const { platform, workspace, channel, requester, locale, timeZone } = context;
      const { id, name } = requester;
      const place = { platform, workspace, channel };
      const who = { requester: { id, name }, locale, timeZone };
      return createEntry(randomUUID(), { command, action, ...place, ...who, startedAt: now() });
    },
    async earlier() {
      const entries: CommandEntry[] = [];
      try {
        for await (const [key, value] of store.entries()) {
          const { data, error } = CommandRecord.safeParse(value);
          if (data) entries.push(createEntry(key, data));
          else log.error({ key, err: error }, 'a stored command can’t be read: it is left alone');
          stored.add(key);
        }
      } catch (error) {
        log.error({ err: error }, 'the commands of an earlier run could not be read');
      }
      return entries;
    },
  };
}
