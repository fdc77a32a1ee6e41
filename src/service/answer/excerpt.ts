import { fencePattern, isName, toName, type Unit } from '../ingestion/units.ts';
import type { Hit } from '../retrieval/retrieve.ts';
import { defuseMarkers } from './fence.ts';

/** The quoted parts of one passage, by their position in it. */
export interface Excerpt {
  hit: Hit;
  units: Unit[];
  chosen: Set<number>;
}

/** The chosen parts in their order, below the name of what they describe. */
export function renderExcerpt({ hit, units, chosen }: Excerpt, marker: string | undefined): string {
  let text = '';
  let last: { unit: Unit; index: number } | undefined;
  for (const index of [...chosen].toSorted((one, other) => one - other)) {
    const unit = units[index];
    if (!unit) continue;
    if (last) {
      const together = hit.passage.text.slice(last.unit.end, unit.start);
      text += last.index === index - 1 ? together : gap(last.unit, unit);
    }
    text += unit.text;
    last = { unit, index };
  }
  text = defuseMarkers(withName(hit, withWholeFences(text.trimStart())));
  if (marker === undefined) return text;
  return last?.unit.kind === 'code' || text.trimEnd().endsWith('```')
    ? `${text}\n[${marker}]`
    : `${text} [${marker}]`;
}

/** A name within this many characters needs no repetition. */
const nearLength = 100;

/** A text below the heading of an option or variable says little without its name. */
function withName({ passage }: Hit, text: string): string {
  const name = passage.headings.at(-1) ?? '';
  if (!isName(name) || text.slice(0, nearLength).includes(name)) return text;
  return `${toName(name)}:${/^(?:[-*•`~]|\d+[.)])/u.test(text) ? '\n' : ' '}${text}`;
}

function gap(before: Unit, after: Unit): string {
  return before.kind === 'sentence' && after.kind === 'sentence' ? ' … ' : '\n';
}

/**
 * Restores the fences of an excerpt whose passage starts or ends inside code. A fence right below a
 * line closes that line's code; one after a blank line or at the top opens code.
 */
export function withWholeFences(excerpt: string): string {
  const lines = excerpt.split('\n');
  const fences = lines.flatMap((line, index) => (fencePattern.test(line) ? [index] : []));
  const [first] = fences;
  if (first === undefined || fences.length % 2 === 0) return excerpt;
  const mark = fencePattern.exec(lines[first] ?? '')?.[0].trim() ?? '```';
  const closes = first > 0 && lines[first - 1]?.trim() !== '';
  return closes ? `${mark}\n${excerpt}` : `${excerpt}\n${mark}`;
}
