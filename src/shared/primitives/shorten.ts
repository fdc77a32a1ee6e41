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

/** Below U+0300, only a line feed joins the code unit before it. Asking `Intl` would take longer. */
function isApart(before: number, code: number): boolean {
  return before < 0x300 && code < 0x300 && code !== 0x0a;
}
