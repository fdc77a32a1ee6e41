import type { ListLevel } from './list-levels.ts';
import { scanLines } from './scan-lines.ts';

/**
 * Gives the first item of each ordered list that goes on from `lists` its right number, where it is
 * written with a lower one (as in lists numbered 1. 1. 1.).
 */
export function continueLists(markdown: string, lists: readonly ListLevel[]): string {
  if (lists.every(({ next }) => next === undefined)) return markdown;
  let result = '';
  let copied = 0;
  for (const { content, item } of scanLines(markdown, { lists })) {
    if (!item?.number || !item.continued || !lists.includes(item.continued)) continue;
    const at = content - item.content + item.marker;
    result += markdown.slice(copied, at) + String(item.number.right);
    copied = at + item.number.written.length;
  }
  return result + markdown.slice(copied);
}
