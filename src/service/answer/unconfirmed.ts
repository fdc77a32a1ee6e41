import { toUnits } from '../ingestion/units.ts';
import { isCapital, tokenize, words, wordsWithin } from '../retrieval/tokenize.ts';
import type { StoredPassage } from '../store/passage-store.ts';

const maxSentences = 3;

/**
 * The sentences of an answer whose names and numbers are in none of the passages that it cites. A
 * sentence that has one of them there, or none at all, is left out, and so are the question's own names.
 */
export function findUnconfirmed(
  answer: string,
  query: string,
  cited: readonly StoredPassage[],
): string[] {
  if (cited.length === 0) return [];
  const texts = cited.flatMap(({ text, headings, source }) => [text, source.title, ...headings]);
  const known = new Set(tokenize(texts.join('\n')));
  const asked = new Set(tokenize(query));
  return toUnits(answer)
    .filter(({ kind }) => kind !== 'code')
    .map(({ text }) => text.replaceAll(/\[[\d.]+\]/gu, '').trim())
    .filter((sentence) => {
      const facts = toFacts(sentence).filter((token) => !asked.has(token));
      return facts.length > 0 && !facts.some((token) => known.has(token));
    })
    .slice(0, maxSentences);
}

function toFacts(sentence: string): string[] {
  const names = wordsWithin(sentence).filter(isCapital);
  const numbers = words(sentence).filter((word) => /\p{N}/u.test(word));
  return [...names, ...numbers].flatMap((word) => tokenize(word).slice(0, 1));
}
