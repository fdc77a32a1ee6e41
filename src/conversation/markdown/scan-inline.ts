import { findOpaque, type Opaque } from './inline-opaque.ts';
import { findLinkTarget } from './link-target.ts';

/** Text that belongs together. Links, code and addresses are `firm`: they break where they are cut. */
export interface Span {
  start: number;
  end: number;
  firm: boolean;
}

/** A mark at `start` whose partner, `mark`, has not come yet. */
export interface OpenMark {
  kind: 'emphasis' | 'bracket' | 'link' | Opaque['kind'];
  start: number;
  mark: string;
  /** Where the text behind the mark begins; of a link whose address is unfinished, where it ends. */
  content: number;
  contentEnd?: number;
}

const emphasisRun = /\*+|_+|~~+/y;
const unspacedScript = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/u;
const wordCharacter = /[\p{L}\p{N}]/u;
const mostOpen = 32;

/**
 * Finds what belongs together in the text of one paragraph, item, heading or cell, and which marks
 * are open at its end. Follows CommonMark's delimiter runs but for the rule of three; a run of four
 * or more is plain text, and so is an opening mark where another of its kind opens before it closes.
 */
export function scanInline(text: string): { spans: Span[]; open: OpenMark[] } {
  const spans: Span[] = [];
  let open: OpenMark[] = [];

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
    let left = end - start;
    while (left > 0) {
      const index = open.findLastIndex(
        ({ kind, mark }) => kind === 'emphasis' && mark[0] === text[start],
      );
      const opener = open[index];
      if (!opener) break;
      const used = Math.min(left, opener.mark.length);
      left -= used;
      spans.push({ start: opener.start, end: end - left, firm: false });
      open = open.slice(0, index);
      if (used < opener.mark.length) open.push({ ...opener, mark: opener.mark.slice(used) });
    }
    return left;
  }

  function takeClosingBracket(at: number): number {
    const index = open.findLastIndex(({ kind }) => kind === 'bracket');
    const bracket = open[index];
    if (!bracket) return at + 1;
    const pending = text[bracket.start] === '!' && at + 1 === text.length;
    const target = pending ? 'half' : findLinkTarget(text, at + 1);
    open = open.slice(0, index);
    if (target === 'half') {
      open.push({ ...bracket, kind: 'link', contentEnd: at });
      return text.length;
    }
    spans.push({ start: bracket.start, end: target ?? at + 1, firm: target !== undefined });
    return target ?? at + 1;
  }

  for (let at = 0; at < text.length;) {
    const opaque = findOpaque(text, at);
    const run = opaque ? at : endOfMatch(emphasisRun, text, at);
    const content = text.startsWith('![', at) ? at + 2 : at + 1;
    if (opaque?.end !== undefined) {
      const firm = opaque.kind === 'code' || opaque.kind === 'address';
      spans.push({ start: at, end: opaque.end, firm });
      at = opaque.end;
    } else if (opaque) {
      open.push({ kind: opaque.kind, start: at, mark: opaque.mark, content: opaque.content });
      break;
    } else if (run > at) {
      takeRun(at, run);
      at = run;
    } else if (text[at] === ']') {
      at = takeClosingBracket(at);
    } else {
      const opens = text[content - 1] === '[' && open.length < mostOpen;
      if (opens) open.push({ kind: 'bracket', start: at, mark: ']', content });
      at = content;
    }
  }
  return { spans, open };
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
