import { beginInOrder } from '../../shared/primitives/queue.ts';
import { offerAgain } from './ask-again.ts';
import { endRetry } from './buttons.ts';
import {
  asTurn,
  handled,
  type InboxRow,
  isForNobody,
  isLeftOpen,
  toReceivedRow,
  type TurnRecord,
  turnId,
  laneOf,
} from './inbox/row.ts';
import type { Handler, Work } from './inbox/scheduler.ts';
import type { Edit, IncomingMessage } from './platform.ts';
import type { Thread } from './thread.ts';
import type { Tools } from './tools.ts';
import { withHeard } from './turns/take-attachments.ts';

/**
 * A mention that is added to an older message is ignored. Rows of answers are kept for 30 days, so a
 * younger message without a row was never answered.
 */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

/** A message may come later than its edit: Slack repeats for six minutes what was not acknowledged. */
const maxLateMs = 10 * 60 * 1000;

/** What the row of an edit holds. */
export type StoredEdit = Pick<Edit, 'event' | 'sentAt' | 'isOverheard' | 'version'>;

/** Handles the rows of edits and deletions of messages. */
export function createChangeHandlers(tools: Tools): Record<'edit' | 'removal', Handler> {
  const { inbox, scheduler, findPlatform, openThread, managers, queue, reading } = tools;
  const { sessions, handOver, talk, access, log, closing } = tools;

  const end = ({ id }: InboxRow) => inbox.update(id, handled);

  async function edit(row: InboxRow, { ready }: Work): Promise<void> {
    await beginInOrder(reading, laneOf(row), async () => {
      await ready;
      if (!closing.aborted) await applyEdit(row);
      return () => undefined;
    });
  }

  async function applyEdit(row: InboxRow): Promise<void> {
    if (!row.event) return void (await end(row));
    const { event, sentAt, isOverheard, version } = row.event as StoredEdit;
    const id = turnId(row, row.messageId);
    const known = await inbox.get(id);
    const isOutdated = known?.edition !== undefined && known.edition > version;
    if (isOutdated) return void (await end(row));
    const ageMs = Date.now() - sentAt;
    const isForUs = !isOverheard && ageMs < maxAgeMs;
    // It is read as it is now.
    const isUnread = known?.state === 'received';
    const isOthers = known !== undefined && isForNobody(known);
    if (isUnread) await inbox.update(id, { event }, ['received']);
    else if (isForUs && isOthers) await askAnew(known, event);
    else if (!known && (isForUs || ageMs < maxLateMs)) await ask(row, event, isOverheard);
    else if (known && !isOthers) await change(known, event);
    else await correct(row, event);
    await inbox.update(id, { edition: version });
    await end(row);
  }

  /** The message is handled as it is now: the edit mentions the bot, or came before the message. */
  async function ask(row: InboxRow, event: unknown, overheard: boolean): Promise<void> {
    const { platform, workspace, channel, messageId, thread } = row;
    const message = { platform, workspace, channel, id: messageId };
    const asked = { ...toReceivedRow(message, event), thread, overheard };
    if (await scheduler.insert(asked)) void scheduler.take(asked);
    // It has arrived meanwhile.
    else await inbox.update(asked.id, { event }, ['received']);
  }

  async function askAnew({ id, attempt }: InboxRow, event: unknown): Promise<void> {
    // A question left open may have been asked with a key and different words.
    const anew = { event, overheard: false, dueAt: Date.now(), attempt: attempt + 1 };
    const change = { ...anew, edited: undefined, state: 'received' } as const;
    const isChanged = await inbox.update(id, change, ['handled']);
    if (isChanged) void scheduler.takeAgain(id);
  }

  /**
   * Asks the edited question, if it has not been asked yet. Otherwise offers to ask it again, if it
   * belongs to the thread's last turn or a running one.
   */
  async function change(known: InboxRow, event: unknown): Promise<void> {
    const incoming = await findPlatform(known.platform)?.read(event, known);
    if (!incoming) return;
    const turn = asTurn(known);
    // A question that was left open counts as said among people.
    if (!turn || isLeftOpen(turn)) await talk.correct(known.id, incoming.text);
    if (!turn) return;
    const author = await managers.recognize(incoming.thread.address, incoming.author);
    const refusal = await access.refusal(incoming.thread.address, author, 'ask');
    if (!incoming.command && !refusal) await offer(turn, incoming);
  }

  async function offer(turn: TurnRecord, { thread, addressed, text }: IncomingMessage) {
    const { id, query, heard, edited = query, editNote } = turn;
    const words = withHeard(text, heard);
    // An earlier try may have stored the words, and not have posted the note.
    const isOffered = turn.edited === undefined || editNote !== undefined;
    if ((edited === words && isOffered) || words.trim() === '') return;
    const toQuery = (row: InboxRow) => ({ query: withHeard(text, row.heard) });
    if (await inbox.update(id, toQuery, ['accepted'])) return;
    const toEdited = (row: InboxRow) => ({ edited: withHeard(text, row.heard) });
    // It has a button that asks it.
    if (await inbox.update(id, toEdited, wasNeverSent)) return;
    // Nothing is shown while the service may not be sure. Once it is, the turn offers it.
    const isUnasked = ({ quiet, state }: InboxRow) =>
      quiet === 'unasked' &&
      addressed === 'overheard' &&
      (state === 'asking' || state === 'handled');
    if (await inbox.update(id, toEdited, isUnasked)) return talk.correct(id, text);
    if (!(await isCurrent(turn, thread))) return;
    await inbox.update(id, toEdited);
    if (editNote === undefined) await offerAgain(turn, thread, inbox);
  }

  async function isCurrent({ id, state, query, event }: TurnRecord, { address }: Thread) {
    const lastTurn = (await sessions.find(address))?.lastTurn;
    // A mention without words was greeted, and nothing has been asked there.
    const isGreeted = state === 'ended' && query === '' && event === undefined;
    const isFirst = lastTurn === undefined && isGreeted;
    if (!queue.find(id) && lastTurn !== id && !isFirst) return false;
    return !(await handOver.active(address));
  }

  /** What people said to each other. */
  async function correct(row: InboxRow, event: unknown): Promise<void> {
    const incoming = await findPlatform(row.platform)?.read(event, row);
    if (incoming) await talk.correct(turnId(row, row.messageId), incoming.text);
  }

  /** Stops the answer, or keeps it from being begun. */
  async function removal(row: InboxRow): Promise<void> {
    const { platform, workspace, channel, messageId } = row;
    const id = turnId(row, messageId);
    const gone = { removed: true, unsettled: undefined } as const;
    const dropped = { ...gone, ...handled };
    const drop = async () =>
      (await inbox.update(id, dropped, ['received', 'accepted'])) ?? (await inbox.update(id, gone));
    const message = { platform, workspace, channel, id: messageId };
    let known = await drop();
    // The deletion may arrive before the message, or together with it.
    if (!known && !(await inbox.insert({ ...toReceivedRow(message), ...dropped }))) {
      known = await drop();
    }
    queue.abort(id, { kind: 'removed' });
    // Behind what is being recorded of the message itself.
    await reading.run(laneOf({ ...row, thread: known?.thread }), () => talk.correct(id, ''));
    // The buttons of a reply that is being written end with it.
    const turn = asTurn(known);
    const posted = turn?.state === 'ended' ? turn.posted : [];
    const whyNot = 'a button of a deleted question was not removed';
    if (turn) await endRetry({ ...turn, posted }, { openThread, log, whyNot });
    await end(row);
  }

  return { edit, removal };
}

function wasNeverSent({ state, sentAt, query }: InboxRow): boolean {
  return state === 'ended' && sentAt === undefined && query !== '';
}
