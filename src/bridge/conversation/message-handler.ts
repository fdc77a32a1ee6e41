import { createLru } from '../../shared/primitives/cache.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { beginInOrder } from '../../shared/primitives/queue.ts';
import { retry } from '../../shared/primitives/retry.ts';
import { sleep } from '../../shared/primitives/time.ts';
import { languagesFrom, textsFor } from '../texts/texts.ts';
import { channelKey, type ThreadAddress } from './address.ts';
import { createDecide } from './decide.ts';
import { explainError, isExplained, PlatformError } from './errors.ts';
import { asTurn, handled, type InboxRow, laneOf, type TurnRecord } from './inbox/row.ts';
import type { Handler, Work } from './inbox/scheduler.ts';
import type { IncomingMessage } from './platform.ts';
import type { Thread } from './thread.ts';
import type { Tools } from './tools.ts';
import { lookAgain } from './turns/settle.ts';

/** Reading a message looks up names. After so many failures, the thread's next message is read first. */
const maxReads = 4;
const readAgainMs = 1_000;

/** While the thread asks something else, a reply that broke off is not looked for. */
const lookAfterNextMs = 5_000;

/** Handles the rows of messages: reads each, decides what becomes of it, and answers it. */
export function createMessageHandler(tools: Tools): Handler {
  const { inbox, findPlatform, openThread, managers, queue, reading, log } = tools;
  const { spoken, sayWhy, closing } = tools;
  const decide = createDecide(tools);

  /** Reads a message and decides on it, in the thread's order; what follows does not hold it up. */
  async function receive(row: InboxRow, work: Work): Promise<number | void> {
    let ended: Promise<number | void> | undefined;
    await beginInOrder(reading, laneOf(row), async () => {
      await work.ready;
      const task = closing.aborted ? undefined : await readAndDecide(row.id);
      return async () => {
        ended = task?.();
        await ended;
      };
    });
    return ended;
  }

  async function readAndDecide(id: string) {
    // While it waited, it may have been edited or deleted.
    const current = await inbox.get(id);
    if (current?.state !== 'received') return undefined;
    const incoming = await read(current);
    if (!incoming) {
      await inbox.update(id, { ...handled, overheard: true }, ['received']);
      return undefined;
    }
    try {
      const author = await managers.recognize(incoming.thread.address, incoming.author);
      return await decide({ ...incoming, author }, current);
    } catch (error) {
      log.error({ err: error, thread: incoming.thread.address }, 'a message was not answered');
      const isExpected = incoming.addressed !== 'overheard' || error instanceof PlatformError;
      if (isExpected) void sayWhy(incoming, error);
      throw error;
    }
  }

  function read(row: InboxRow): Promise<IncomingMessage | undefined> {
    const { id, platform, event } = row;
    const known = spoken.get(id);
    if (known) return Promise.resolve(known);
    // An edit of it is an event of the platform.
    const { asked } = Object(event) as Partial<StoredMessage>;
    const thread = asked && openThread(asked.thread);
    if (thread) return Promise.resolve({ ...asked, thread });
    return retry(async () => findPlatform(platform)?.read(event, row), {
      waitMs: (_error, failures) => (failures < maxReads ? readAgainMs * failures : undefined),
      sleep,
      signal: closing,
    });
  }

  /** Resolves once the edits that an earlier run left are read: a question is asked as it is now. */
  async function changesRead(row: InboxRow, { ready }: Work): Promise<void> {
    await ready;
    await reading.run(laneOf(row), async () => {});
  }

  /** A command may have had its effect, so it is not run again. */
  async function interrupt(row: TurnRecord): Promise<TurnRecord | undefined> {
    const { commandInterrupted } = textsFor(row.author.locale).thread;
    const ending = { text: commandInterrupted, footer: '', buttons: [] };
    return asTurn(await inbox.update(row.id, { state: 'ending', ending }, ['command']));
  }

  /** Completes a reply that broke off, once the service has it whole. */
  async function complete(row: TurnRecord, thread: Thread, work: Work) {
    await work.ready;
    const turn = asTurn(await inbox.get(row.id));
    if (closing.aborted || !turn?.unsettled || turn.attempt !== row.attempt) return undefined;
    // What the thread is asking may be in the same words.
    const look = queue.hasIn(turn.address)
      ? { isWhole: false, nextMs: lookAfterNextMs }
      : await lookAgain(turn, { tools, signal: closing });
    if (look.nextMs !== undefined) {
      const dueAt = Date.now() + look.nextMs;
      await inbox.update(turn.id, { attempts: turn.attempts + 1, dueAt }, ['ended']);
      return dueAt;
    }
    const known = await inbox.get(turn.id);
    // Somebody may have tried again, or deleted the question.
    if (!known?.unsettled || known.attempt !== turn.attempt) return undefined;
    const state = look.isWhole ? 'showing' : 'ended';
    const changed = await inbox.update(turn.id, { state, unsettled: undefined }, ['ended']);
    const next = asTurn(changed);
    return next?.state === 'showing' ? queue.run(next, thread, work) : undefined;
  }

  return async (row, work) => {
    if (row.state === 'received') return receive(row, work);
    const turn = asTurn(row);
    const thread = turn && openThread(turn.address);
    if (!thread) throw new Error('The thread of a stored turn is unknown.');
    if (row.state === 'ended') return complete(turn, thread, work);
    if (row.state === 'accepted' && !work.isFresh) {
      return queue.run(turn, thread, { ...work, ready: changesRead(row, work) });
    }
    if (row.state !== 'command') return queue.run(turn, thread, work);
    await work.ready;
    const interrupted = closing.aborted ? undefined : await interrupt(turn);
    return interrupted && queue.run(interrupted, thread, work);
  };
}

/** A message that no platform delivers, as it is stored until it is decided on. */
export interface StoredMessage {
  asked: Pick<IncomingMessage, 'id' | 'author' | 'text' | 'addressed'> & { thread: ThreadAddress };
}

const notice = (why: string) => `⚠️ ${why}`;

/** Whether a text only tells somebody, in any language, that their message is tried again. */
export function saysLater(text: string): boolean {
  return languagesFrom().some(({ failures }) => text === notice(failures.later));
}

/** Tells the authors of messages that something went wrong, each once. */
export function createSayWhy(log: Log, signal: AbortSignal) {
  const told = createLru<true>(1_000);
  return async ({ id, thread, author }: IncomingMessage, error: unknown): Promise<void> => {
    const key = `${channelKey(thread.address)}:${id}`;
    if (signal.aborted || told.has(key) || author.bot) return;
    told.set(key, true);
    const texts = textsFor(author.locale);
    const why = isExplained(error) ? explainError(error, texts) : texts.failures.later;
    try {
      await thread.post({ markdown: notice(why) });
    } catch (again) {
      log.error({ err: again }, 'the failure could not be posted to the thread');
    }
  };
}
