import { createSplitter } from '../../../../src/bridge/conversation/markdown/split-markdown.ts';
import type { MessageLimits } from '../../../../src/bridge/conversation/thread.ts';
import { atOnce } from '../../../../src/shared/primitives/time.ts';

/** Splits a text at once. */
export function splitMarkdown(markdown: string, limits: MessageLimits): string[] {
  return atOnce(createSplitter(limits)(markdown));
}

const fenceLine = /^[ >]*(`{3,}|~{3,})/;
const closingLine = /^[ >]*(`{3,}|~{3,})$/;
const delimiterRow = /^[ |:-]+$/;

/** The marker of the fenced code that is open at the end, by CommonMark's rules. */
export function findOpenFence(markdown: string): string | undefined {
  let open: { marker: string; quoted: boolean } | undefined;
  for (const line of markdown.split('\n')) {
    const quoted = line.startsWith('>');
    if (open?.quoted && !quoted) open = undefined;
    const bare = line.replace(/^(?:> ?)*(?:\s*[-*+] )?/, '').trim();
    const marker = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(bare)?.[0];
    if (marker === undefined) continue;
    if (!open) open = { marker, quoted };
    else if (marker === bare && marker.startsWith(open.marker)) open = undefined;
  }
  return open?.marker;
}

/**
 * Finds the text in its pieces, one after the other. What a piece may have besides is a fence's
 * opening line or a table's two first rows before, a closing fence behind, a higher number before
 * an item, and less white space.
 * @throws {Error} when anything else is there, or missing
 */
export function assertWhole(text: string, pieces: readonly string[]): void {
  let ends = [0];
  for (const piece of pieces) {
    const bodies = withoutAdditions(piece, text);
    const found = ends.flatMap((at) => bodies.map((body) => findBehind(text, at, body) ?? -1));
    const behind = text.slice(ends[0]);
    ends = [...new Set(found)].filter((end) => end !== -1);
    if (ends.length === 0) throw new Error(`not next in the text:\n${piece}\n---\n${behind}`);
  }
  const whole = ends.some((end) => text.slice(end).trim() === '');
  if (!whole) throw new Error(`missing at the end:\n${text.slice(ends[0])}`);
}

/** A piece as it is, and without what a cut may have added. */
function withoutAdditions(piece: string, text: string): string[] {
  const lines = piece.split('\n');
  const [first = '', second = ''] = lines;
  const occurs = (part: string) => withoutSpaces(text).includes(withoutSpaces(part));
  const starts = [0];
  if (fenceLine.test(first)) starts.push(1);
  if (delimiterRow.test(second) && occurs(`${first}\n${second}`)) starts.push(2);
  const ends = [lines.length];
  if (closingLine.test(lines.at(-1) ?? '')) ends.push(lines.length - 1);
  return starts.flatMap((start) => ends.map((end) => lines.slice(start, end).join('\n')));
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/[^\S\n]+/g, '');
}

/** Where `body` ends in `text`, white space aside, if it stands there from `start` on. */
function findBehind(text: string, start: number, body: string): number | undefined {
  const number = /(?<=^[ >]*)\d{1,9}(?=[.)]\s)/my;
  let at = start;
  for (let index = 0; index < body.length; index += 1) {
    if (/\s/.test(body[index] ?? '')) continue;
    while (/\s/.test(text[at] ?? '')) at += 1;
    const [higher, written] = [matchAt(number, body, index), matchAt(number, text, at)];
    if (higher && written && Number(higher) > Number(written)) {
      index += higher.length - 1;
      at += written.length;
    } else if (body[index] !== text[at]) return undefined;
    else at += 1;
  }
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
