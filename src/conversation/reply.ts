import { streamingButtons } from './buttons.ts';
import { numberMarkers } from './citations.ts';
import { closeMarkdown, closingRoom } from './markdown/close-markdown.ts';
import { createSplitter } from './markdown/split-markdown.ts';
import type { Pacer, Urgency } from './pacer.ts';
import { isRefusal } from './platform-error.ts';
import type { Button, MessageContent, SentMessage, Thread } from './ports.ts';
import { createReplyMeter, type ReplyStats } from './reply-stats.ts';

/** A reply on its way into a thread: one message, or several where it is long. */
export interface Reply extends Disposable {
  /** All the text so far. */
  readonly text: string;
  /** Takes up a delta; it becomes visible as soon as the pacer allows. */
  append(delta: string): void;
  /**
   * Makes the last text visible, with what stands below it. Resolves once the platform has taken
   * it. @throws {PlatformError}
   */
  finish(ending: Ending): Promise<void>;
  stats(): ReplyStats;
}

/** The last text of a reply, and what stands below it. */
export interface Ending {
  text: string;
  footer: string;
  buttons: readonly Button[];
  /** The markers that have a source; others vanish from the text. */
  markers?: ReadonlySet<string>;
}

export interface ReplyOptions {
  thread: Thread;
  pacer: Pacer;
  /** The turn that the buttons below the reply belong to. */
  turn: string;
  /** Most characters shown; the whole of a longer reply is attached as a file. Default: any number. */
  longest?: number;
  /** Messages of ours that an earlier run began to write this reply into. */
  posted?: readonly string[];
  /** Told the ids of the reply's messages whenever there is a new one. */
  onPosted?: (ids: string[]) => Promise<void>;
  now?: () => number;
}

interface Written {
  message: SentMessage;
  shown: MessageContent | undefined;
}

/** How often a write is tried that failed for no lasting reason. */
const tries = 3;

export function createReply(options: ReplyOptions): Reply {
  const { thread, pacer, longest = Infinity, now = Date.now } = options;
  const { size, max } = thread.limits;
  const split = createSplitter({ size, max: max - closingRoom });
  const meter = createReplyMeter(now);
  const written: Written[] = (options.posted ?? []).map((id) => ({
    message: thread.message(id),
    shown: undefined,
  }));

  let text = '';
  let ending: Ending | undefined;
  let staleSince = 0;
  let failure: unknown;
  let writing: Promise<void> | undefined;
  /** Calls back a write that waits its turn as an interim one, once it has become the last. */
  const hurry = new AbortController();
  const place = pacer.join(thread.budgets.edit);

  /** What each message of the reply should show now. */
  function wanted(): MessageContent[] {
    const pieces = split(shownText());
    const last = pieces.pop() ?? '';
    const markdown = ending ? last : closeMarkdown(last);
    const { footer = '', buttons = streamingButtons(options.turn) } = ending ?? {};
    const whole = pieces.map((piece) => ({ markdown: piece }));
    return markdown === '' ? whole : [...whole, { markdown, footer, buttons }];
  }

  function shownText(): string {
    const known = ending && (ending.markers ?? noMarkers);
    const numbered = numberMarkers(ending?.text ?? text, known).text;
    if (numbered.length <= longest) return numbered;
    return `${closeMarkdown(numbered.slice(0, longest))}\n\n${attachedNote}`;
  }

  /** The first message that does not show what it should; one too many should not be there. */
  function difference(): { index: number; content: MessageContent | undefined } | undefined {
    const contents = wanted();
    const index = contents.findIndex((content, at) => !same(content, written[at]?.shown));
    if (index >= 0) return { index, content: contents[index] };
    return ending && written.length > contents.length
      ? { index: contents.length, content: undefined }
      : undefined;
  }

  async function writeAll(): Promise<void> {
    for (let next = difference(); next; next = difference()) await permitAndWrite(next.index);
  }

  async function permitAndWrite(index: number): Promise<void> {
    const budget = written[index] ? thread.budgets.edit : thread.budgets.post;
    const urgency: Urgency = written.length === 0 ? 'first' : ending ? 'final' : 'interim';
    const signal = urgency === 'interim' ? hurry.signal : undefined;
    try {
      await pacer.permit(budget, { urgency, since: staleSince, signal });
    } catch {
      // The reply ended meanwhile: the write is asked for again, as a final one.
      return;
    }
    const newest = difference();
    if (newest?.index !== index) return;
    const since = staleSince;
    const write = meter.writing();
    staleSince = 0;
    try {
      await show(newest.index, newest.content);
      write.shown();
    } catch (error) {
      staleSince = since;
      const refused = isRefusal(error, 'rate_limited');
      write.failed(refused);
      if (!refused) throw error;
      pacer.refused(budget, error.retryAfterMs ?? 1000);
    }
  }

  async function show(index: number, content: MessageContent | undefined): Promise<void> {
    const target = written[index];
    if (!content) return removeFrom(index);
    if (!target) return post(index, content);
    try {
      await persistently(() => target.message.edit(content));
      target.shown = content;
    } catch (error) {
      if (!isRefusal(error, 'gone', 'uneditable')) throw error;
      // Nobody misses a text that stands there already; only what stands below it stays as it was.
      const readable = error.kind === 'uneditable' && content.markdown === target.shown?.markdown;
      if (readable) target.shown = content;
      else await post(index, content);
    }
  }

  async function post(index: number, content: MessageContent): Promise<void> {
    written[index] = { message: await thread.post(content), shown: content };
    await options.onPosted?.(written.map((each) => each.message.id));
  }

  async function removeFrom(index: number): Promise<void> {
    const [surplus] = written.splice(index, 1);
    await surplus?.message.remove();
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
      meter.received();
      staleSince ||= now();
      if (text.trim() !== '' && !isRefusal(failure, 'forbidden')) startWriting();
    },
    async finish(end) {
      ending = end;
      meter.ended();
      hurry.abort();
      await writing;
      failure = undefined;
      startWriting();
      await writing;
      if (failure) throw failure;
      if (end.text.length > longest) await thread.postFile({ name: 'answer.md', text: end.text });
    },
    stats: () => meter.stats((ending?.text ?? text).length),
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
}

const noMarkers: ReadonlySet<string> = new Set();

const attachedNote =
  '*This answer is too long to show here: the whole of it is attached as a file.*';

function same(content: MessageContent, shown: MessageContent | undefined): boolean {
  return (
    content.markdown === shown?.markdown &&
    (content.footer ?? '') === (shown.footer ?? '') &&
    namesOf(content.buttons) === namesOf(shown.buttons)
  );
}

function namesOf(buttons: readonly Button[] = []): string {
  return buttons.map(({ action, label }) => `${action} ${label}`).join('\n');
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
