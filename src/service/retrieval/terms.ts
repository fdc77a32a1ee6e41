import { readVarints, toVarints } from '../../primitives/varints.ts';
import type { Passage } from '../ingestion/passages.ts';
import { toUnits } from '../ingestion/units.ts';
import { toShapes } from './question.ts';
import { isCapital, toHeadingTokens, tokensVersion, tokenize, wordsWithin } from './tokenize.ts';

/**
 * Increase what is added by one whenever `toTerms` returns other terms for the same text: what was
 * indexed with another version is then indexed again.
 */
export const indexVersion = tokensVersion + 1;

/** What ranking needs of a passage. It is stored with it, because it takes long to make. */
export interface Terms {
  /** The different tokens of its text, sorted, so that those that begin alike are neighbours. */
  tokens: string[];
  /**
   * How much more often each is written with a capital within a sentence than without; null if it
   * never is within one.
   */
  capitals: (number | null)[];
  /** Each sentence, list item or code block: its tokens, by their place in `tokens`, and `toShapes`. */
  units: { shapes: number; places: number[] }[];
  /** The tokens of its headings. */
  headings: string[];
}

export function toTerms({ text, headings }: Pick<Passage, 'text' | 'headings'>): Terms {
  const units = toUnits(text).map((unit) => ({
    shapes: toShapes(unit.text),
    tokens: tokenize(unit.text),
  }));
  const capitals = countCapitals(text);
  const tokens = [
    ...new Set([...units.flatMap((unit) => unit.tokens), ...capitals.keys()]),
  ].toSorted();
  const places = new Map(tokens.map((token, place) => [token, place]));
  return {
    tokens,
    capitals: tokens.map((token) => capitals.get(token) ?? null),
    units: units.map(({ shapes, tokens }) => ({
      shapes,
      places: tokens.map((token) => places.get(token) ?? 0),
    })),
    headings: [...new Set(toHeadingTokens({ headings }, ''))],
  };
}

function countCapitals(text: string): Map<string, number> {
  const capitals = new Map<string, number>();
  for (const word of wordsWithin(text)) {
    const more = isCapital(word) ? 1 : -1;
    for (const token of tokenize(word)) capitals.set(token, (capitals.get(token) ?? 0) + more);
  }
  return capitals;
}

/** The place of the first token that is not before `token`. */
export function findPlace({ tokens }: Terms, token: string): number {
  let from = 0;
  let to = tokens.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((tokens[middle] ?? '') < token) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** UTF-8 never has this byte. */
const textEnd = 0xff;

/** The bytes of terms as they are stored: see `unpackTerms`. */
export function packTerms({ tokens, capitals, units, headings }: Terms): Uint8Array {
  const numbers = [
    ...capitals.map(toNatural),
    ...units.flatMap(({ shapes, places }) => [shapes, places.length, ...places]),
  ];
  const text = `${tokens.join(' ')}\n${headings.join(' ')}`;
  return Buffer.concat([Buffer.from(text), Buffer.of(textEnd), toVarints(numbers)]);
}

export function unpackTerms(bytes: Uint8Array): Terms {
  const end = bytes.indexOf(textEnd);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString();
  const [tokens = [], headings = []] = text
    .split('\n')
    .map((line) => (line === '' ? [] : line.split(' ')));
  const numbers = readVarints(bytes.subarray(end + 1));
  const capitals = numbers.slice(0, tokens.length).map(fromNatural);
  const units: Terms['units'] = [];
  for (let at = tokens.length; at < numbers.length;) {
    const [shapes = 0, length = 0] = [numbers[at], numbers[at + 1]];
    units.push({ shapes, places: numbers.slice(at + 2, at + 2 + length) });
    at += 2 + length;
  }
  return { tokens, capitals, units, headings };
}

/** null, 0, -1, 1, -2, 2, … → 0, 1, 2, 3, 4, 5, … */
function toNatural(value: number | null): number {
  if (value === null) return 0;
  return value < 0 ? -2 * value : 2 * value + 1;
}

function fromNatural(natural: number): number | null {
  if (natural === 0) return null;
  return natural % 2 === 0 ? -natural / 2 : (natural - 1) / 2;
}
