const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Shortens a text to at most `max` UTF-16 units, with an ellipsis if it was cut. Cuts between
 * grapheme clusters, so an emoji or an accented letter is never split.
 */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${cut(text, max - 1)}…`;
}

/** The start of a text, at most `max` UTF-16 units, cut between grapheme clusters. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  if (isApart(text.charCodeAt(max - 1), text.charCodeAt(max))) return text.slice(0, max);
  // Text after the character at `max` makes no difference, but would be segmented too.
  const read = text.slice(0, max + 2);
  return text.slice(0, graphemes.segment(read).containing(max)?.index);
}

/** Whether there is nothing to see in a text. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cf}]/u.test(text);
}

/** For comparing what people type: its case, and how its letters are composed, make no difference. */
export function toComparable(text: string): string {
  // The names of files from a Mac have decomposed letters.
  return text.normalize().trim().toLowerCase();
}

/** The value in a text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Below U+0300, only a line feed joins the code unit before it. Asking `Intl` would take longer. */
function isApart(before: number, code: number): boolean {
  return before < 0x300 && code < 0x300 && code !== 0x0a;
}

/**
 * Characters that change the direction of the text after them, up to the next such character or the end
 * of the paragraph: embeddings, overrides and isolates (unicode.org/reports/tr9, 2.1 to 2.5).
 */
const turns = /[\u202A-\u202E\u2066-\u2069]/g;

/** A letter that is written from right to left, or a mark that counts as one. */
const rightToLeft =
  /[\u0590-\u08FF\u200F\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

const leftToRightMark = '\u200E';

/**
 * Text without the characters that could reorder the text around it. Letters have their own direction,
 * and the marks U+200E, U+200F and U+061C affect only their neighbours, so Arabic and Hebrew stay
 * unchanged.
 */
export function withoutTurns(text: string): string {
  return text.replace(turns, '');
}

/**
 * A name or title within a line of other text. Numbers and punctuation next to right-to-left letters
 * would change places with them; a mark on each side keeps them in place.
 */
export function keepInPlace(text: string): string {
  const plain = withoutTurns(text);
  return rightToLeft.test(plain) ? leftToRightMark + plain + leftToRightMark : plain;
}
