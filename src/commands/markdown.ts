/** Text that Markdown shows as it is: names and titles come from anyone. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll('](', '] (')
    .replaceAll(/[\\`*_~|]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, ' ');
}

/** Text as a quotation: each line begins with `>`. */
export function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
