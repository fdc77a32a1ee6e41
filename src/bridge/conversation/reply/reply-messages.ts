import { withoutTurns } from '../../../shared/primitives/text.ts';
import { monotonicMs } from '../../../shared/primitives/time.ts';
import type { Texts } from '../../texts/texts.ts';
import { isRefusal } from '../errors.ts';
import { type MessageContent, retryWrite, type SentMessage, type Thread } from '../thread.ts';
import {
  createEditedMessage,
  type GrowingMessage,
  postGrowingMessage,
  removeMessage,
} from './growing-message.ts';
import type { Pacer } from './pacer.ts';
import type { ReplyContents } from './reply-contents.ts';
import { noteLimit } from './write-permits.ts';

/** The messages of a reply, each posted once, even if the platform's response was lost. */
export interface ReplyMessages {
  /** Those that exist, in order. */
  readonly written: readonly GrowingMessage[];
  /**
   * Writes what is different.
   * @throws {PlatformError}
   */
  show(difference: Difference, how: ShowOptions): Promise<void>;
  /**
   * Takes over a message that an earlier run may have posted: even one that the text no longer needs
   * must not keep its stop button.
   * @throws {PlatformError}
   */
  adoptLost(): Promise<void>;
  /**
   * Removes messages that appeared after they had been looked for: a platform may carry out a
   * request long after its response was given up. Resolves at once if no post was uncertain, and
   * those that were replaced are removed.
   * @throws {PlatformError}
   */
  removeLate(): Promise<void>;
  /**
   * Posts the whole text as a file. The reply's note promises it, so temporary failures are retried.
   * @throws {PlatformError}
   */
  attach(whole: string): Promise<void>;
}

/** A message of the reply whose content is out of date. */
export interface Difference {
  index: number;
  /** Undefined if the message should not exist. */
  content: MessageContent | undefined;
  /** Whether this content is final, as far as is known. */
  last: boolean;
}

/** A message that is to be posted. */
type NewMessage = Difference & { content: MessageContent };

interface ShowOptions {
  /** A new message takes the place of the one that exists. */
  isNew: boolean;
  /** Whether a new message may be a stream. */
  mayStream(): boolean;
}

export interface ReplyMessagesOptions {
  thread: Thread;
  texts: Texts;
  /** The turn of the buttons below the reply. */
  turn: string;
  /** The id of the message that is answered. */
  question: string;
  /**
   * Starts the key of each message (`Thread.post`), at most 30 characters. Another reply of the same
   * turn needs another one.
   */
  key: string;
  /** Ids of the messages that an earlier run posted for this reply. */
  posted?: readonly string[];
  /**
   * Whether an earlier run may have posted a message that is not in `posted`, because it died in
   * between. The reply looks for it before its first write.
   */
  resumed?: boolean;
  /**
   * Called with the ids of the reply's messages whenever there is a new one, before anything else
   * is done with it.
   */
  onPosted?: (ids: string[]) => Promise<void>;
  /** Aborted at shutdown: waiting writes are dropped. */
  signal: AbortSignal;
  /** What the messages should show now. */
  contents: Pick<ReplyContents, 'list'>;
}

