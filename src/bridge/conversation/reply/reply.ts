import { showsSame } from './growing-message.ts';
import { type Growth, growByEdits, growByMessages, hasEdits } from './growth.ts';
import type { Urgency } from './ledger.ts';
import {
  createReplyMessages,
  type Difference,
  repeatLastEdits,
  type RepeatOptions,
  type ReplyMessages,
  type ReplyMessagesOptions,
} from './reply-messages.ts';
import type { Ending } from '../inbox/row.ts';
import { type PlatformError, isRefusal } from '../errors.ts';
import { type ReplyStats, createReplyMeter } from '../reports.ts';
import type { MessageContent } from '../thread.ts';
import type { Pacer } from './pacer.ts';
import { type ReplyContents, createReplyContents, numberEnding } from './reply-contents.ts';
import { monotonicMs } from '../../../shared/primitives/time.ts';
import { type WritePermit, WritePermits, noteLimit } from './write-permits.ts';

export interface ReplyOptions extends Omit<ReplyMessagesOptions, 'contents'> {
  pacer: Pacer;
  /** Called when others' first texts go before this one's, which waits. */
  onLinedUp?(): void;
  /** Called for each delta with the length of all the text so far. */
  onReceived?(characters: number): void;
  /** Max characters to show; a longer reply is attached whole as a file. Default: no limit. */
  maxCharacters?: number;
}

type Phase =
  /** No text has come that can be shown. */
  | { name: 'waiting' }
  /** Its messages follow the text as it comes. */
  | { name: 'growing'; growth: Growth }
  /** The last text is known, and is written or has been. */
  | { name: 'ending'; ending: Ending; growth: Growth | undefined }
  /** It was disposed of: nothing more is written. */
  | { name: 'over' };

/** Where a message is to be written, and whether its content is final, as far as is known. */
type Place = Pick<Difference, 'index' | 'last'>;

/** A reply that an earlier run began is given this long to be as long as what people have read. */
const catchUpMs = 3_000;

/** Why its waits end. The default reason of `abort` has a stack, which is slow to create. */
const isOver = new Error('The reply is over');

/** A reply that is being written into a thread: one message, or several if it is long. */
export class Reply implements Disposable {
  readonly #options: ReplyOptions;
  readonly #beganAt = monotonicMs();
  readonly #meter = createReplyMeter();
  readonly #contents: ReplyContents;
  readonly #messages: ReplyMessages;
  readonly #permits: WritePermits;
  readonly #disposed = new AbortController();
  readonly #signal: AbortSignal;

  #phase: Phase = { name: 'waiting' };
  #text = '';
  /** White space alone can't be shown. */
  #hasText = false;
  /** What is shown while there is no text. */
  #note = '';
  /** When the oldest text came that is not shown yet. */
  #staleSince: number | undefined;
  /** The write loop, while it runs, and why it broke off the last time. */
  #writing: Promise<void> | undefined;
  #failure: unknown;
  /** What the platform refuses for good: it is not written again. */
  #refused: { next: Difference; error: PlatformError } | undefined;
  /**
   * What people see while the text comes anew: it stays until there is as much text again. What an
   * earlier run has shown is not known, and stays for some time.
   */
  #held: { text: string } | { text: undefined; timer?: NodeJS.Timeout } | undefined;
  #isPosting = false;
  /** Whether all that the last message lacks is the text that has come since it was written. */
  #isUpToDate = false;

