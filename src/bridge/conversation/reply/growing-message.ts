import { monotonicMs } from '../../../shared/primitives/time.ts';
import { closeMarkdown } from '../markdown/close-markdown.ts';
import { isRefusal } from '../errors.ts';
import type {
  MessageContent,
  MessageStream,
  SentMessage,
  Thread,
  WriteBudget,
  Button,
} from '../thread.ts';

/** A message of a reply, rewritten until it shows the final text. */
export interface GrowingMessage {
  readonly id: string;
  /** What it shows now. */
  readonly shown: MessageContent | undefined;
  /** Whether it only appends: then it must get unfinished Markdown as it is, not closed. */
  readonly appends: boolean;
  /** The budget of its next write. */
  budget(last: boolean): WriteBudget;
  /**
   * Shows the content; `last` says whether it is final, as far as is known.
   * @throws {PlatformError}
   */
  write(content: MessageContent, last: boolean): Promise<void>;
  /** Whether an edit that got no answer may still be carried out, and would show something else. */
  readonly isUnsure: boolean;
  /**
   * Shows once more what it shows.
   * @throws {PlatformError}
   */
  repeat(): Promise<void>;
  remove(): Promise<void>;
}

interface PostOptions {
  key?: string;
  mayStream?(): boolean;
  onUncertain?(): Promise<unknown>;
}

/** A message that exists, edited in place. */
export function createEditedMessage(
  thread: Thread,
  message: SentMessage,
  shown?: MessageContent,
): GrowingMessage {
  let now = shown;
  /** What edits show that got no answer. */
  const unanswered: MessageContent[] = [];

  async function edit(content: MessageContent): Promise<void> {
    try {
      await message.edit(content);
    } catch (error) {
      const isKnown = unanswered.some((other) => showsSame(other, content));
      if (isRefusal(error, 'failed') && !isKnown) unanswered.push(content);
      throw error;
    }
    now = content;
  }

  return {
    id: message.id,
    get shown() {
      return now;
    },
    appends: false,
    budget: () => thread.budgets.edit,
    write: (content) => edit(content),
    get isUnsure() {
      return unanswered.some((content) => !showsSame(content, now));
    },
    async repeat() {
      if (now) await edit(now);
    },
    remove: () => message.remove(),
  };
}

/**
 * Posts a message: a streaming one if the thread supports it and `mayStream` lets it; otherwise, or
 * if the platform refuses, one that is edited in place. `onUncertain` is called if a stream may have
 * been opened although its response was lost.
 * @throws {PlatformError}
 */
export async function postGrowingMessage(
  thread: Thread,
  content: MessageContent,
  last: boolean,
  { key, mayStream, onUncertain }: PostOptions = {},
): Promise<GrowingMessage> {
  if (thread.openStream && !last && (mayStream?.() ?? true)) {
    try {
      const stream = await thread.openStream(content.markdown, key);
      return createStreamedMessage(thread, stream, content);
    } catch (error) {
      if (isRefusal(error, 'forbidden')) throw error;
      if (isRefusal(error, 'failed')) await onUncertain?.();
    }
  }
  const closed = last ? content : { ...content, markdown: closeMarkdown(content.markdown) };
  return createEditedMessage(thread, await thread.post(closed, key), closed);
}

/**
 * A message that grows by appending. Its stream ends with the last text, shortly before the
 * platform would end it, or when the text no longer starts with what is shown; from then on the
 * message is edited in place.
 */
function createStreamedMessage(
  thread: Thread,
  stream: MessageStream,
  first: MessageContent,
): GrowingMessage {
  const edited = createEditedMessage(thread, stream.message);
  const openUntil = monotonicMs() + stream.lastsMs;
  let shown = first;
  let open = true;
  /** Whether the message shows `shown`, and nothing twice. */
  let certain = true;

  const goesOn = (content: MessageContent, last: boolean) =>
    !last && monotonicMs() < openUntil && content.markdown.startsWith(shown.markdown);

  async function endWith(content: MessageContent): Promise<void> {
    const continues = certain && content.markdown.startsWith(shown.markdown);
    const markdown = continues ? content.markdown.slice(shown.markdown.length) : '';
    open = false;
    try {
      await stream.finish({ ...content, markdown });
    } catch (error) {
      // The stream may still be open and must be ended: the caller retries.
      if (isRefusal(error, 'rate_limited', 'refused', 'failed')) {
        open = true;
        throw error;
      }
      await edited.write(content, true);
      return;
    }
    if (!continues) await edited.write(content, true);
  }

  async function append(content: MessageContent): Promise<void> {
    try {
      await stream.append(content.markdown.slice(shown.markdown.length));
    } catch (error) {
      if (isRefusal(error, 'rate_limited')) throw error;
      certain = !isRefusal(error, 'failed');
      await endWith(content);
    }
  }

  return {
    id: stream.message.id,
    get shown() {
      return shown;
    },
    get appends() {
      return open;
    },
    budget(last) {
      if (!open) return edited.budget(last);
      return last ? stream.budgets.finish : stream.budgets.append;
    },
    async write(content, last) {
      if (!open) await edited.write(content, last);
      else if (goesOn(content, last)) await append(content);
      else await endWith(content);
      shown = content;
    },
    get isUnsure() {
      return edited.isUnsure;
    },
    repeat: () => edited.repeat(),
    remove: () => edited.remove(),
  };
}

/**
 * Removes a message, if it is still there.
 * @throws {PlatformError}
 */
export async function removeMessage(message: Pick<SentMessage, 'remove'> | undefined) {
  await message?.remove().catch((error: unknown) => {
    if (!isRefusal(error, 'gone')) throw error;
  });
}

/** Whether a message with this content would look the same as `shown`. */
export function showsSame(content: MessageContent, shown: MessageContent | undefined): boolean {
  return (
    content.markdown === shown?.markdown &&
    (content.footer ?? '') === (shown.footer ?? '') &&
    labelsOf(content.buttons) === labelsOf(shown.buttons)
  );
}

function labelsOf(buttons: readonly Button[] = []): string {
  return buttons.map(({ action, label }) => `${action} ${label}`).join('\n');
}
