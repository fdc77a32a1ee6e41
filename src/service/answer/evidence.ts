import type { Hit } from '../retrieval/retrieve.ts';

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
