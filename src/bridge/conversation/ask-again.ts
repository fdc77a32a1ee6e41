import { textsFor } from '../texts/texts.ts';
import { retryButtons } from './buttons.ts';
import type { Inbox } from './inbox/inbox.ts';
import { asTurn, type InboxRow, isLeftOpen, toPerson, type TurnRecord } from './inbox/row.ts';
import type { Author } from './platform.ts';
import type { Thread } from './thread.ts';
import type { Tools } from './tools.ts';

/**
 * Asks a question once more on behalf of a press, by its row: once, however often it is repeated. Resolves
 * when that is stored.
 */
type AskAgain = (record: TurnRecord, press: string, taughtBy?: Author) => Promise<void>;

export function createAskAgain({ inbox, scheduler, openThread }: Tools): AskAgain {
  async function askAgain(record: TurnRecord, press: string, taughtBy?: Author): Promise<void> {
    if (record.askedBy === press || record.removed) return;
    if (record.event !== undefined) return runOffered(record, press);
    const thread = openThread(record.address);
    const now = Date.now();
    const anew: Partial<InboxRow> = {
      state: 'accepted',
      attempt: record.attempt + 1,
      query: record.edited ?? record.query,
      askedAt: now,
      dueAt: now,
      askedBy: press,
      quiet: undefined,
      taughtBy: taughtBy && toPerson(taughtBy),
      edited: undefined,
      editNote: undefined,
      posted: [],
      feedback: {},
      remarks: {},
      documents: undefined,
      session: undefined,
      key: undefined,
      continued: undefined,
      sentAt: undefined,
      after: undefined,
      answer: undefined,
      unsettled: undefined,
      sources: undefined,
    };
    const isOver = (row: InboxRow) => row.state === 'ended' || isLeftOpen(row);
    const turn = thread && asTurn(await inbox.update(record.id, anew, isOver));
    if (turn) void scheduler.take(turn);
  }

  /** A command that was given while the bot was away. */
  async function runOffered({ id }: TurnRecord, press: string): Promise<void> {
    const now = Date.now();
    const times = { askedAt: now, dueAt: now };
    const change: Partial<InboxRow> = {
      state: 'received',
      missed: false,
      askedBy: press,
      posted: [],
      ...times,
    };
    if (await inbox.update(id, change, ['ended'])) void scheduler.takeAgain(id);
  }

  return askAgain;
}

/** Offers to ask a question again, because it was edited after it had been asked. */
export async function offerAgain(
  turn: TurnRecord,
  thread: Thread,
  inbox: Pick<Inbox, 'update'>,
): Promise<void> {
  const { id, messageId: question, posted: known } = turn;
  const texts = textsFor(turn.author.locale);
  const buttons = retryButtons(turn, texts, 'answerAgain');
  const content = { markdown: texts.thread.questionEdited, buttons };
  const key = `${id}.${turn.attempt}.edit`;
  const isRepeated = turn.edited !== undefined;
  const lost =
    isRepeated && (await thread.findPosted?.({ key, question, turn: key, content, known }));
  const note = lost || (await thread.post(content, key));
  await inbox.update(id, { editNote: note.id });
}
