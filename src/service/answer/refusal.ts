import type { Hit } from '../retrieval/retrieve.ts';

const NEAR = 0.15;
const MOST_NAMED = 3;

/** Says that no source answers, and names what comes nearest where anything does. */
export function toRefusal(hits: Hit[]): string {
  const near = hits.filter((hit) => hit.coverage >= NEAR).map(toPlace);
  const places = [...new Set(near)].slice(0, MOST_NAMED);
  const refusal = 'I found no answer to that in my sources.';
  if (places.length === 0) return `${refusal} Try other words, or add a source that covers it.`;
  return `${refusal} The nearest they have is in ${places.join(', ')}: ask about that, or add a source that covers it.`;
}

function toPlace({ passage }: Hit): string {
  const heading = passage.headings.at(-1);
  const { title, file_name } = passage.source;
  const source = title || file_name;
  return heading === undefined || heading === source ? `“${source}”` : `“${source}” (${heading})`;
}
