import { type Frequencies, rarity, type Weights } from './bm25.ts';

/** Of every unit of rarity, the share of a question that has to be found. */
const shareOfRarity = 0.036;
/** A question counts as if it had this many unknown words more, so that a short one needs more. */
const addedWords = 3;
/** Among very few passages, too. Of a question without spaces, many tokens are not words. */
const least = 0.3;
/** A question of which this much is found has evidence, however short. */
const enough = 0.7;

/** Where words have no spaces, one makes about three tokens, of which many are not words. */
const spacelessWordTokens = 3;
const spacelessShare = 0.6;
const spacelessPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * The share of a question's weight that has to stand in one place for it to be evidence. The more
 * passages there are, the more words does any question share with one of them by chance, and of a few
 * words none may be missing. Chosen with `npm run bench -- retrieval --curve`, for questions in all of
 * its languages.
 */
export function toNeededShare(query: string, weights: Weights, frequencies: Frequencies): number {
  const isSpaceless = spacelessPattern.test(query);
  const unknown = rarity('', { ...frequencies, of: new Map() });
  const added = unknown * addedWords * (isSpaceless ? spacelessWordTokens : 1);
  const total = weights.values().reduce((sum, weight) => sum + weight, 0);
  const share = shareOfRarity * unknown * (isSpaceless ? spacelessShare : 1);
  return Math.min(
    enough,
    Math.max(isSpaceless ? least * spacelessShare : least, share * (1 + added / (total || 1))),
  );
}