  constructor(options: ReplyOptions) {
    const { maxCharacters = Infinity } = options;
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#disposed.signal]);
    this.#contents = createReplyContents({ ...options, maxCharacters });
    this.#messages = createReplyMessages({ ...options, contents: this.#contents });
    if (this.hasBegun) this.#held = { text: undefined };
    this.#permits = new WritePermits({
      ...options,
      written: this.#messages.written,
      beganAt: this.#beganAt,
      signal: this.#signal,
    });
  }

  /** All the text so far, as far as people may see it; in the end, the last text. */
  get text(): string {
    return this.#held ? (this.#held.text ?? '') : this.#text;
  }

  /** Whether people see some of it, or are about to. */
  get hasBegun(): boolean {
    return this.#messages.written.length > 0 || this.#isPosting;
  }

  /** Whether its first message waits until the platform accepts another one. */
  get isLinedUp(): boolean {
    return this.#permits.isLinedUp;
  }

  /** Whether further messages are to follow. */
  get isGrowingByMessages(): boolean {
    return this.#phase.name === 'growing' && this.#phase.growth.isByMessages;
  }

  /** How many replies in the channel show their first text before this one. */
  countAhead(): number {
    return this.#permits.countAhead();
  }

  stats(): ReplyStats {
    return this.#meter.stats(this.#text.length);
  }

  /** The text comes anew, from its start. What is shown stays until there is as much of it again. */
  restart(): void {
    if (this.#text !== '') this.#held ??= { text: this.#text };
    if (this.#held && this.#held.text === undefined) {
      clearTimeout(this.#held.timer);
      delete this.#held.timer;
    }
    this.#text = '';
  }

  /** Adds a delta; it becomes visible as soon as the pacer allows. */
  append(delta: string): void {
    this.#text += delta;
    this.#catchUp();
    this.#hasText ||= /\S/.test(delta);
    this.#staleSince ??= monotonicMs();
    this.#meter.received();
    this.#options.onReceived?.(this.#text.length);
    if (!this.#hasText || isRefusal(this.#failure, 'forbidden', 'uneditable')) return;
    if (this.#phase.name === 'waiting') {
      this.#phase = { name: 'growing', growth: this.#chooseGrowth() };
    }
    this.#startWriting();
  }

  /**
   * Shows a note, with the stop button, until the first text comes. Where the reply would be a stream,
   * the platform itself has such a button; a reply without edits could not replace the note.
   */
  showNote(note: string): void {
    const { thread, pacer } = this.#options;
    if (this.#phase.name !== 'waiting' || this.hasBegun) return;
    if (thread.openStream || !hasEdits(thread, pacer)) return;
    this.#note = note;
    this.#phase = { name: 'growing', growth: this.#chooseGrowth() };
    this.#startWriting();
  }

  /**
   * Shows the last text, with its footer and buttons. Resolves once the platform has accepted it. It
   * can be called again after a failure.
   * @throws {PlatformError}
   * @throws {Error} the signal's reason
   */
  async finish(ending: Ending): Promise<void> {
    const { maxCharacters = Infinity } = this.#options;
    if (this.#phase.name === 'over') throw isOver;
    this.#phase = { name: 'ending', ending, growth: this.#growth };
    this.#text = ending.text;
    this.#letGo();
    this.#meter.ended();
    this.#permits.hurry();
    await this.#writing;
    this.#failure = undefined;
    this.#startWriting();
    await this.#writing;
    if (this.#failure) throw this.#failure;
    await this.#messages.removeLate();
    const whole = numberEnding(ending);
    if (whole.length > maxCharacters) await this.#messages.attach(whole);
  }

  /**
   * Finds the message that an earlier run may have posted, so that `hasBegun` is true of it: by its stop
   * button or by what it shows of the ending.
   * @throws {PlatformError}
   */
  async adoptLost(ending: Ending): Promise<void> {
    if (this.#phase.name === 'waiting') await this.#contents.update(ending.text, ending);
    await this.#messages.adoptLost();
  }

  /**
   * Ends the reply, so that no text that still comes is posted, unless people may have seen something
   * of it, from an earlier run too. Resolves with whether it has ended.
   * @throws {PlatformError}
   */
  async dropUnseen(): Promise<boolean> {
    await this.#messages.adoptLost();
    if (this.hasBegun) return false;
    this[Symbol.dispose]();
    return true;
  }

  /**
   * Repeats the last edit of each message a minute later, if an edit before it got no answer and may
   * be carried out after it. Goes on after the reply was disposed of.
   * @throws {PlatformError}
   */
  async repeatLater(options: RepeatOptions): Promise<void> {
    await repeatLastEdits(this.#messages.written, { ...options, pacer: this.#options.pacer });
  }

  [Symbol.dispose](): void {
    const growth = this.#growth;
    this.#letGo();
    this.#phase = { name: 'over' };
    this.#disposed.abort(isOver);
    this.#permits.hurry();
    growth?.[Symbol.dispose]();
  }

  get #growth(): Growth | undefined {
    return 'growth' in this.#phase ? this.#phase.growth : undefined;
  }

  get #ending(): Ending | undefined {
    return this.#phase.name === 'ending' ? this.#phase.ending : undefined;
  }

  get #shownText(): string {
    return this.#hasText ? this.text : this.#note;
  }

  #catchUp(): void {
    const held = this.#held;
    if (!held) return;
    if (held.text === undefined) {
      held.timer ??= setTimeout(() => {
        this.#letGo();
        this.#startWriting();
      }, catchUpMs);
      return;
    }
    // Messages that are final can't show another text before the end.
    const fits = !this.isGrowingByMessages || this.#text.startsWith(held.text);
    if (this.#text.length >= held.text.length && fits) this.#letGo();
  }

  #letGo(): void {
    if (this.#held?.text === undefined) clearTimeout(this.#held?.timer);
    this.#held = undefined;
  }

  get #urgency(): Urgency {
    if (this.#phase.name !== 'growing') return 'final';
    return this.#phase.growth.urgency(this.#messages.written.length === 0);
  }

  #chooseGrowth(): Growth {
    const { thread, pacer } = this.#options;
    if (this.#messages.written.length > 0 || hasEdits(thread, pacer)) {
      return growByEdits({ thread, pacer, since: this.#beganAt });
    }
    return growByMessages({
      thread,
      pacer,
      contents: this.#contents,
      hasBegun: () => this.hasBegun,
      beginSooner: () => this.#startWriting(),
    });
  }

  /**
   * Starts the write loop, unless it is running already: then it picks up the newest text itself.
   */
  #startWriting(): void {
    this.#writing ??= this.#writeAll()
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async #writeAll(): Promise<void> {
    if (!this.#isUpToDate) {
      await this.#contents.update(this.#shownText, this.#ending);
      await this.#messages.adoptLost();
    }
    for (let next = await this.#findNext(); next; next = await this.#findNext()) {
      await this.#permitAndWrite(next);
    }
  }

  /**
   * What is to be written next. While a message grows by edits, that is known without splitting and
   * closing all of the text, which changes until the edit is permitted.
   */
  async #findNext(): Promise<Place | undefined> {
    if (this.#phase.name === 'over') throw isOver;
    const isEdited = this.#phase.name === 'growing' && !this.#phase.growth.isByMessages;
    const grows = isEdited && this.#isUpToDate && this.#contents.text !== this.#shownText;
    if (grows) return { index: this.#messages.written.length - 1, last: false };
    return this.#findDifference();
  }

  /** The first message whose content is out of date, or that should not exist. */
  async #findDifference(): Promise<Difference | undefined> {
    await this.#contents.update(this.#shownText, this.#ending);
    const { written } = this.#messages;
    const wanted = this.#listWanted();
    const hasEnded = this.#contents.ending !== undefined;
    const index = wanted.findIndex((content, at) => !showsSame(content, written[at]?.shown));
    const isFinal = hasEnded || this.#growth?.isByMessages === true;
    if (index >= 0) {
      return { index, content: wanted[index], last: isFinal || index < wanted.length - 1 };
    }
    return hasEnded && written.length > wanted.length
      ? { index: wanted.length, content: undefined, last: true }
      : undefined;
  }

  /** What the messages should show, as of the last update. */
  #listWanted(): MessageContent[] {
    return this.#contents.list(this.#messages.written, this.#permits.isHeldBack);
  }

  /** The text may have changed during the wait, so what is written is found anew. */
  async #permitAndWrite({ index, last }: Place): Promise<void> {
    using permit = await this.#permits.request({
      index,
      last,
      urgency: this.#urgency,
      since: this.#staleSince ?? monotonicMs(),
    });
    const next = await this.#findDifference();
    this.#isUpToDate = false;
    if (!permit || next?.index !== index) return;
    // Its question may have been deleted meanwhile.
    this.#signal.throwIfAborted();
    if (this.#refused && isSame(next, this.#refused.next)) throw this.#refused.error;
    await this.#write(next, permit);
  }

  async #write(next: Difference, permit: WritePermit): Promise<void> {
    const { pacer } = this.#options;
    const since = this.#staleSince;
    const write = this.#meter.writing();
    this.#staleSince = undefined;
    this.#isPosting = permit.isNew;
    try {
      const mayStream = () => this.#growth?.mayStream() ?? false;
      await this.#messages.show(next, { isNew: permit.isNew, mayStream });
    } catch (error) {
      const isLimited = isRefusal(error, 'rate_limited');
      this.#staleSince = since;
      write.failed(isLimited);
      if (isRefusal(error, 'refused')) this.#refused = { next, error };
      if (!isLimited) throw error;
      return noteLimit(pacer, permit.budget, error);
    } finally {
      this.#isPosting = false;
    }
    write.shown();
    pacer.accepted(permit.budget);
    this.#isUpToDate = next.index === this.#listWanted().length - 1;
    if (this.#isUpToDate && !this.#contents.ending) this.#growth?.caughtUp();
  }
}

function isSame(a: Difference, b: Difference): boolean {
  const { content } = a;
  return a.index === b.index && content !== undefined && showsSame(content, b.content);
}
