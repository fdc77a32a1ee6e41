import { randomUUID } from 'node:crypto';
import { createLru } from '../../shared/primitives/cache.ts';
import { createQueue } from '../../shared/primitives/queue.ts';
import { retry } from '../../shared/primitives/retry.ts';
import { inTime, monotonicMs, sleep } from '../../shared/primitives/time.ts';
import { textsFor } from '../texts/texts.ts';
import {
  channelKey,
  type MessageAddress,
  messageKey,
  shortId,
  type ThreadAddress,
} from './address.ts';
import { explainError, StoppedError } from './errors.ts';
import {
  handled,
  type InboxRow,
  isForNobody,
  toAddress,
  toReceivedRow,
  toRow,
} from './inbox/row.ts';
import type { StoredEdit } from './changes.ts';
import type { StoredMessage } from './message-handler.ts';
import type { Author, ButtonPress, Delivery, Edit, IncomingMessage, Receiver } from './platform.ts';
import type { Tools } from './tools.ts';

/** Stores what happens on the platforms, and has it worked on. */
export type Intake = Omit<Receiver, 'joined' | 'left'>;

interface IntakeTools extends Tools {
  /** Does what a button is for. */
  press(press: ButtonPress, row: string): Promise<string | undefined>;
  stop(thread: ThreadAddress, by: Author): Promise<void>;
}

/** How long inserting a row is retried: Slack waits three seconds before it delivers an event again. */
const maxInsertMs = 2_000;
const insertAgainMs = 250;
/** After this time, what a person did is done before it is stored. */
const maxStoringMs = 1_000;

