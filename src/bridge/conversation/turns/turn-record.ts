import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  type Channel,
  messageKey,
  type MessageAddress,
  type ThreadAddress,
  addressKey,
} from '../address.ts';
import type { Author, IncomingMessage } from '../platform.ts';
import type { ButtonAction } from '../thread.ts';
import type { Ending } from '../reply/reply-contents.ts';
import { keepTrying } from '../../../shared/primitives/retry.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Sessions } from '../sessions.ts';

/** How far a message is handled; docs/decisions/0005-turns.md explains each state. */
export const turnStates = [
  'received',
  'command',
  'accepted',
  'asking',
  'showing',
  'ending',
  'ended',
  'handled',
] as const;
export type TurnState = (typeof turnStates)[number];

/** A `ThreadAddress` as it is stored. */
export const StoredAddress = z.object({
  platform: z.string(),
  workspace: z.string(),
  channel: z.string(),
  thread: z.string(),
});

const person = z.object({ id: z.string(), name: z.string(), locale: z.string().optional() });

const button = z.object({
  action: z.string() as unknown as z.ZodType<ButtonAction>,
  label: z.string(),
  turn: z.string(),
});

const source = z.object({
  marker: z.string(),
  title: z.string(),
  quote: z.string(),
  url: z.string().optional(),
});

/** A stored message; what is known of it depends on its state. */
export const TurnRow = z.object({
  id: z.string(),
  state: z.enum(turnStates),
  platform: z.string(),
  workspace: z.string(),
  channel: z.string(),
  messageId: z.string(),
  /** While `received`: the event as the platform sent it. */
  event: z.unknown().optional(),
  address: StoredAddress.optional(),
  author: person.optional(),
  query: z.string().optional(),
  /** The question as it was edited after the query had been sent. */
  edited: z.string().optional(),
  /** What people said in the thread during the hand-over before, one line each. */
  context: z.string().optional(),
  /** Counts how often the question was asked again. */
  attempt: z.number(),
  session: z.string().optional(),
  /** The newest message in the session before the query was sent; empty if there was none. */
  after: z.string().optional(),
  /** The ids of the reply's messages, in order. */
  posted: z.array(z.string()),
  /** While `ending`: what to show. */
  ending: z
    .object({
      text: z.string(),
      footer: z.string(),
      buttons: z.array(button),
      markers: z.array(z.string()).optional(),
    })
    .optional(),
  /** The reply's message at the service. */
  answer: z.string().optional(),
  /** The cited sources, in the order of the footnotes. */
  sources: z.array(source).optional(),
  /** The reply broke off, and the service has not said yet whether it has it whole. */
  unsettled: z.boolean().optional(),
  /** Readers' feedback, by user id. */
  feedback: z.record(z.string(), z.enum(['helpful', 'unhelpful'])).optional(),
  /** The message that offers to answer the edited question. */
  editNote: z.string().optional(),
});
export type TurnRow = z.infer<typeof TurnRow>;

/** A query and its reply. */
export type TurnRecord = TurnRow & Required<Pick<TurnRow, 'address' | 'author' | 'query'>>;

export type Feedback = NonNullable<TurnRow['feedback']>[string];

/** A row as a turn; undefined if the message is not a question, or not yet known to be one. */
export function asTurn(row: TurnRow | undefined): TurnRecord | undefined {
  const isTurn = row?.address && row.author && row.query !== undefined;
  return isTurn ? (row as TurnRecord) : undefined;
}

/** The id of a turn: derived from its message, and short enough for a button. */
export function turnId(channel: Channel, messageId: string): string {
  return createHash('sha256')
    .update(messageKey(channel, messageId))
    .digest('base64url')
    .slice(0, 22);
}

/** The row of a message that has not been read yet. */
export function toReceivedRow(message: MessageAddress, event?: unknown): TurnRow {
  const { platform, workspace, channel, id: messageId } = message;
  const id = turnId(message, messageId);
  const place = { platform, workspace, channel, messageId };
  return { id, state: 'received', ...place, event, attempt: 0, posted: [] };
}

/** What identifies a message. */
export function toAddress({ id, thread }: IncomingMessage): MessageAddress {
  const { platform, workspace, channel } = thread.address;
  return { platform, workspace, channel, id };
}

/** What a message that is for us adds to its row; its event is no longer needed. */
export function toTurn({ author, text, thread }: IncomingMessage) {
  const { id, name, locale }: Author = author;
  return {
    event: undefined,
    address: thread.address,
    author: { id, name, locale },
    query: text,
  };
}

