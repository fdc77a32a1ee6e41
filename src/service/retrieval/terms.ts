import type { Passage } from '../ingestion/passages.ts';
import { toUnits } from '../ingestion/units.ts';
import { toShapes } from './question.ts';
import {
  isCapital,
  isEnd,
  toHeadingTokens,
  tokensVersion,
  tokenize,
  wordsWithin,
} from './tokenize.ts';

/**
 * Increase the added number by one whenever files are read in another way, or `toTerms` returns other
 * terms for the same text: what was indexed with another version is then read and indexed again.
 */
export const indexVersion = tokensVersion + 4;

/** What ranking needs of a passage. It is stored with it, because it takes long to make. */
export interface Terms {
  /** The different tokens of its text, sorted. */
  tokens: string[];
  /**
   * How much more often each is written with a capital within a sentence than without; null if it
   * never is within one.
   */
  capitals: (number | null)[];
  /** Each sentence, list item or code block: its tokens, by their place in `tokens`, and `toShapes`. */
  units: { shapes: number; places: number[] }[];
  /** The different tokens of its headings. */
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
    for (const token of tokenize(word)) {
      if (!isEnd(token)) capitals.set(token, (capitals.get(token) ?? 0) + more);
    }
  }
  return capitals;
}

/** How often a passage has each term, headings included, by which search finds it. */
export function countTerms({ tokens, units, headings }: Terms): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (token: string, count: number) => counts.set(token, (counts.get(token) ?? 0) + count);
  for (const place of units.flatMap(({ places }) => places)) add(tokens[place] ?? '', 1);
  for (const heading of headings) add(heading, headingWeight);
  return counts;
}

/** A term in a heading counts as often as this many in the text. */
export const headingWeight = 2;

/** Terms as JSON, which takes little time to parse: tokens, capitals by place, the units' shapes and places, headings. */
export function renderTerms({ tokens, capitals, units, headings }: Terms): string {
  const known = [...capitals.entries()].filter(([, capital]) => capital !== null);
  const shapes = units.map((unit) => unit.shapes);
  const places = units.map((unit) => unit.places);
  // No token has a space.
  return JSON.stringify([tokens.join(' '), known.flat(), shapes, places, headings.join(' ')]);
}

/** Reads what `renderTerms` has written. */
export function parseTerms(json: string): Terms {
  const [words, known, shapes, places, headings] = JSON.parse(json) as [
    string,
    number[],
    number[],
    number[][],
    string,
  ];
  const tokens = toList(words);
  // With gaps: most tokens are never within a sentence and in capitals.
  const capitals: (number | null)[] = [];
  for (let index = 0; index < known.length; index += 2) {
    capitals[known[index] ?? 0] = known[index + 1] ?? null;
  }
  const units = places.map((own, index) => ({ shapes: shapes[index] ?? 0, places: own }));
  return { tokens, capitals, units, headings: toList(headings) };
}

function toList(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}

/** What a question asks of a passage's terms: only its own tokens. */
export interface AskedTerms {
  tokens: {
    token: string;
    /** As in `Terms`. */
    capitals: number | null;
    /** How often the text has it. */
    count: number;
  }[];
  /** The units that have any of the tokens: the unit's number, and the places of its tokens in `tokens`. */
  units: { number: number; shapes: number; places: number[] }[];
  /** The number of all tokens in the text. */
  length: number;
  headings: string[];
}

/** The place of a token among sorted ones: to look at each would take most of a question's time. */
function findPlace(sorted: readonly string[], token: string): number | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < token) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === token ? low : undefined;
}

/** The part of a passage's terms that a question asks for. */
export function toAskedTerms(terms: Terms, wanted: ReadonlySet<string>): AskedTerms {
  const tokens: AskedTerms['tokens'] = [];
  /** By place: which of `tokens` it is. */
  const asked: (number | undefined)[] = [];
  for (const token of wanted) {
    const place = findPlace(terms.tokens, token);
    if (place === undefined) continue;
    asked[place] = tokens.length;
    tokens.push({ token, capitals: terms.capitals[place] ?? null, count: 0 });
  }
  const units: AskedTerms['units'] = [];
  let length = 0;
  for (const [number, unit] of terms.units.entries()) {
    length += unit.places.length;
    const places: number[] = [];
    for (const each of unit.places) {
      const place = asked[each];
      const token = place === undefined ? undefined : tokens[place];
      if (place === undefined || !token) continue;
      token.count += 1;
      places.push(place);
    }
    if (places.length > 0) units.push({ number, shapes: unit.shapes, places });
  }
  return { tokens, units, length, headings: terms.headings.filter((token) => wanted.has(token)) };
}
