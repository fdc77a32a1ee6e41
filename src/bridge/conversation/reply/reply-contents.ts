import type { Texts } from '../../texts/texts.ts';
import { atOnce, inSteps } from '../../../shared/primitives/time.ts';
import { streamingButtons } from '../buttons.ts';
import { findLastBreak } from '../markdown/breakpoints.ts';
import { closeMarkdown, leaveClosingRoom } from '../markdown/close-markdown.ts';
import { type Line, scanLines } from '../markdown/scan-lines.ts';
import { createSplitter, takeSegment } from '../markdown/split-markdown.ts';
import type { Button, MessageContent, Thread } from '../thread.ts';
import type { Ending } from '../inbox/row.ts';
import type { GrowingMessage } from './growing-message.ts';
import { hostOf } from '../markdown/link-host.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Source } from '../chatbot.ts';

/**
 * How much of a text that still comes is shown: all of it, or what is whole, which ends before a
 * paragraph or sentence.
 */
type Extent = 'all' | 'paragraphs' | 'sentences';

/** What the messages of a reply should show. */
export interface ReplyContents {
  /** Until the reply ends, so much of the text is shown; by default all of it. */
  limitTo(extent: Extent): void;
  /** Splits the newest text. A long one takes long, so other work goes on meanwhile. */
  update(text: string, ending: Ending | undefined): Promise<void>;
  /** What the last update shows is final: the rest is for further messages. */
  settle(): void;
  /** The text that the last update showed. */
  readonly text: string;
  /** The ending as of the last update. */
  readonly ending: Ending | undefined;
  /**
   * The content of each message as of the last update; `written` are those that exist. With
   * `isHeldBack`, the last of these says why the rest does not follow yet.
   */
  list(written: readonly GrowingMessage[], isHeldBack: boolean): MessageContent[];
}

export function createReplyContents(options: {
  thread: Thread;
  /** The turn of the buttons below the reply. */
  turn: string;
  texts: Texts;
  maxCharacters: number;
}): ReplyContents {
  const { thread, turn, texts, maxCharacters } = options;
  const split = createSplitter(leaveClosingRoom(thread.limits));
  let extent: Extent = 'all';
  /** The beginnings behind each of which a message ends. */
  const settled: Beginning[] = [];
  let newest: Rendered = { ...nothing };

  function toShownText(text: string, ending: Ending | undefined): string {
    const numbered = ending ? numberEnding({ ...ending, text }) : numberMarkers(text).text;
    if (numbered.length <= maxCharacters) return numbered;
    return `${closeMarkdown(numbered.slice(0, maxCharacters).replace(halfPair, ''))}\n\n*${texts.thread.attached}*`;
  }

  function withNote(contents: MessageContent[], index: number): MessageContent[] {
    const { markdown = '' } = contents[index] ?? {};
    const note = `\n\n*${texts.thread.heldBack}*`;
    const fits = (text: string) => thread.limits.fits(text + note);
    const { segment } = atOnce(takeSegment(markdown, { fits }));
    return contents.with(index, { markdown: segment + note });
  }

  /** The parts of the small print that need messages of their own: none where it fits below the text. */
  function splitFooter(markdown: string, { footer }: Ending): string[] {
    const { fitsBelow = () => true } = thread.limits;
    if (fitsBelow(markdown, footer)) return [];
    const fits = (part: string) => fitsBelow('', part);
    const prints: string[] = [];
    for (const entry of footer.split(betweenSources)) {
      const last = prints.at(-1);
      const joined = `${last} · ${entry}`;
      if (last !== undefined && fits(joined)) prints[prints.length - 1] = joined;
      else prints.push(...atOnce(createSplitter({ fits })(entry)));
    }
    return prints;
  }

  /** The part of a text that still comes which `extent` lets be seen. */
  function takeWhole(text: string): string {
    if (extent === 'all') return text;
    const from = settled.at(-1)?.text.length ?? 0;
    const end = findLastBreak(text.slice(from), extent) ?? 0;
    return text.slice(0, from + end);
  }

  /** The offsets in the shown text behind which a message ends. */
  function findEnds(ending: Ending | undefined): number[] {
    if (!ending) return settled.map((beginning) => beginning.shownLength);
    return settled
      .filter((beginning) => ending.text.startsWith(beginning.text))
      .map((beginning) => toShownText(beginning.text, ending).length);
  }

  return {
    limitTo(next) {
      extent = next;
    },
    get text() {
      return newest.text;
    },
    get ending() {
      return newest.ending;
    },
    async update(text, ending) {
      const whole = ending?.text ?? takeWhole(text);
      if (newest.text === whole && newest.ending === ending) return;
      const shown = toShownText(whole, ending);
      const pieces = await inSteps(split(shown, findEnds(ending)));
      const last = pieces.pop() ?? '';
      const isFinal = ending !== undefined || extent !== 'all';
      const closed = isFinal ? last : closeMarkdown(last);
      const prints = ending ? splitFooter(last, ending) : [];
      newest = { text: whole, shownLength: shown.length, ending, pieces, last, closed, prints };
    },
    settle() {
      const { text, shownLength } = newest;
      settled.push({ text, shownLength });
    },
    list(written, isHeldBack) {
      const { pieces, last, closed, ending, prints } = newest;
      const target = written[pieces.length];
      const appends = target ? target.appends : thread.openStream !== undefined;
      const markdown = appends ? last : closed;
      const usual = extent === 'all' ? streamingButtons(turn, texts) : [];
      const { footer = '', buttons = usual } = ending ?? {};
      const whole = pieces.map((piece) => ({ markdown: piece }));
      const below = prints.map((print) => ({ markdown: '', footer: print }));
      const end = below.length > 0 ? [{ markdown }, ...below] : [{ markdown, footer }];
      const contents = markdown === '' ? whole : [...whole, ...withButtons(end, buttons)];
      const lacksSome = contents.length > written.length;
      return isHeldBack && lacksSome ? withNote(contents, written.length - 1) : contents;
    },
  };
}

