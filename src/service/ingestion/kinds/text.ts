import type { Draft } from '../document.ts';

export const maxBlockLength = 20_000;
const listOrIndentedPattern = /^\s*(?:[-*•]|\d{1,3}[.)])\s|^\s{4,}|^\t/u;
const minWrappedLength = 50;

/** Plain text: paragraphs between blank lines, with wrapped lines joined. */
export function fromText(text: string): Draft {
  const blocks = text
    .split(/\n[ \t]*\n\s*/u)
    .flatMap((paragraph) => [...joinWrapped(paragraph)])
    .flatMap(cutEndless)
    .map((text) => ({ text, headings: [] }));
  return { title: '', blocks };
}

/**
 * A long line continues in the next one, unless that is indented or starts a list item. A paragraph
 * with too many lines is split.
 */
function* joinWrapped(paragraph: string): Generator<string> {
  let joined = '';
  let previous = '';
  for (const line of paragraph.split('\n')) {
    if (joined.length > maxBlockLength) {
      yield joined.trim();
      joined = '';
    }
    const goesOn = previous.length >= minWrappedLength && !listOrIndentedPattern.test(line);
    joined += goesOn ? ` ${line.trim()}` : `\n${line.trimEnd()}`;
    previous = line;
  }
  yield joined.trim();
}

/** Splits endless blocks, such as a file with one line of megabytes, preferably between words. */
export function cutEndless(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > maxBlockLength) {
    const space = text.slice(from, from + maxBlockLength).lastIndexOf(' ');
    let to = from + (space > maxBlockLength / 2 ? space : maxBlockLength);
    const code = text.charCodeAt(to);
    if (code >= 0xdc00 && code <= 0xdfff) to += 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  parts.push(text.slice(from));
  return parts;
}
