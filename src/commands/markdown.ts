/** Text that Markdown shows as it is: names and titles come from anyone. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll('](', '] (')
    .replaceAll(/[\\`*_~|]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, ' ');
}

/** A text that is not longer than `most` characters, with what was cut shown by an ellipsis. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** Text as a quotation: each line begins with `>`. */
export function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
