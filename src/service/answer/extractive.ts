import { type Citation, splitContext } from '../../shared/api/session.ts';
import { sum } from '../../shared/primitives/iterables.ts';
import { isName, type Unit, toUnits } from '../ingestion/units.ts';
import { toShare } from '../retrieval/bm25.ts';
import { type Asked, hasShape, toAsked } from '../retrieval/question.ts';
import type { Hit } from '../retrieval/retrieve.ts';
import { tokenizeQuery } from '../retrieval/search-query.ts';
import { toHeadingTokens, tokenize, words } from '../retrieval/tokenize.ts';
import { textsFor, toCaution, toRefusal } from './answer-texts.ts';
import { type Excerpt, renderExcerpt } from './excerpt.ts';
import { defuseMarkers } from './fence.ts';
import { toCitations, toNumbered } from './markers.ts';

/** What the sources say to a question: an answer, perhaps one, or nothing. */
export type Evidence = 'strong' | 'weak' | 'none';

/** Only the best passages are quoted. */
const passageLimit = 3;
/** Below this multiple of what an answer needs, a passage may be about something similar. */
const strong = 1.25;

export function weigh(hits: readonly Hit[]): Evidence {
  const best = Math.max(0, ...hits.slice(0, passageLimit).map(({ evidence }) => evidence));
  if (best < 1) return 'none';
  return best < strong ? 'weak' : 'strong';
}

const bestFirst: readonly Evidence[] = ['strong', 'weak', 'none'];

/** The hits of several searches, those with the best evidence first, with scores that can be compared. */
export function merge(...searches: Hit[][]): Hit[] {
  const rank = (hits: Hit[]) => bestFirst.indexOf(weigh(hits));
  return searches
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((hits) => hits.map((hit) => ({ ...hit, score: hit.score / (hits[0]?.score || 1) })));
}

interface Answer {
  /** Markdown. */
  text: string;
  /** By marker without its brackets: `1.2` is the second cited passage of the first source. */
  citations: Record<string, Citation>;
}

/**
 * An answer without a model: the sentences, steps and code with the most weight of the query, quoted
 * as they are except that their own markers are defused. Each excerpt ends with its marker. A weak match
 * begins with a word of caution. A refusal if nothing fits.
 *
 * @param said what people said about it in the session, which comes first
 */
export function answerFromPassages(
  query: string,
  hits: Hit[],
  { showCitations, said }: { showCitations: boolean; said?: string },
): Answer {
  const evidence = weigh(hits);
  if (evidence === 'none') {
    return { text: said ?? defuseMarkers(toRefusal(query, hits)), citations: {} };
  }

  const excerpts = chooseExcerpts(query, hits);
  const numbered = toNumbered(excerpts.map(({ hit }) => hit.passage));
  const text = excerpts
    .map((excerpt, index) =>
      renderExcerpt(excerpt, showCitations ? numbered[index]?.marker : undefined),
    )
    .join('\n\n');
  const caution = evidence === 'weak' ? defuseMarkers(toCaution(query, hits)) : undefined;
  const whole = [said, caution, text].filter((part) => part !== undefined).join('\n\n');
  return { text: whole, citations: showCitations ? toCitations(numbered) : {} };
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
 * left out, and so is what another has said already. An answer that somebody has written for this question
 * is quoted whole, and alone.
 */
function chooseExcerpts(query: string, hits: Hit[]): Excerpt[] {
  const asked = toAsked(query);
  const [best] = hits;
  if (best && isWrittenAnswer(best, query)) return [toWhole(best)];
  const excerpts = [...Map.groupBy(hits, ({ passage }) => passage.text).values()]
    .flatMap((same) => same.slice(0, 1))
    .slice(0, passageLimit)
    .map((hit) => ({ hit, units: toUnits(hit.passage.text), chosen: new Set<number>() }));
  const choices = excerpts
    .flatMap((excerpt) => toChoices(excerpt, asked, best?.score ?? 1))
    .toSorted((one, other) => other.score - one.score);
  const bestScore = choices[0]?.score ?? 0;

  /** By a quoted text, where it is quoted from: another passage may have it too. */
  const quoted = new Map<string, Excerpt>();
  const isQuoted = (excerpt: Excerpt, index: number) =>
    excerpt.chosen.has(index) || (quoted.get(toKey(excerpt, index)) ?? excerpt) !== excerpt;
  let characters = 0;
  let taken = 0;
  let minScore = bestScore * minShare;
  for (const { excerpt, index, score } of choices) {
    if (taken >= maxChoices || score < minScore) break;
    if (isQuoted(excerpt, index)) continue;
    const added = [
      ...withContext(excerpt.units, index, asked),
      ...definition(excerpt),
      ...(taken === 0 && continues(excerpt.units, index, asked) ? [index + 1] : []),
    ].filter((unit) => !excerpt.chosen.has(unit));
    const length = sum(added.map((unit) => excerpt.units[unit]?.text.length ?? 0));
    if (taken > 0 && characters + length > maxCharacters) continue;
    for (const unit of added) {
      excerpt.chosen.add(unit);
      quoted.set(toKey(excerpt, unit), excerpt);
    }
    characters += length;
    taken += 1;
    if (asked === 'steps' && added.length > 2) minScore = bestScore * minShareBesideSteps;
  }
  return excerpts.filter((excerpt) => excerpt.chosen.size > 0);
}

function toKey({ units }: Excerpt, index: number): string {
  return units[index]?.text.trim().toLowerCase() ?? '';
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
      beforeShare * (standsAlone(unit) ? 0 : (own[index - 1] ?? 0)) +
      (hasShape(asked, unit.text) ? shapeShare : 0) +
      (asked === 'steps' && unit.kind !== 'sentence' && !standsAlone(unit) ? shapeShare : 0) +
      (asked === 'list' && leadsToList(excerpt.units, index) ? shapeShare : 0);
    return {
      excerpt,
      index,
      score: fit * (1 - passageShare + (passageShare * score) / bestScore),
    };
  });
}