export function createReplyMessages(options: ReplyMessagesOptions): ReplyMessages {
  const { thread, turn, question, signal } = options;
  const written: GrowingMessage[] = (options.posted ?? []).map((id) =>
    createEditedMessage(thread, thread.message(id)),
  );
  /** The place of a message that may have been posted. */
  let uncertain: number | undefined = options.resumed ? written.length : undefined;
  /** The keys of messages that were looked for and not found. */
  const missing = new Set<string>();
  /** The last message that took the place of one that could not be edited. */
  let replacement: GrowingMessage | undefined;
  /** The removal of messages that were replaced. */
  let removing: Promise<unknown> = Promise.resolve();

  const retried = <Result>(write: () => Promise<Result>) =>
    retryWrite(write, { passing: ['failed'], signal });

  const outlasting = <Result>(task: () => Promise<Result>) =>
    retryWrite(task, { passing: ['failed', 'rate_limited'], signal });

  async function show({ index, content, last }: Difference, how: ShowOptions): Promise<void> {
    const target = written[index];
    if (!content) return removeFrom(index);
    const postAnew = () => post({ index, content, last }, how);
    if (!target) return postAnew();
    if (how.isNew) return replace(target, postAnew);
    try {
      const write = () => target.write(content, last);
      await (last ? retried(write) : write());
    } catch (error) {
      if (!isRefusal(error, 'gone', 'uneditable')) throw error;
      // The text is already visible; only the footer and buttons stay out of date.
      const readable = error.kind === 'uneditable' && content.markdown === target.shown?.markdown;
      if (readable) {
        written[index] = createEditedMessage(thread, thread.message(target.id), content);
        return;
      }
      // Where the new message can't be edited either, the rest waits for the end.
      if (error.kind === 'uneditable' && target === replacement && !last) throw error;
      // One above others stays: without it, the reply would begin with theirs.
      await (index === written.length - 1 ? replace(target, postAnew) : postAnew());
      replacement = written[index];
    }
  }

  /** The old message has only a part of the text; if it can't be removed, it stays as it is. */
  async function replace(target: GrowingMessage, postAnew: () => Promise<void>): Promise<void> {
    await postAnew();
    const removed = outlasting(() => removeMessage(target)).catch(() => {});
    removing = Promise.all([removing, removed]);
  }

  async function post(place: NewMessage, how: ShowOptions): Promise<void> {
    const write = () => postOrFind(place, how);
    await add(place.index, await (place.last ? retried(write) : write()));
  }

  /** Posts the message at `index`, or finds the one that an earlier try left. */
  async function postOrFind({ index, content, last }: NewMessage, { mayStream }: ShowOptions) {
    const lost = await findLost();
    if (lost) return lost.message;
    try {
      return await postGrowingMessage(thread, content, last, {
        key: keyOf(index),
        mayStream,
        async onUncertain() {
          uncertain = index;
          await findLost();
        },
      });
    } catch (error) {
      if (isRefusal(error, 'failed')) uncertain = index;
      throw error;
    }
  }

  /** Looks for a message whose post is uncertain. Resolves at once if no post is. */
  async function findLost(): Promise<{ index: number; message: GrowingMessage } | undefined> {
    if (uncertain === undefined) return undefined;
    const index = uncertain;
    const key = keyOf(index);
    const found = await find(key, options.contents.list(written, false)[index]);
    uncertain = undefined;
    if (!found) missing.add(key);
    return found && { index, message: createEditedMessage(thread, found) };
  }

  async function find(key: string, content?: MessageContent): Promise<SentMessage | undefined> {
    const known = written.map(({ id }) => id);
    return thread.findPosted?.({ key, question, turn, content, known });
  }

  /** A message that takes the place of another one must not be taken for it. */
  function keyOf(index: number): string {
    const replaced = written[index];
    return replaced ? `${replaced.id}.next` : `${options.key}.${index}`;
  }

  async function add(index: number, message: GrowingMessage): Promise<void> {
    written[index] = message;
    await options.onPosted?.(written.map(({ id }) => id));
  }

  async function removeFrom(index: number): Promise<void> {
    await retried(() => removeMessage(written[index]));
    written.splice(index, 1);
  }

  async function removeLate(): Promise<void> {
    for (const key of missing) {
      await removeMessage(await find(key));
      missing.delete(key);
    }
  }

  async function adopt(): Promise<void> {
    const lost = await outlasting(findLost);
    if (lost) await add(lost.index, lost.message);
  }

  let adopting: Promise<void> | undefined;

  return {
    written,
    show,
    async adoptLost() {
      adopting ??= adopt().finally(() => (adopting = undefined));
      await adopting;
    },
    async removeLate() {
      await removing;
      await outlasting(removeLate);
    },
    async attach(whole) {
      const file = { name: 'answer.md', text: withoutTurns(whole) };
      await outlasting(() => thread.postFile(file, `${options.key}.file`, options.texts));
    },
  };
}

/** Longer than a write is waited for: what the platform still carries out has been by then. */
const repeatAfterMs = 60_000;

export interface RepeatOptions {
  /** Whether the messages still belong to this reply, as it ended; asked before each repetition. */
  isCurrent(): Promise<boolean>;
  /** Aborted when the process begins to stop: nothing is repeated any more. */
  signal: AbortSignal;
}

/**
 * Repeats the last edit of messages that may show an older text meanwhile: the platform accepted an
 * edit that was not waited for any longer, and carried it out after the last one. Resolves at once if
 * there are no such messages. The wait does not keep the process running.
 * @throws {PlatformError}
 */
export async function repeatLastEdits(
  written: readonly GrowingMessage[],
  { pacer, isCurrent, signal }: RepeatOptions & { pacer: Pacer },
): Promise<void> {
  const unsure = written.filter((message) => message.isUnsure);
  if (unsure.length === 0) return;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, repeatAfterMs).unref();
  });
  for (const message of unsure) await repeatEdit(message, { pacer, isCurrent, signal });
}

async function repeatEdit(
  message: GrowingMessage,
  { pacer, isCurrent, signal }: RepeatOptions & { pacer: Pacer },
): Promise<void> {
  const budget = message.budget(true);
  for (;;) {
    using _ = await pacer.permit(budget, { urgency: 'interim', since: monotonicMs(), signal });
    if (!(await isCurrent()) || signal.aborted) return;
    try {
      await message.repeat();
      return pacer.accepted(budget);
    } catch (error) {
      if (!isRefusal(error, 'rate_limited')) throw error;
      noteLimit(pacer, budget, error);
    }
  }
}