/** An ending as it is stored. */
export function toStoredEnding({ markers, ...ending }: Ending): NonNullable<TurnRow['ending']> {
  return { ...ending, buttons: [...ending.buttons], markers: markers && [...markers] };
}

/** A stored ending as the reply takes it. */
export function fromStoredEnding(stored: NonNullable<TurnRow['ending']>): Ending {
  const { markers, ...ending } = stored;
  return markers ? { ...ending, markers: new Set(markers) } : ending;
}

/**
 * The messages that platforms delivered, and the turns that follow from them. Rows that have ended
 * expire. Every method rejects when the store is down.
 */
export interface TurnStore {
  /** Inserts a row; false if its message is known. */
  insert(row: TurnRow): Promise<boolean>;
  /** The row; undefined if there is none, or if it can't be read. */
  get(id: string): Promise<TurnRow | undefined>;
  /**
   * Changes a row, if it is in one of these states. Resolves with the new row, or undefined if
   * nothing was changed.
   */
  update(
    id: string,
    change: Partial<TurnRow>,
    from?: readonly TurnState[],
  ): Promise<TurnRow | undefined>;
  delete(id: string): Promise<void>;
  /** Whether a question was asked in a thread. */
  hasTurnIn(thread: ThreadAddress): Promise<boolean>;
  /**
   * The rows to continue after a restart, in order of arrival; those that can't be read are set
   * aside. Not ended, or `unsettled`.
   */
  unfinished(): Promise<{ rows: TurnRow[]; unreadable: string[] }>;
}

/** The states of a turn that has not ended. */
export const unfinished: readonly TurnState[] = [
  'command',
  'accepted',
  'asking',
  'showing',
  'ending',
];

/**
 * Stores the steps of turns that are under way. While the store fails, they go on all the same: what
 * could not be stored is stored with a later step. Never rejects.
 */
export interface TurnSteps {
  /** Resolves with the changed turn, even if the change could not be stored. */
  store(
    turn: TurnRecord,
    change: Partial<TurnRow>,
    from: readonly TurnState[],
  ): Promise<TurnRecord>;
  /** Stores the last step, again and again while that fails. Resolves after the first try. */
  end(turn: TurnRecord, change: Partial<TurnRow>): Promise<void>;
  /** Resolves once the thread's ended turns are stored as such. */
  ended(thread: ThreadAddress): Promise<void>;
}

/** @param options.closing ends the tries to store a last step */
export function createTurnSteps(options: {
  turns: TurnStore;
  sessions: Pick<Sessions, 'remember'>;
  closing: AbortSignal;
  log: Log;
}): TurnSteps {
  const { turns, sessions, closing, log } = options;
  /** What is still to be stored, by turn. */
  const missing = new Map<string, Partial<TurnRow>>();
  /** The last steps that are still to be stored, by thread. */
  const ending = new Map<string, Promise<unknown>>();

  async function write({ id }: TurnRecord, change: Partial<TurnRow>, from: readonly TurnState[]) {
    const before = missing.get(id);
    const changed = await turns.update(id, { ...before, ...change }, from);
    if (changed && missing.get(id) === before) missing.delete(id);
    return asTurn(changed);
  }

  async function writeEnd(turn: TurnRecord, change: Partial<TurnRow>): Promise<void> {
    const { id, address, session, answer } = turn;
    if (session !== undefined) {
      await sessions.remember(address, { session, turn: id, message: answer });
    }
    await write(turn, change, unfinished);
    missing.delete(id);
  }

  function logFailure(turn: TurnRecord, error: unknown): void {
    log.error({ err: error, turn: turn.id }, 'a step of a turn was not stored');
  }

  return {
    async store(turn, change, from) {
      try {
        return (await write(turn, change, from)) ?? turn;
      } catch (error) {
        logFailure(turn, error);
        const { state: _state, ...fields } = change;
        missing.set(turn.id, { ...missing.get(turn.id), ...fields });
        const known = await turns.get(turn.id).catch(() => undefined);
        return { ...turn, ...known, ...missing.get(turn.id), ...change };
      }
    },
    async end(turn, change) {
      const key = addressKey(turn.address);
      const { tried, done } = keepTrying(() => writeEnd(turn, change), {
        signal: closing,
        onFirstFailure: (error) => logFailure(turn, error),
      });
      const all = Promise.all([ending.get(key), done]);
      ending.set(key, all);
      void all.finally(() => {
        if (ending.get(key) === all) ending.delete(key);
      });
      await tried;
    },
    async ended(thread) {
      await ending.get(addressKey(thread));
    },
  };
}
