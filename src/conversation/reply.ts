import { closeMarkdown } from './markdown/close-markdown.ts';
import { createSplitter } from './markdown/split-markdown.ts';
import type { Pacer, Urgency } from './pacer.ts';
import { PlatformError, type PlatformErrorKind } from './platform-error.ts';
import type { MessageContent, SentMessage, Thread } from './ports.ts';

/** A reply on its way into a thread: one message, or several where it is long. */
export interface Reply {
  /** All the text so far. */
  readonly text: string;
  /** Takes up a delta; it becomes visible as soon as the pacer allows. */
  append(delta: string): void;
  /**
   * Makes the last text visible, `text` in place of what was appended where it is given, with
   * `footer` below. Resolves once the platform has taken it. @throws {PlatformError}
   */
  finish(end: { text?: string; footer?: string }): Promise<void>;
}

interface Written {
  message: SentMessage;
  shown: MessageContent | undefined;
}

/** How often a write is tried that failed for no lasting reason. */
const tries = 3;

export function createReply(options: {
  thread: Thread;
  pacer: Pacer;
  /** Messages of ours that an earlier run began to write this reply into. */
  posted?: string[];
  /** Told the ids of the reply's messages whenever there is a new one. */
  onPosted?: (ids: string[]) => Promise<void>;
}): Reply {
  const { thread, pacer } = options;
  const split = createSplitter(thread.limits);
  const written: Written[] = (options.posted ?? []).map((id) => ({
    message: thread.message(id),
    shown: undefined,
  }));

  let text = '';
  let footer: string | undefined;
  let ended = false;
  let staleSince = 0;
  let failure: unknown;
  let writing: Promise<void> | undefined;
  /** Calls back a write that waits its turn as an interim one, once it has become the last. */
  const hurry = new AbortController();
  const place = pacer.join(thread.budgets.edit);

  /** What each message of the reply should show now. */
  function wanted(): MessageContent[] {
    const pieces = split(ended ? text : closeMarkdown(text));
    return pieces.map((markdown, index) =>
      footer && index === pieces.length - 1 ? { markdown, footer } : { markdown },
    );
  }

  /** The first message that does not show what it should. */
  function difference(): { index: number; content: MessageContent } | undefined {
    const contents = wanted();
    const index = contents.findIndex((content, at) => !same(content, written[at]?.shown));
    const content = contents[index];
    return content && { index, content };
  }

  async function writeAll(): Promise<void> {
    for (let next = difference(); next; next = difference()) await permitAndWrite(next.index);
  }

  async function permitAndWrite(index: number): Promise<void> {
    const budget = written[index] ? thread.budgets.edit : thread.budgets.post;
    if (!(await permitted(index))) return;
    const newest = difference();
    if (newest?.index !== index) return;
    const since = staleSince;
    staleSince = 0;
    try {
      await write(newest.index, newest.content);
    } catch (error) {
      staleSince = since;
      if (!isRefusal(error, 'rate_limited')) throw error;
      pacer.refused(budget, error.retryAfterMs ?? 1000);
    }
  }

  /** False where the reply ended meanwhile, so that the write is asked for again as a final one. */
  async function permitted(index: number): Promise<boolean> {
    const urgency: Urgency = written.length === 0 ? 'first' : ended ? 'final' : 'interim';
    const budget = written[index] ? thread.budgets.edit : thread.budgets.post;
    const signal = urgency === 'interim' ? hurry.signal : undefined;
    try {
      await pacer.permit(budget, { urgency, since: staleSince, signal });
      return true;
    } catch {
      return false;
    }
  }

  async function write(index: number, content: MessageContent): Promise<void> {
    const target = written[index];
    if (!target) return post(index, content);
    try {
      await persistently(() => target.message.edit(content));
      target.shown = content;
    } catch (error) {
      if (!isRefusal(error, 'gone', 'uneditable')) throw error;
      await post(index, content);
    }
  }

  async function post(index: number, content: MessageContent): Promise<void> {
    written[index] = { message: await thread.post(content), shown: content };
    await options.onPosted?.(written.map((each) => each.message.id));
  }

  /** Starts the one loop that writes, unless it runs already and will see the newest text itself. */
  function startWriting(): void {
    writing ??= writeAll()
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        writing = undefined;
      });
  }

  return {
    get text() {
      return text;
    },
    append(delta) {
      text += delta;
      staleSince ||= Date.now();
      if (text.trim() !== '' && !isRefusal(failure, 'forbidden')) startWriting();
    },
    async finish(end) {
      text = end.text ?? text;
      footer = end.footer;
      ended = true;
      hurry.abort();
      await writing;
      failure = undefined;
      startWriting();
      await writing;
      place[Symbol.dispose]();
      if (failure) throw failure;
    },
  };
}

function same(content: MessageContent, shown: MessageContent | undefined): boolean {
  return content.markdown === shown?.markdown && content.footer === shown.footer;
}

/** Repeats a write that failed for no lasting reason; only for writes that may safely be repeated. */
async function persistently(write: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isRefusal(error, 'failed') || tried === tries) throw error;
    }
  }
}

function isRefusal(error: unknown, ...kinds: PlatformErrorKind[]): error is PlatformError {
  return error instanceof PlatformError && kinds.includes(error.kind);
}
