import type { Passage } from '../ingestion/passages.ts';
import { toUnits } from '../ingestion/units.ts';
import { toShapes } from './question.ts';
import { toFamily } from './stem.ts';
import { isCapital, toHeadingTokens, tokensVersion, tokenize, wordsWithin } from './tokenize.ts';

/**
 * Increase the added number by one whenever `toTerms` returns other terms for the same text: what was
 * indexed with another version is then indexed again.
 */
export const indexVersion = tokensVersion + 2;

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

/**
 * The bytes of terms as they are stored: each token is a record that a question can skip. It begins
 * with the hash of the token's family, and has its places in the whole text.
 */
export function packTerms({ tokens, capitals, units, headings }: Terms): Uint8Array {
  const placesOf = tokens.map((): number[] => []);
  for (const [place, token] of units.flatMap((unit) => unit.places).entries()) {
    placesOf[token]?.push(place);
  }
  const records = tokens.map((token, index) =>
    toRecord(token, [toNatural(capitals[index] ?? null), ...(placesOf[index] ?? [])]),
  );
  return Buffer.concat([
    toVarints([tokens.length]),
    ...records,
    toVarints([headings.length]),
    ...headings.map((heading) => toRecord(heading, [])),
    toVarints(units.flatMap(({ shapes, places }) => [shapes, places.length])),
  ]);
}

function toRecord(token: string, numbers: readonly number[]): Uint8Array {
  const text = Buffer.from(token);
  const rest = Buffer.concat([toVarints([text.length]), text, toVarints(numbers)]);
  return Buffer.concat([toVarints([hashOf(toFamily(token)), rest.length]), rest]);
}

/** What a question asks of a passage's terms: only the tokens of its families. */
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
  /** The number of tokens in the text, whatever their family. */
  length: number;
  headings: string[];
}

/** Reads packed terms: most of them do not concern the question and never become objects. */
export function unpackTerms(packed: Uint8Array, families: Families): AskedTerms {
  const cursor = { bytes: Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength), at: 0 };
  const tokens: AskedTerms['tokens'] = [];
  const sights: { place: number; token: number }[] = [];
  readRecords(cursor, families, (token, end) => {
    const capitals = fromNatural(readVarint(cursor));
    let count = 0;
    for (; cursor.at < end; count += 1) {
      sights.push({ place: readVarint(cursor), token: tokens.length });
    }
    tokens.push({ token, capitals, count });
  });
  const headings: string[] = [];
  readRecords(cursor, families, (heading) => headings.push(heading));

  sights.sort((one, other) => one.place - other.place);
  const units: AskedTerms['units'] = [];
  let length = 0;
  let seen = 0;
  for (let number = 0; cursor.at < cursor.bytes.length; number += 1) {
    const shapes = readVarint(cursor);
    length += readVarint(cursor);
    const from = seen;
    while (seen < sights.length && (sights[seen]?.place ?? 0) < length) seen += 1;
    if (seen === from) continue;
    units.push({ number, shapes, places: sights.slice(from, seen).map(({ token }) => token) });
  }
  return { tokens, units, length, headings };
}

/** Calls `read` for each record of the families, with the cursor after the record's token. */
function readRecords(
  cursor: Cursor,
  { hashes, names }: Families,
  read: (token: string, end: number) => void,
): void {
  for (let left = readVarint(cursor); left > 0; left -= 1) {
    const isMeant = hashes[readVarint(cursor)] === 1;
    const end = readVarint(cursor) + cursor.at;
    if (isMeant) {
      const textEnd = readVarint(cursor) + cursor.at;
      const token = cursor.bytes.toString('utf8', cursor.at, textEnd);
      cursor.at = textEnd;
      if (names.has(toFamily(token))) read(token, end);
    }
    cursor.at = end;
  }
}

/** The families of a question's tokens (see `toFamily`). */
export interface Families {
  names: ReadonlySet<string>;
  /** 1 for each hash of one of them. */
  hashes: Uint8Array;
}

export function toFamilies(tokens: readonly string[]): Families {
  const names = new Set(tokens.map(toFamily));
  const hashes = new Uint8Array(hashCount);
  for (const name of names) hashes[hashOf(name)] = 1;
  return { names, hashes };
}

/** Each is two bytes as a varint. */
const hashCount = 2 ** 14;

function hashOf(family: string): number {
  let hash = 0;
  for (let index = 0; index < family.length; index += 1) {
    hash = (hash * 31 + family.charCodeAt(index)) % hashCount;
  }
  return hash;
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

/** Numbers that are not negative, of seven bits a byte, highest first; the last byte of each is below 128. */
function toVarints(numbers: readonly number[]): Uint8Array {
  return Uint8Array.from(numbers.flatMap(toBytes));
}

function toBytes(number: number): number[] {
  const bytes = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift((rest % 128) + 128);
  }
  return bytes;
}

/** Where to read the next number. */
interface Cursor {
  bytes: Buffer;
  at: number;
}

/** Reads one number; the cursor is then after it. */
function readVarint(cursor: Cursor): number {
  let number = 0;
  for (;;) {
    const byte = cursor.bytes[cursor.at] ?? 0;
    cursor.at += 1;
    number = number * 128 + (byte & 127);
    if (byte < 128) return number;
  }
}
