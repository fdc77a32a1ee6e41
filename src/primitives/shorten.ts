const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * A text of at most `max` UTF-16 units, with an ellipsis where it was cut. Cuts between what people
 * see as characters, so that an emoji or an accented letter is kept whole or left out.
 */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${cut(text, max - 1)}…`;
}

/** The beginning of a text, of at most `max` UTF-16 units, cut between characters as people see them. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, graphemes.segment(text).containing(max)?.index);
}