/**
 * Whether a hit is the answer that somebody has written for this question: its heading asks it, with
 * the same numbers and single letters. A query without any may leave out numbers.
 */
export function isWrittenAnswer({ passage, weights }: Hit, query: string): boolean {
  const heading = passage.headings.at(-1) ?? '';
  const isQuestion = passage.source.type === 'qa' || /[?？]$/u.test(heading);
  const tokens = toHeadingTokens({ headings: [heading] }, '');
  if (!isQuestion || toShare(tokens, weights) < minWrittenShare) return false;
  const [asked, written] = [toDistinct(query), toDistinct(heading.replace(chapterPattern, ''))];
  if (!asked.isSubsetOf(written)) return false;
  // “Plan a” is often typed without capitals.
  const missing = written.difference(asked.union(new Set(words(query))));
  return [...missing].every((token) => asked.size === 0 && /\d/u.test(token));
}

/** “3.” or “3.1” before what a heading says. */
const chapterPattern = /^\s*\d+(?:\.\d+)*[.)]?\s/u;

/** A number, or the letter of “plan A”. */
const distinctPattern = /^(?:[a-z]|[\d.]+)$/u;

function toDistinct(text: string): Set<string> {
  return new Set(tokenize(text).filter((token) => distinctPattern.test(token)));
}

const leansOnBeforePattern = new RegExp(
  [
    String.raw`^(?:he|she|it|they|this|that|these|those|his|her|its|their|such|however|but|also|then|there|therefore|thus|both)\b`,
    String.raw`^(?:er|sie|es|dies\w*|dabei|dazu|jedoch|dennoch|deshalb|daher|trotzdem|außerdem|danach|dadurch|dort|dann|zudem)\b`,
    String.raw`^(?:он[аои]?|эт\p{L}{1,2}|там|поэтому|но)(?!\p{L})`,
    String.raw`^(?:él|ellas?|ellos|est[aeo]s?|es[aeo]s?|allí|pero)(?!\p{L})`,
    '^(?:[他她它这那该其此]|因此|然而|但|同时)',
  ].join('|'),
  'iu',
);

/**
 * Whether the answer may stand in the next sentence: it leans on this one, or has what is asked for, which this
 * one lacks.
 */
function continues(units: Unit[], index: number, asked: Asked): boolean {
  const [unit, next] = units.slice(index, index + 2);
  if (unit?.kind !== 'sentence' || next?.kind !== 'sentence') return false;
  const isMissing = hasShape(asked, next.text) && !hasShape(asked, unit.text);
  return isMissing || leansOnBeforePattern.test(next.text);
}

/** Below the name of an option or variable, the first sentence says what it is. */
function definition({ hit, units }: Excerpt): number[] {
  const isDefined = isName(hit.passage.headings.at(-1) ?? '') && units[0]?.kind === 'sentence';
  return isDefined ? [0] : [];
}

/** A unit with its list, the line that introduces it, and what it refers to. */
function withContext(units: Unit[], index: number, asked: Asked): number[] {
  const unit = units[index];
  const list =
    unit?.kind === 'sentence' ? following(units, index, asked) : aroundItem(units, index, asked);
  const first = Math.min(index, ...list);
  const lead = toLead(units, first);
  return lead === undefined ? [index, ...list] : [lead, index, ...list];
}

/** The unit that a unit needs before it: what it leans on, or what introduces its list. */
function toLead(units: Unit[], index: number): number | undefined {
  const unit = units[index];
  let lead = index - 1;
  if (unit?.kind === 'sentence') {
    const leans = leansOnBeforePattern.test(unit.text) || introduces(units[lead]);
    return leans && units[lead]?.kind === 'sentence' ? lead : undefined;
  }
  while (lead > 0 && !isAbove(units[lead], unit)) lead -= 1;
  return introduces(units[lead]) && !isRepeated(units[lead], unit) ? lead : undefined;
}

