import { sum } from '../../shared/primitives/sum.ts';
import { type Unit, toUnits } from '../ingestion/units.ts';
import { type Asked, hasShape, toAsked } from '../retrieval/question.ts';
import type { Hit } from '../retrieval/retrieve.ts';
import { toHeadingTokens, tokenize } from '../retrieval/tokenize.ts';

/** The quoted parts of one passage, by their position in it. */
export interface Excerpt {
  hit: Hit;
  units: Unit[];
  chosen: Set<number>;
}

/** A sentence, item or code block that can be quoted. */
interface Choice {
  excerpt: Excerpt;
  index: number;
  score: number;
}

const maxCharacters = 900;
const maxChoices = 6;
const maxListItems = 10;
const passageLimit = 3;

const headingShare = 0.5;
const beforeShare = 0.4;
const shapeShare = 0.25;
const passageShare = 0.6;
const minShare = 0.45;
const minShareBesideSteps = 0.85;
/** What the question of a written answer holds of the asked one, at least. */
const minWrittenShare = 0.75;

/**
 * Chooses what to quote from the hits: the sentences with the most weight of the query, plus the
 * context needed to read them. Excerpts keep the order of the hits; hits with nothing chosen are
 * left out. An answer that somebody has written for this question is quoted whole, and alone.
 */
export function chooseExcerpts(query: string, hits: Hit[]): Excerpt[] {
  const asked = toAsked(query);
  const [best] = hits;
  if (best && isWrittenAnswer(best)) return [toWhole(best)];
  const excerpts = hits
    .slice(0, passageLimit)
    .map((hit) => ({ hit, units: toUnits(hit.passage.text), chosen: new Set<number>() }));
  const choices = excerpts
    .flatMap((excerpt) => toChoices(excerpt, asked, best?.score ?? 1))
    .toSorted((one, other) => other.score - one.score);
  const bestScore = choices[0]?.score ?? 0;

  let characters = 0;
  let taken = 0;
  let minScore = bestScore * minShare;
  for (const { excerpt, index, score } of choices) {
    if (taken >= maxChoices || score < minScore) break;
    if (excerpt.chosen.has(index)) continue;
    const added = withContext(excerpt.units, index, asked).filter(
      (unit) => !excerpt.chosen.has(unit),
    );
    const length = added.reduce((sum, unit) => sum + (excerpt.units[unit]?.text.length ?? 0), 0);
    if (taken > 0 && characters + length > maxCharacters) continue;
    for (const unit of added) excerpt.chosen.add(unit);
    characters += length;
    taken += 1;
    if (asked === 'steps' && added.length > 2) minScore = bestScore * minShareBesideSteps;
  }
  return excerpts.filter((excerpt) => excerpt.chosen.size > 0);
}

function toWhole(hit: Hit): Excerpt {
  const units = toUnits(hit.passage.text);
  return { hit, units, chosen: new Set(units.keys()) };
}

function toChoices(excerpt: Excerpt, asked: Asked, bestScore: number): Choice[] {
  const { weights, unitWeights, passage, score } = excerpt.hit;
  const total = sum(weights.values()) || 1;
  const heading = toShare(tokenize(passage.headings.join('\n')), weights);
  const own = excerpt.units.map((_, index) => (unitWeights.get(index) ?? 0) / total);
  return excerpt.units.map((unit, index) => {
    const fit =
      (own[index] ?? 0) +
      headingShare * heading +
      beforeShare * (own[index - 1] ?? 0) +
      (hasShape(asked, unit.text) ? shapeShare : 0) +
      (asked === 'steps' && unit.kind !== 'sentence' ? shapeShare : 0) +
      (asked === 'list' && leadsToList(excerpt.units, index) ? shapeShare : 0);
    return {
      excerpt,
      index,
      score: fit * (1 - passageShare + (passageShare * score) / bestScore),
    };
  });
}

/** The share of the query's weight that tokens hold: 0 to 1. */
function toShare(tokens: readonly string[], weights: ReadonlyMap<string, number>): number {
  const held = [...new Set(tokens)].map((token) => weights.get(token) ?? 0);
  return sum(held) / (sum(weights.values()) || 1);
}

/** Whether a hit is the answer that somebody has written for this question: its heading asks it. */
function isWrittenAnswer({ passage, weights }: Hit): boolean {
  const heading = passage.headings.at(-1) ?? '';
  const isQuestion = passage.source.type === 'qa' || /[?？]$/u.test(heading);
  const tokens = toHeadingTokens({ headings: [heading] }, '');
  return isQuestion && toShare(tokens, weights) >= minWrittenShare;
}

const leansOnBeforePattern =
  /^(?:he|she|it|they|this|that|these|those|his|her|its|their|such|however|but|also|then|there|therefore|thus|both|er|sie|es|dies\w*|dabei|dazu|jedoch)\b/iu;

/**
 * A unit with its list, the sentence that introduces it, and what it refers to. An item can stand
 * alone.
 */
function withContext(units: Unit[], index: number, asked: Asked): number[] {
  const unit = units[index];
  const list =
    unit?.kind === 'sentence' ? following(units, index, asked) : aroundItem(units, index, asked);
  const first = Math.min(index, ...list);
  const before = units[first - 1];
  const isAlone = unit?.kind === 'item' && list.length === 0;
  const leans =
    before?.kind === 'sentence' &&
    ((before.text.endsWith(':') && !isAlone) ||
      (unit?.kind === 'sentence' && leansOnBeforePattern.test(unit.text)));
  return leans ? [first - 1, index, ...list] : [index, ...list];
}

/** The list or code that a sentence introduces. */
function following(units: Unit[], index: number, asked: Asked): number[] {
  const next = units[index + 1];
  if (!next || next.kind === 'sentence') return [];
  return asked === 'steps' || leadsToList(units, index) ? run(units, index + 1) : [];
}

function leadsToList(units: Unit[], index: number): boolean {
  const next = units[index + 1];
  return (
    next !== undefined && next.kind !== 'sentence' && units[index]?.text.endsWith(':') === true
  );
}

/**
 * For a step, its whole list; for other items, only the item, unless the question asks for the
 * list.
 */
function aroundItem(units: Unit[], index: number, asked: Asked): number[] {
  const isStep = /^\s*\d/u.test(units[index]?.text ?? '');
  if (!isStep && asked !== 'steps' && asked !== 'list') return [];
  let first = index;
  while (first > 0 && units[first - 1]?.kind !== 'sentence') first -= 1;
  const whole = run(units, first);
  return whole.includes(index) ? whole : [];
}

function run(units: Unit[], from: number): number[] {
  const indices: number[] = [];
  for (let index = from; index < units.length && units[index]?.kind !== 'sentence'; index++) {
    if (indices.length >= maxListItems) break;
    indices.push(index);
  }
  return indices;
}
