import { type Frequencies, rarity, type Weights } from './bm25.ts';
import type { Candidate } from './score.ts';
import { withoutKind } from './question.ts';
import {
  groupedPattern,
  hyphenedPattern,
  isCapital,
  isEnd,
  isGrammatical,
  joinGroups,
  tokenize,
  tokenizeWords,
  words,
  wordsWithin,
} from './tokenize.ts';
import { isCommon } from './word-lists.ts';

/** What is searched for. */
export interface SearchedQuery {
  query: string;
  previousQuery?: string;
  /** Its vector, if it is searched by meaning too. */
  embedded?: { model: string; vector: Float32Array };
}

const followUpWords = new Set(
  'it its they them their that this those these he him his she her there also too more else es sie ihn ihm dessen deren davon dazu dort auch'.split(
    ' ',
  ),
);
const followUpShare = 0.5;
/** Total weight of the previous query's tokens: less than that of a general word. */
const hintShare = 0.15;

/** A query's tokens, and those of the previous query if this one depends on it. */
interface QueryTokens {
  own: string[];
  before: string[];
  /** Whether it refers to the previous query, rather than just being short. */
  refers: boolean;
}

export function toQueryTokens(query: string, previousQuery = ''): QueryTokens {
  const before = leansOnPrevious(query) ? tokenizeQuery(previousQuery) : [];
  return { own: tokenizeQuery(query), before, refers: refersToPrevious(query) };
}

/** More would not help to find the best passages. */
const maxQueryTokens = 256;

/** The tokens of a query, without what only says of which kind the answer is; of a long one, the first and the last. */
export function tokenizeQuery(query: string): string[] {
  const telling = tokenize(withoutKind(query));
  const tokens = telling.length > 0 ? telling : tokenize(query);
  if (tokens.length <= maxQueryTokens) return tokens;
  return [...tokens.slice(0, maxQueryTokens / 2), ...tokens.slice(-maxQueryTokens / 2)];
}

const spelledPattern = new RegExp(
  [hyphenedPattern.source, '(?<!\\p{L})\\p{L}+', groupedPattern.source].join('|'),
  'gu',
);
const umlautPattern = /(?<![aeq])([aou])e/giu;

/**
 * How a word is searched for, and how else: “e-mail” as two words and as one, “Gebuehr” also as “Gebühr”,
 * “10.000” as “10000” and as two numbers. A dash does not make “E” a letter as that of “plan E”.
 */
function toSpellings(word: string): [string, string] {
  if (word.includes('-')) return [word.replace('-', '–'), word.replace('-', '')];
  if (/^\p{N}/u.test(word)) return [joinGroups(word), word];
  return [word, word.replaceAll(umlautPattern, '$1')];
}

/** A query with each word in its other spelling if the passages know only that. */
export async function respell(
  query: string,
  countFrequencies: (tokens: readonly string[]) => Promise<Frequencies>,
): Promise<string> {
  const spellings = [...query.matchAll(spelledPattern)]
    .map(([word]) => toSpellings(word))
    .filter(([one, other]) => one !== other);
  if (spellings.length === 0) return query;
  const { of } = await countFrequencies([...new Set(spellings.flat().flatMap(tokenize))]);
  const isKnown = (text: string) => tokenize(text).some((token) => (of.get(token) ?? 0) > 0);
  return query.replaceAll(spelledPattern, (word) => {
    const [one, other] = toSpellings(word);
    return !isKnown(one) && isKnown(other) ? other : one;
  });
}

/** In characters. In pasted text, the question stands at the start or at the end. */
const maxQueryLength = 4000;

/** What is searched for: of a long query, its start and its end. */
export function toSearched(query: string): string {
  if (query.length <= maxQueryLength) return query;
  return `${query.slice(0, maxQueryLength / 2)}\n${query.slice(-maxQueryLength / 2)}`;
}

/**
 * The weight of each token, as often as the query has it; those of the previous query have a smaller share. For a short query
 * with a word that the passages know, they are only a hint.
 */
