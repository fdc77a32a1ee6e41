const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const wide =
  /^(?:\p{Emoji_Presentation}|\p{RI}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Bopomofo}|[\u3000-\u303E\u30A0-\u30FF\u31F0-\u31FF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6])|\uFE0F/u;
const ascii = /^[ -~]*$/;
const invisible = /^[\p{M}\p{Cf}\p{Cc}]*$/u;

/** The cells a terminal or a code block gives a text: two to East Asian wide characters and emoji. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += clusterWidth(segment);
  return width;
}

/** Breaks a text into lines of at most `width` cells, at spaces where there are any. */
export function wrapText(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(/(?<= )/)) {
    const line = lines.at(-1) ?? '';
    if (displayWidth(line + word.trimEnd()) <= width) lines.splice(-1, 1, line + word);
    else if (displayWidth(word.trimEnd()) <= width) lines.push(word);
    else lines.push(...breakWord(word, width));
  }
  const filled = lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  return filled.length > 0 ? filled : [''];
}

function breakWord(word: string, width: number): string[] {
  const lines: string[] = [];
  let left = 0;
  for (const { segment } of graphemes.segment(word)) {
    const cells = clusterWidth(segment);
    if (cells > left) {
      lines.push('');
      left = width;
    }
    lines.splice(-1, 1, (lines.at(-1) ?? '') + segment);
    left -= cells;
  }
  return lines;
}

function clusterWidth(cluster: string): number {
  if (invisible.test(cluster)) return 0;
  return wide.test(cluster) ? 2 : 1;
}
