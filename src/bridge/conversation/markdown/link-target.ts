import type { Finder } from './inline-leaves.ts';

/** Max characters to read after a link's text for its URL and title. */
const maxTarget = 4000;

/**
 * The end of the link target `(address "title")` that starts at `at`; `half` if the text ends
 * first; undefined if there is none. A URL that contains the end of another link's text does not
 * count.
 */
export function findLinkTarget(
  text: string,
  at: number,
  find: Finder,
): number | 'half' | undefined {
  if (text[at] !== '(') return undefined;
  const limit = Math.min(text.length, at + maxTarget);
  const end = limit === text.length ? 'half' : undefined;
  let depth = 0;
  for (let index = at; index < limit; index += 1) {
    const character = text[index] ?? '';
    if (text.startsWith('](', index)) return undefined;
    if (character === '\\') index += 1;
    else if (character === '(') depth += 1;
    else if (character === ')' && --depth === 0) return index + 1;
    else if (character === '<' && index === at + 1) {
      const angle = find.next('>', index);
      if (angle === undefined || angle >= limit)
        return text.slice(index, limit).includes('\n') ? undefined : end;
      index = angle;
    } else if (/\s/.test(character)) return findTitleEnd(text, index, limit);
  }
  return end;
}

function findTitleEnd(text: string, at: number, limit: number): number | 'half' | undefined {
  const rest = text.slice(at, limit);
  const whole = /^\s*(?:(?:"[^"]*"|'[^']*')\s*)?\)/.exec(rest);
  if (whole) return at + whole[0].length;
  const half = limit === text.length && /^\s*(?:"[^"]*(?:"\s*)?|'[^']*(?:'\s*)?)?$/.test(rest);
  return half ? 'half' : undefined;
}