/** Whether a line is a table's header, and the row names its columns itself. */
function isRepeated(header: Unit | undefined, row: Unit | undefined): boolean {
  const [, ...columns] = header?.text.slice(0, -1).split(', ') ?? [];
  return columns.length > 0 && columns.every((column) => row?.text.includes(`${column}: `));
}

/** Whether a list's item belongs to this unit: a sentence, or an item that is indented less. */
function isAbove(unit: Unit | undefined, item: Unit | undefined): boolean {
  return unit?.kind === 'sentence' || (unit?.kind === 'item' && indentOf(unit) < indentOf(item));
}

function indentOf(unit: Unit | undefined): number {
  return unit?.text.search(/\S/u) ?? 0;
}

function introduces(unit: Unit | undefined): boolean {
  return unit?.text.endsWith(':') === true;
}

/** The list, code or line that a sentence introduces. */
function following(units: Unit[], index: number, asked: Asked): number[] {
  const next = units[index + 1];
  if (!next) return [];
  if (next.kind === 'sentence') return introduces(units[index]) ? [index + 1] : [];
  return asked === 'steps' || leadsToList(units, index) ? run(units, index + 1) : [];
}

function leadsToList(units: Unit[], index: number): boolean {
  const next = units[index + 1];
  return next !== undefined && next.kind !== 'sentence' && introduces(units[index]);
}

const definitionPattern = /^\s*[-*•] `[^`]+`(?::| –)/u;
const maxStepLength = 300;

/** Whether a unit is complete by itself: the definition of an option, or a long paragraph with a number. */
function standsAlone({ kind, text }: Unit): boolean {
  return kind === 'item' && (text.length > maxStepLength || definitionPattern.test(text));
}

/**
 * For a step, its whole list; for other items, only the item, unless the question asks for the
 * list.
 */
function aroundItem(units: Unit[], index: number, asked: Asked): number[] {
  const unit = units[index];
  const isStep = /^\s*\d/u.test(unit?.text ?? '') || asked === 'steps';
  if (asked !== 'list' && (!isStep || !unit || standsAlone(unit))) return [];
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

/** A line must hold this share of the question's words. */
const minSaidShare = 0.6;
/** The lines after a question of theirs, where its answer is. */
const maxAfterQuestion = 2;

/**
 * Quotes what people said to each other in a session that fits a question best, and after a question
 * of theirs also what was said next. Undefined if nothing fits.
 * @param sent the session's queries, oldest first, with the conversations before them
 */
export function quoteTalk(query: string, sent: readonly string[]): string | undefined {
  const asked = new Set(tokenizeQuery(query));
  const known = new Set(tokenize(query));
  const lines = sent.flatMap((text) => splitContext(text).context?.split('\n') ?? []);
  const found = lines.map((line, index) => {
    const [held, said] = [new Set(tokenize(line)), new Set(tokenize(withoutName(line)))];
    const holds = (tokens: ReadonlySet<string>) => [...asked].filter((word) => tokens.has(word));
    // Who said something is no answer alone.
    const share = holds(said).length > 0 ? holds(held).length / asked.size : 0;
    const next = lines.slice(index + 1, index + 1 + maxAfterQuestion);
    return { share, quoted: share >= minSaidShare ? toAnswering(line, next, known) : [] };
  });
  const answering = found.filter(({ quoted }) => quoted.length > 0);
  const best = Math.max(...answering.map(({ share }) => share));
  // What was said last counts.
  const { quoted } = answering.findLast(({ share }) => share === best) ?? {};
  if (!quoted) return undefined;
  const quote = quoted.map((line) => `> ${defuseMarkers(line)}`).join('\n>\n');
  return `${textsFor(query).said}\n\n${quote}`;
}

/** What only confirms, as in “It is hunter2, right?”, does not ask. */
const askingPattern = /(?<!, ?\p{L}{1,9})[?？]\s*$/u;
const confirmingPattern = /(?<!\p{L})(?:yes|yep|no|nope|ja|nein|doch)(?!\p{L})/iu;

/**
 * The line alone if it says more than the known words of a question. If it only asks, it needs what was
 * said next; nothing is left if that only asks too.
 */
function toAnswering(line: string, next: string[], known: ReadonlySet<string>): string[] {
  const told = withoutName(line)
    .split(/(?<=[.!?？])\s/u)
    .filter((sentence) => !askingPattern.test(sentence));
  const isTelling = told.some(
    (sentence) =>
      confirmingPattern.test(sentence) || tokenize(sentence).some((word) => !known.has(word)),
  );
  if (isTelling) return [line];
  return next.every((each) => askingPattern.test(each)) ? [] : [line, ...next];
}

/** What was said in a line, which begins with who said it. */
function withoutName(line: string): string {
  return line.slice(line.indexOf(': ') + 1);
}
