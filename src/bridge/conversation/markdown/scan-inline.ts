import { createFinder, readLeaf, type Leaf, type Finder } from './inline-leaves.ts';

/** A construct from `start` to `end`, with its marks around what stands from `content` to `contentEnd`. */
export interface Span {
  kind: Leaf['kind'] | 'emphasis' | 'link' | 'image' | 'brackets';
  start: number;
  content: number;
  contentEnd: number;
  end: number;
}

/** A mark at `start` whose partner, `mark`, has not come yet. */
export interface OpenMark {
  kind: Leaf['kind'] | 'emphasis' | 'bracket' | 'link';
  start: number;
  mark: string;
  /** Where the text behind the mark begins; of a link whose address is unfinished, where it ends. */
  content: number;
  contentEnd?: number;
}

export interface InlineScan {
  spans: Span[];
  open: OpenMark[];
  /** Where a dollar sign stands that may begin a formula, although nothing tells yet. */
  dollar?: number;
}

const plainText = /[^\\`$<h*_~![\]]*(?:(?:h(?!ttps?:\/\/)|!(?!\[))[^\\`$<h*_~![\]]*)*/iy;
const emphasisRun = /\*+|_+|~~+/y;
const unspacedScript = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/u;
const wordCharacter = /[\p{L}\p{N}]/u;
const maxOpen = 32;

/**
 * Finds the constructs in the text of one paragraph, item, heading or cell, and the marks that are
 * open at its end. Follows CommonMark's delimiter runs but for the rule of three; a run of four or
 * more is plain text, and so is an opening mark where another of its kind opens before it closes.
 * Takes time linear in the length of `text`.
 *
 * @param openFrom what nothing closes takes the rest of the text from here on, which may yet come;
 *   before it is plain text. Default: 0. `Infinity` for a text that has ended.
 */
export function scanInline(text: string, { openFrom = 0 } = {}): InlineScan {
  const find = createFinder(text);
  const spans: Span[] = [];
  let open: OpenMark[] = [];
  let dollar: number | undefined;

  function takeRun(start: number, end: number): void {
    const { opens, closes } = sidesOfRun(text, start, end);
    const left = closes ? closeEmphasis(start, end) : end - start;
    if (!opens || left === 0 || left > 3) return;
    const mark = text.slice(end - left, end);
    open = open.filter((other) => other.mark !== mark);
    open.push({ kind: 'emphasis', start: end - left, mark, content: end });
  }

  /** Pairs a run with the marks open before it; returns how much of it is left. */
  function closeEmphasis(start: number, end: number): number {
    let at = start;
    while (at < end) {
      const index = open.findLastIndex(
        ({ kind, mark }) => kind === 'emphasis' && mark[0] === text[start],
      );
      const opener = open[index];
      if (!opener) break;
      const { content, mark } = opener;
      const used = Math.min(end - at, mark.length);
      spans.push({
        kind: 'emphasis',
        start: content - used,
        content,
        contentEnd: at,
        end: at + used,
      });
      at += used;
      open = open.slice(0, index);
      if (used < mark.length && open.length < maxOpen) {
        open.push({ ...opener, mark: mark.slice(used), content: content - used });
      }
    }
    return end - at;
  }

  function takeClosingBracket(at: number): number {
    const index = open.findLastIndex(({ kind }) => kind === 'bracket');
    const bracket = open[index];
    if (!bracket) return at + 1;
    const { start, content } = bracket;
    const isImage = text[start] === '!';
    const pending = isImage && at + 1 === text.length && start >= openFrom;
    const target = pending ? 'half' : findLinkTarget(text, at + 1, find);
    open = open.slice(0, index);
    if (target === 'half' && start >= openFrom) {
      open.push({ ...bracket, kind: 'link', contentEnd: at });
      return text.length;
    }
    const end = typeof target === 'number' ? target : at + 1;
    const kind = end === at + 1 ? 'brackets' : isImage ? 'image' : 'link';
    spans.push({ kind, start, content, contentEnd: at, end });
    return end;
  }

  for (let at = 0; at < text.length;) {
    const plain = endOfMatch(plainText, text, at);
    if (plain > at) {
      at = plain;
      continue;
    }
    const leaf = readLeaf(text, at, find);
    const run = leaf ? at : endOfMatch(emphasisRun, text, at);
    const content = text.startsWith('![', at) ? at + 2 : at + 1;
    if (leaf?.state === 'closed') {
      spans.push({ ...leaf, start: at });
      at = leaf.end;
    } else if (leaf?.state === 'open' && at >= openFrom) {
      open.push({
        kind: leaf.kind,
        start: at,
        mark: text.slice(at, leaf.content),
        content: leaf.content,
      });
      break;
    } else if (leaf) {
      if (leaf.state === 'undecided') dollar = at;
      at = leaf.content;
    } else if (run > at) {
      takeRun(at, run);
      at = run;
    } else if (text[at] === ']') {
      at = takeClosingBracket(at);
    } else {
      const opens = text[content - 1] === '[' && open.length < maxOpen;
      if (opens) open.push({ kind: 'bracket', start: at, mark: ']', content });
      at = content;
    }
  }
  return { spans, open, dollar };
}

/** Whether a run of marks can open and close emphasis, by what stands on its two sides. */
function sidesOfRun(text: string, start: number, end: number): { opens: boolean; closes: boolean } {
  const before = text[start - 1] ?? ' ';
  const after = text[end] ?? ' ';
  const inWord = wordCharacter.test(before) && !unspacedScript.test(before);
  if (end === text.length) return { opens: !inWord, closes: /\S/.test(before) };
  const underscore = text[start] === '_';
  const barred = underscore ? wordCharacter.test(before) : inWord && wordCharacter.test(after);
  return {
    opens: /\S/.test(after) && !barred,
    closes: /\S/.test(before) && !(underscore && wordCharacter.test(after)),
  };
}

/** Where the match that begins at `at` ends: at `at` where there is none. */
function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Max characters to read after a link's text for its URL and title. */
const maxTarget = 4000;

/**
 * The end of the link target `(address "title")` that starts at `at`; `half` if the text ends
 * first; undefined if there is none. A URL that contains the end of another link's text does not
 * count.
 */
function findLinkTarget(text: string, at: number, find: Finder): number | 'half' | undefined {
  if (text[at] !== '(') return undefined;
  const limit = Math.min(text.length, at + maxTarget);
  const end = limit === text.length ? 'half' : undefined;
  let depth = 0;
  for (let index = at; index < limit; index += 1) {
    const character = text[index] ?? '';
    if (text.startsWith('](', index)) return undefined;
    if (character === '\\') index += 1;
    else if (character === '(') depth += 1;
    else if (character === ')' && --depth === 0) return index + 1;
    else if (character === '<' && index === at + 1) {
      const angle = find.next('>', index);
      if (angle === undefined || angle >= limit)
        return text.slice(index, limit).includes('\n') ? undefined : end;
      index = angle;
    } else if (/\s/.test(character)) return findTitleEnd(text, index, limit);
  }
  return end;
}

function findTitleEnd(text: string, at: number, limit: number): number | 'half' | undefined {
  const rest = text.slice(at, limit);
  const whole = /^\s*(?:(?:"[^"]*"|'[^']*')\s*)?\)/.exec(rest);
  if (whole) return at + whole[0].length;
  const half = limit === text.length && /^\s*(?:"[^"]*(?:"\s*)?|'[^']*(?:'\s*)?)?$/.test(rest);
  return half ? 'half' : undefined;
}