/** The beginning of a text as the service wrote it, and its length as it is shown. */
interface Beginning {
  text: string;
  shownLength: number;
}

/** As much of a text as is shown, rendered for messages. */
interface Rendered extends Beginning {
  ending: Ending | undefined;
  /** Of all messages but the last. */
  pieces: readonly string[];
  last: string;
  /** The last one, with unfinished Markdown closed unless the text is final. */
  closed: string;
  /** The small print of further messages. */
  prints: readonly string[];
}

const nothing: Rendered = {
  text: '',
  shownLength: 0,
  ending: undefined,
  pieces: [],
  last: '',
  closed: '',
  prints: [],
};

/** Messages with buttons below the last one. */
function withButtons(
  contents: readonly MessageContent[],
  buttons: readonly Button[],
): MessageContent[] {
  return contents.map((content, index) =>
    index === contents.length - 1 ? { ...content, buttons } : content,
  );
}

/** Before the number of a source in small print, which stays with its title. */
const betweenSources = / · (?=\[\d+\] )/;

/** A high surrogate whose low surrogate was cut off. */
const halfPair = /[\uD800-\uDBFF]$/;

/** Up to as many backticks as open it. */
const codeSpan = /(?<![`\\])(?<ticks>`{1,8})(?!`)[^]*?(?<!`)\k<ticks>(?!`)/;

/** A marker such as [3.4], unless it is the text of a link; the start of one. */
const markerOrStart =
  /(?<gap>(?<![ \t])[ \t]*)\[(?:\d*(?:\.\d*)?$|\d+\.\d+\]\(<?(?:h|ht|htt|https?)?$|(?<marker>\d+\.\d+)\](?!\(<?https?:))/;

/** Code, which is left alone, or a marker. */
const markerOrCode = new RegExp(`(?<code>${codeSpan.source})|${markerOrStart.source}`, 'g');

/** Text with its markers numbered in order of appearance, and the markers by number. */
export interface NumberedText {
  text: string;
  /** The marker that became `[1]` comes first. */
  markers: string[];
}

/**
 * Turns the service's markers ([3.4]) into footnote numbers ([1]). While the reply streams, it is
 * unknown which markers have a source, so all are numbered, and numbers stay the same as the text
 * grows; an incomplete marker is left out. Takes time linear in the length of `text`.
 *
 * @param known the markers that have a source, once that is known: all others are removed
 */
export function numberMarkers(text: string, known?: ReadonlySet<string>): NumberedText {
  // Many texts have no marker, and blocks take long to find.
  if (!text.includes('[')) return { text, markers: [] };
  const numbers = new Map<string, number>();
  const numberIn = (block: string) =>
    block.replace(
      markerOrCode,
      (match, code?: string, _ticks?: string, gap?: string, marker?: string) => {
        if (code !== undefined) return code;
        if (marker === undefined) return known ? match : '';
        if (known && !known.has(marker)) return '';
        const number = numbers.get(marker) ?? numbers.size + 1;
        numbers.set(marker, number);
        return `${gap}[${number}]`;
      },
    );
  const numbered = splitBlocks(text).map(({ block, isCode }) => (isCode ? block : numberIn(block)));
  return { text: numbered.join(''), markers: [...numbers.keys()] };
}

/** The blocks of a text: in each, backticks make code of their own. */
function splitBlocks(text: string): { block: string; isCode: boolean }[] {
  const lines = scanLines(text);
  const begun = lines.filter((line, index) => !goesOn(line, lines[index - 1]));
  return begun.map(({ start, fence }, index) => ({
    block: text.slice(start, begun[index + 1]?.start),
    isCode: fence !== undefined,
  }));
}

/** Whether a line belongs to the fenced code or paragraph of the one above. */
function goesOn({ kind, fence }: Line, above: Line | undefined): boolean {
  if (fence || above?.fence) return fence === above?.fence;
  return kind === 'text' && (above?.kind === 'text' || above?.kind === 'item');
}

/** The text of an ending, whose markers are all numbered or removed. */
export function numberEnding({ text, markers }: Ending): string {
  return numberMarkers(text, new Set(markers)).text;
}

/**
 * Renders the small print that lists the cited sources.
 * @param nowMs dates of this year leave out the year
 */
export function renderSources(cited: readonly Source[], texts: Texts, nowMs?: number): string {
  return cited.length > 0 ? texts.thread.sources(listSources(cited, texts, nowMs)) : '';
}

/**
 * Lists the cited sources: each title once, after its footnote numbers, with the pages and how old it
 * is: "[1] [2] Handbook, p. 3, 12, updated 3 March".
 */
export function listSources(cited: readonly Source[], texts: Texts, nowMs?: number): string {
  const numbered = cited.map((source, index) => ({ ...source, number: `[${index + 1}]` }));
  const byTitle = Map.groupBy(numbered, renderTitle);
  return [...byTitle]
    .map(([title, sources]) => {
      const numbers = sources.map(({ number }) => number).join(' ');
      return [`${numbers} ${title}`, ...listDetails(sources, texts, nowMs)].join(', ');
    })
    .join(' · ');
}

const maxPages = 5;

function listDetails(sources: readonly Source[], { thread }: Texts, nowMs?: number): string[] {
  const pages = [...new Set(sources.flatMap(({ page }) => page ?? []))].slice(0, maxPages);
  const updatedMs = Math.max(...sources.map(({ updatedMs }) => updatedMs ?? 0));
  return [
    ...(pages.length > 0 ? [thread.pages(pages.join(', '))] : []),
    ...(updatedMs > 0 ? [thread.updated(updatedMs, nowMs)] : []),
  ];
}

/** Renders the cited passages of a reply, for a reader who asks for them. */
export function renderPassages(cited: readonly Source[]): string {
  return cited
    .map((source, index) => {
      const quote = source.quote.trim().replaceAll('\n', '\n> ');
      return `**[${index + 1}]** ${renderTitle(source)}\n> ${quote}`;
    })
    .join('\n\n');
}

/** Titles come from files, so they are escaped. */
function renderTitle({ title, url }: Source): string {
  const plain = renderPlainText(title);
  if (!url || !hostOf(url)) return plain;
  // People type spaces in addresses, which links in Markdown can't have.
  const { href } = new URL(url);
  return `[${plain}](${href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}
