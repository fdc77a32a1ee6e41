import { completeFence } from './close-fence.ts';
import type { ListLevel } from './list-levels.ts';
import { scanLines } from './scan-lines.ts';

/** Where a segment begins in the text, and what stands before it so that it is whole by itself. */
export interface SegmentStart {
  at: number;
  /** A fence's opening line, or a table's header and delimiter. */
  lead: string;
  lists: readonly ListLevel[];
}

/** The segment that reaches from `start` to the end of `text`, were it not to be cut. */
export function assembleSegment(text: string, { at, lead, lists }: SegmentStart): string {
  const segment = continueLists(lead + text.slice(at).trimEnd(), lists);
  return at === 0 ? segment : dedent(segment);
}

/**
 * Moves what begins a segment left, together with the lines nested as deep, so that it is at most
 * three columns in: four would make indented code of it.
 */
function dedent(segment: string): string {
  const indentation = /^ */.exec(segment)?.[0] ?? '';
  if (indentation.length <= 3) return segment;
  const lines = segment.split('\n');
  const end = lines.findIndex((line) => !line.startsWith(indentation) && line.trim() !== '');
  const nested = end === -1 ? lines.length : end;
  const moved = lines.slice(0, nested).map((line) => line.slice(indentation.length - 3));
  return [...moved, ...lines.slice(nested)].join('\n');
}

const anyFence = /`{3}|~{3}/;

/**
 * The segment with all that may have to close it. What was reserved for a fence stays reserved behind
 * it, where it ends without a closing line of that length: so no growth of the text makes it less.
 */
export function reserveSegment(text: string, start: SegmentStart): string {
  const segment = assembleSegment(text, start);
  if (!anyFence.test(segment)) return segment;
  const lines = scanLines(segment, start);
  const reserved = lines.flatMap((line, index) => {
    const { fence } = line;
    if (!fence) return [];
    if (line.kind === 'fence-close') return fence.closing.slice(line.text.length);
    const below = lines[index + 1];
    return below && below.fence !== fence ? `\n${fence.closing}` : [];
  });
  return [completeFence(segment, lines), ...reserved].join('');
}

/**
 * Gives the first item of each ordered list that goes on from `lists` its right number, where it is
 * written with a lower one (as in lists numbered 1. 1. 1.).
 */
function continueLists(markdown: string, lists: readonly ListLevel[]): string {
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
