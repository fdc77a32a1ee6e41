import { splitContext } from '../../shared/api/session.ts';
import { tokenizeQuery } from '../retrieval/search-query.ts';
import { tokenize } from '../retrieval/tokenize.ts';
import { textsFor } from './answer-texts.ts';
import { defuseMarkers } from './fence.ts';

/** A line must hold this share of the question's words. */
const minShare = 0.6;
/** The lines after a question of theirs, where its answer is. */
const maxAfterQuestion = 2;

/**
 * Quotes what people said to each other in a session that fits a question best, and after a question
 * of theirs also what was said next. Undefined if nothing fits.
 * @param sent the session's queries, oldest first, with the conversations before them
 */
export function quoteTalk(query: string, sent: readonly string[]): string | undefined {
  const asked = new Set(tokenizeQuery(query));
  const lines = sent.flatMap((text) => splitContext(text).context?.split('\n') ?? []);
  const shares = lines.map((line) => {
    const held = new Set(tokenize(line));
    return [...asked].filter((word) => held.has(word)).length / asked.size;
  });
  const best = Math.max(0, ...shares.filter((share) => share >= minShare));
  if (best === 0) return undefined;
  // What was said last counts.
  const first = shares.lastIndexOf(best);
  const isQuestion = /[?？]\s*$/u.test(lines[first] ?? '');
  const quoted = lines.slice(first, first + 1 + (isQuestion ? maxAfterQuestion : 0));
  const quote = quoted.map((line) => `> ${defuseMarkers(line)}`).join('\n>\n');
  return `${textsFor(query).said}\n\n${quote}`;
}
