import { closeMarkdown } from '../markdown/close-markdown.ts';
import { isRefusal } from '../platform-error.ts';
import type {
  MessageContent,
  MessageStream,
  SentMessage,
  Thread,
  WriteBudget,
  Button,
} from '../ports.ts';

/** A message of a reply, written again and again until it shows its last text. */
export interface GrowingMessage {
  readonly id: string;
  /** What it shows now. */
  readonly shown: MessageContent | undefined;
  /** It takes half-finished Markdown as it is, and must get it so, as it only ever appends. */
  readonly appends: boolean;
  /** What its next write draws on. */
  budget(last: boolean): WriteBudget;
  /**
   * Shows the content. @param last whether it stays like that, as far as is known
   * @throws {PlatformError}
   */
  write(content: MessageContent, last: boolean): Promise<void>;
  remove(): Promise<void>;
}

/** A message that exists, edited in place. */
export function createEditedMessage(
  thread: Thread,
  message: SentMessage,
  shown?: MessageContent,
): GrowingMessage {
  let now = shown;
  return {
    id: message.id,
    get shown() {
      return now;
    },
    appends: false,
    budget: () => thread.budgets.edit,
    async write(content) {
      await message.edit(content);
      now = content;
    },
    remove: () => message.remove(),
  };
}

/**
 * Posts a message: one that grows by appending where the thread has such messages, and otherwise,
 * or where the platform refuses that, one that is edited in place.
 * @throws {PlatformError}
 */
export async function postGrowingMessage(
  thread: Thread,
  content: MessageContent,
  last: boolean,
  now: () => number,
): Promise<GrowingMessage> {
  if (thread.openStream && !last) {
    try {
      const stream = await thread.openStream(content.markdown);
      return createStreamedMessage(thread, stream, content, now);
    } catch (error) {
      if (isRefusal(error, 'forbidden')) throw error;
    }
  }
  const closed = last ? content : { ...content, markdown: closeMarkdown(content.markdown) };
  return createEditedMessage(thread, await thread.post(closed), closed);
}

/**
 * A message that grows by appending. Its stream is ended with the last text, before the platform
 * would end it by itself, and where the text no longer begins with what stands there; from then on
 * the message is edited in place.
 */
function createStreamedMessage(
  thread: Thread,
  stream: MessageStream,
  first: MessageContent,
  now: () => number,
): GrowingMessage {
  const edited = createEditedMessage(thread, stream.message);
  const openUntil = now() + stream.lastsMs;
  let shown = first;
  let open = true;

  const goesOn = (content: MessageContent, last: boolean) =>
    !last && now() < openUntil && content.markdown.startsWith(shown.markdown);

  async function endWith(content: MessageContent): Promise<void> {
    const continues = content.markdown.startsWith(shown.markdown);
    const markdown = continues ? content.markdown.slice(shown.markdown.length) : '';
    open = false;
    try {
      await stream.finish({ ...content, markdown });
    } catch (error) {
      // It may still be open, and must be ended: the caller tries again.
      if (isRefusal(error, 'rate_limited', 'failed')) {
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
    remove: () => edited.remove(),
  };
}

/** Whether a message that shows `shown` looks to its readers as one with this content would. */
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