export function toShares(tokens: QueryTokens, frequencies: Frequencies): Map<string, number> {
  const { own, before, refers } = tokens;
  const isKnown = own.some((token) => (frequencies.of.get(token) ?? 0) > 0);
  const share = refers || !isKnown ? followUpShare : hintShare / before.length;
  return new Map([
    ...before.map((token) => [token, share] as const),
    ...[...Map.groupBy(own, String)].map(([token, { length }]) => [token, length] as const),
  ]);
}

/** Whether a query says too little alone: a word or two, or a pronoun. */
export function leansOnPrevious(query: string): boolean {
  return (
    tokenizeWords(query).filter((token) => !isEnd(token)).length < 2 || refersToPrevious(query)
  );
}

const goesOnPattern = /^\s*(?:and|und|(?:what|how) about|was ist mit)\b/iu;

/**
 * What a query may lean on: the one before, together with its own previous one if that one goes on with it.
 * “Is there parking?” is short, but begins anew.
 */
export function toPreviousQuery(lastTwo: readonly string[]): string | undefined {
  const last = lastTwo.at(-1);
  if (last === undefined) return undefined;
  const goesOn =
    goesOnPattern.test(last) || refersToPrevious(last) || tokenizeWords(last).length === 0;
  return goesOn ? lastTwo.join('\n') : last;
}

/** What is written like a pronoun: the polite “Sie”, the department IT, and “is there”, “gibt es”. */
const noPronounPattern =
  /(?<=[\p{L}\p{N},;] )Sie\b|\bIT\b|\b(?i:(?:is|are|was|were|will) there|gibt es|es gibt)\b/gu;

function refersToPrevious(query: string): boolean {
  return words(query.replaceAll(noPronounPattern, ' ')).some((word) => followUpWords.has(word));
}

const nameShare = 1.5;
const endShare = 0.6;
const grammaticalShare = 0.3;

/**
 * How much each token says about a passage that contains it: more if it is rare among the passages
 * or a name, less if it is only part of a word.
 */
export function toWeights(
  shares: ReadonlyMap<string, number>,
  frequencies: Frequencies,
  names: ReadonlySet<string>,
): Weights {
  const toKind = (token: string) => {
    if (isEnd(token)) return endShare;
    if (isGrammatical(token)) return grammaticalShare;
    return names.has(token) ? nameShare : 1;
  };
  return new Map(
    [...shares].map(([token, share]) => [
      token,
      share * toKind(token) * rarity(token, frequencies),
    ]),
  );
}

const commonShare = 0.5;
const nameAsEvidence = 0.87;
const rarityPower = 0.15;
/** Among fewer passages, the number of passages with a token says little. */
const minPassages = 3;

/**
 * How much each token says about whether a passage answers, by its weight in ranking. A general word says less,
 * and so does a name, which weighs more in ranking. What is rare says more.
 */
export function toEvidenceWeights(
  query: string,
  weights: Weights,
  { frequencies, names }: { frequencies: Frequencies; names: ReadonlySet<string> },
): Weights {
  const common = new Set(words(query).filter(isCommon).flatMap(tokenize));
  const toShare = (token: string) =>
    (common.has(token) ? commonShare : 1) * (names.has(token) ? nameAsEvidence : 1);
  const passages = Math.max(frequencies.passages, minPassages);
  return new Map(
    [...weights].map(([token, weight]) => {
      const rare = rarity(token, { ...frequencies, passages });
      const share = toShare(token) * (rare / rarity(token, frequencies));
      return [token, weight * share * rare ** rarityPower];
    }),
  );
}

/**
 * The tokens that are names: written with a capital within a sentence, in the query (the passages
 * may not have them) or mostly in the passages (queries are often typed without capitals).
 */
export function findNames(
  query: string,
  candidates: readonly Pick<Candidate, 'terms'>[],
): Set<string> {
  const own = new Set(tokenize(query));
  const balance = new Map<string, number>();
  for (const { terms } of candidates) {
    for (const { token, capitals } of terms.tokens) {
      if (capitals === null || !own.has(token)) continue;
      balance.set(token, (balance.get(token) ?? 0) + capitals);
    }
  }
  const unknown = wordsWithin(query)
    .filter(isCapital)
    .flatMap(tokenize)
    .filter((token) => !balance.has(token));
  const known = [...balance].filter(([, more]) => more > 0).map(([token]) => token);
  return new Set([...known, ...unknown]);
}
