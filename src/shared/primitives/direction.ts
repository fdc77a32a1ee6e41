/**
 * Characters that turn the direction of the text behind them, up to another one or the end of the
 * paragraph: embeddings, overrides and isolates (unicode.org/reports/tr9, 2.1 to 2.5).
 */
const turns = /[\u202A-\u202E\u2066-\u2069]/g;

/** A letter that is written from right to left, or a mark that counts as one. */
const rightToLeft =
  /[\u0590-\u08FF\u200F\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

const leftToRightMark = '\u200E';

/**
 * Text from anyone without what could show the text around it in another order than it is written.
 * Letters have a direction of their own, and the marks U+200E, U+200F and U+061C act on what is next
 * to them only, so Arabic and Hebrew stay as they are.
 */
export function withoutTurns(text: string): string {
  return text.replace(turns, '');
}

/**
 * A name or title to stand in a line of ours. Beside right-to-left letters, numbers and signs would
 * change places with it; a mark on each side keeps them where they are.
 */
export function keepInPlace(text: string): string {
  const plain = withoutTurns(text);
  return rightToLeft.test(plain) ? leftToRightMark + plain + leftToRightMark : plain;
}
