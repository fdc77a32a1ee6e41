import { z } from 'zod';
import { ThreadAddress } from '../../conversation/address.ts';
import type { Author, IncomingMessage } from '../../conversation/platform.ts';
import { SourceWatch } from '../source/source-watch.ts';

/**
 * The event of a command's row, which is kept until its last result was shown. It contains nothing
 * that would let a reader answer in the bot's name, such as a token or a response URL.
 */
export const CommandRecord = z.object({
  command: z.string(),
  action: z.string().optional(),
  platform: z.string(),
  workspace: z.string(),
  channel: z.string(),
  requester: z.object({ id: z.string(), name: z.string() }),
  locale: z.string(),
  timeZone: z.string().optional(),
  /** The bot's own messages that show the result; without tokens, which would expire. */
  shown: z.object({ channel: z.string(), messages: z.array(z.string()) }).optional(),
  /** What the command did its part of, and now watches. */
  watch: SourceWatch.optional(),
  /**
   * The question that the command has posted. Until it has a row of its own, this one answers for
   * it, and after that, it tells that there is nothing to ask again.
   */
  asked: z
    .object({
      id: z.string(),
      text: z.string(),
      addressed: z.enum(['mention', 'direct', 'overheard']),
      thread: ThreadAddress,
    })
    .optional(),
});
export type CommandRecord = z.infer<typeof CommandRecord>;

/** A command, and what an interaction tells of who gave it where. */
export interface GivenCommand {
  command: string;
  action?: string;
  context: Giver;
}

export interface Giver {
  platform: string;
  workspace: string;
  channel: string;
  requester: Pick<Author, 'id' | 'name'>;
  locale: string;
  timeZone?: string;
}

export function toRecord({ command, action, context }: GivenCommand): CommandRecord {
  const { platform, workspace, channel, requester, locale, timeZone } = context;
  const { id, name } = requester;
  const who = { requester: { id, name }, locale, timeZone };
  return { command, action, platform, workspace, channel, ...who };
}

/**
 * A running command's row. Nothing rejects: failures are logged. The command waits for the store
 * only for a moment.
 */
export interface CommandEntry {
  readonly record: CommandRecord;
  /** Stores the row before the command has an effect. */
  save(): Promise<void>;
  /** Adds what was found out about who gave the command where. */
  complete(given: GivenCommand): Promise<void>;
  /** Adds what the command watches now. */
  watch(watch: SourceWatch): Promise<void>;
  /** Adds the question that the command has posted. */
  asked(message: IncomingMessage): Promise<void>;
  /** Adds where its result stands. */
  shownIn(shown: NonNullable<CommandRecord['shown']>): Promise<void>;
  /** The process stops: `end` leaves the row to the next one. */
  leave(): void;
  /**
   * Ends the row. If the last result was not shown, a process that stops leaves the row to the next
   * one.
   */
  end(isShown?: boolean): Promise<void>;
}
