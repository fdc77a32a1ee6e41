import type { Line } from './scan-lines.ts';

/** Closes fenced code that is open at the end of `markdown`, whose lines `lines` are. */
export function closeFence(markdown: string, lines: readonly Line[]): string {
  const last = lines.at(-1);
  if (last?.kind !== 'code' || !last.fence) return markdown;
  return `${markdown}${markdown.endsWith('\n') ? '' : '\n'}${last.fence.closing}`;
}

/** The same for code that still grows: a last line that may become the closing one is taken for it. */
export function completeFence(markdown: string, lines: readonly Line[]): string {
  const last = lines.at(-1);
  if (last?.kind !== 'code' || !last.fence) return markdown;
  const bare = markdown.slice(last.start).replaceAll(/\s/g, '');
  const begun = bare !== '' && last.fence.closing.replaceAll(/\s/g, '').startsWith(bare);
  return begun ? markdown.slice(0, last.start) + last.fence.closing : closeFence(markdown, lines);
}