export function createIntake(tools: IntakeTools): Intake {
  const { inbox, access, scheduler, findPlatform, spoken, press, stop, sayWhy } = tools;
  const { log, closing } = tools;
  /** The messages whose author is being told that they can't be stored. */
  const told = createLru<true>(1_000);
  const inserting = createQueue();

  /**
   * Inserts a row after those of its channel that came before it, and works on it unless the process
   * stops. Resolves with whether it is new.
   */
  async function accept(row: InboxRow): Promise<boolean> {
    const lastTryAt = monotonicMs() + maxInsertMs - insertAgainMs;
    const waitMs = () => (monotonicMs() < lastTryAt ? insertAgainMs : undefined);
    const insert = () => retry(() => scheduler.insert(row), { waitMs, sleep });
    const isNew = await inserting.run(channelKey(row), insert);
    if (isNew && !closing.aborted) void scheduler.take(row);
    return isNew;
  }

  /** Of other bots, only those are heard that may ask. */
  async function isHeard({ bot, isOverheard, ...place }: Delivery): Promise<boolean> {
    const author = { id: '', name: '', isManager: false, bot };
    if (!bot || !(await access.refusal(place, author, 'ask'))) return true;
    if (!isOverheard) {
      log.info({ platform: place.platform, bot }, 'a bot that may not ask mentioned this bot');
    }
    return false;
  }

  async function received(delivery: Delivery): Promise<void> {
    if (!(await isHeard(delivery))) return;
    const { event, thread, isOverheard: overheard, isMissed: missed } = delivery;
    const row = { ...toReceivedRow(delivery, event), thread, overheard, missed };
    try {
      if (await accept(row)) return;
      if (!overheard && (await reopen(row))) void scheduler.takeAgain(row.id);
    } catch (error) {
      void tellAuthor(delivery, row.id, error);
      throw error;
    }
  }

  /** Slack delivers a mention as two events, and the first may not say that it is one. */
  async function reopen({ id, event }: InboxRow): Promise<boolean> {
    const change = { state: 'received', event, overheard: false, dueAt: Date.now() } as const;
    const changed = await inbox.update(id, change, isForNobody);
    return changed !== undefined && !closing.aborted;
  }

  /** The message could not be stored: if it was meant for us, its author is told once. */
  async function tellAuthor(delivery: Delivery, id: string, error: unknown): Promise<void> {
    const { platform, channel, event, isOverheard } = delivery;
    log.error({ err: error, channel }, 'a message could not be stored');
    if (isOverheard || told.has(id)) return;
    told.set(id, true);
    const incoming = await findPlatform(platform)
      ?.read(event, delivery)
      .catch(() => undefined);
    if (incoming) await sayWhy(incoming, error);
  }

  async function message(incoming: IncomingMessage): Promise<void> {
    if (closing.aborted) return sayWhy(incoming, new StoppedError({ kind: 'restart' }));
    const { id, author, text, addressed, thread } = incoming;
    const { address } = thread;
    const stored: StoredMessage = { asked: { id, author, text, addressed, thread: address } };
    const row = toReceivedRow(toAddress(incoming), stored);
    const overheard = addressed === 'overheard';
    const asked = { ...row, thread: address.thread, overheard, isOurs: true };
    try {
      spoken.set(row.id, incoming);
      const isNew = await scheduler.insert(asked);
      if (isNew) await scheduler.take(asked);
      else if (!overheard && (await reopen(asked))) await scheduler.takeAgain(row.id);
    } catch (error) {
      log.error({ err: error, thread: address }, 'a question could not be stored');
      if (!overheard) await sayWhy(incoming, error);
    } finally {
      spoken.delete(row.id);
    }
  }

  async function edited(edit: Edit): Promise<void> {
    const { event, sentAt, thread, isOverheard, version } = edit;
    const content: StoredEdit = { event, sentAt, isOverheard, version };
    await accept({ ...rowOf('edit', edit, content, `edit ${version}`), thread });
  }

  async function removed(gone: MessageAddress): Promise<void> {
    await accept(rowOf('removal', gone));
  }

  /**
   * Stores what a person did. While the store fails or takes long, it is done all the same: the platform
   * waits for a few seconds only.
   */
  async function store(row: InboxRow): Promise<boolean> {
    const { kind } = row;
    const storing = scheduler.insert(row);
    try {
      const isNew = await inTime(storing, maxStoringMs, sleep);
      if (isNew !== undefined) return isNew;
      log.error({ kind }, 'a person’s action runs before it is stored: the store is slow');
      void storing.then(() => end(row)).catch(() => {});
    } catch (error) {
      log.error({ err: error, kind }, 'a person’s action could not be stored');
    }
    return true;
  }

  async function end({ id }: InboxRow): Promise<void> {
    try {
      await inbox.update(id, handled);
    } catch (error) {
      log.error({ err: error, row: id }, 'the end of a row could not be stored');
    }
    scheduler.release(id);
  }

  async function answerTo(pressed: ButtonPress, row: InboxRow): Promise<string | undefined> {
    const texts = textsFor(pressed.by.locale);
    try {
      return await press(pressed, row.id);
    } catch (error) {
      log.error({ err: error, turn: pressed.turn }, 'a button did not work');
      return `⚠️ ${explainError(error, texts)}`;
    } finally {
      await end(row);
    }
  }

  return {
    received,
    message,
    edited,
    removed,
    async pressed(pressed) {
      const { place, by, id = randomUUID() } = pressed;
      if (closing.aborted) {
        const why = explainError(new StoppedError({ kind: 'restart' }), textsFor(by.locale));
        return { answer: Promise.resolve(why) };
      }
      const row = rowOf('press', { ...place, id }, pressed);
      const isNew = await store(row);
      const answer = isNew ? scheduler.within(row, () => answerTo(pressed, row)) : undefined;
      // Another process has what the button is about, and tells the person.
      if (isNew && !answer) void scheduler.take(row);
      return { answer: answer ?? Promise.resolve(undefined) };
    },
    async stopped(thread, by) {
      const row = rowOf('stop', { ...thread, id: randomUUID() }, { thread, by });
      if (closing.aborted || !(await store(row))) return;
      const stopped = scheduler.within(row, () => stop(thread, by));
      if (!stopped) return void scheduler.take(row);
      stopped
        .catch((error: unknown) => log.error({ err: error, thread }, 'a stop did not work'))
        .finally(() => void end(row));
    },
  };
}

/**
 * The row of what happened to a message: the same id each time.
 * @param what tells it from others of its kind
 */
function rowOf(
  kind: InboxRow['kind'],
  message: MessageAddress,
  event?: unknown,
  what: string = kind,
): InboxRow {
  return toRow({ kind, id: shortId(`${messageKey(message, message.id)} ${what}`), message, event });
}
