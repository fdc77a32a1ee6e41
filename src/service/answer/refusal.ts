import type { Hit } from '../retrieval/retrieve.ts';
import { shorten } from '../../shared/primitives/shorten.ts';
import { answerTexts } from './answer-texts.ts';
import { toLanguage } from './language.ts';

const minCoverage = 0.15;
const maxNamedPlaces = 3;
const maxNameLength = 150;

/**
 * Says, in the query's language, that no source answers it, and names the closest one if there is
 * any.
 */
export function toRefusal(query: string, hits: Hit[]): string {
  const answers = answerTexts[toLanguage(query)];
  const near = hits.filter((hit) => hit.coverage >= minCoverage).map(toPlace);
  const places = [...new Set(near)].slice(0, maxNamedPlaces);
  return places.length === 0 ? answers.nothing : answers.near(places);
}

function toPlace({ passage }: Hit): string {
  const heading = passage.headings.at(-1);
  const { title, file_name } = passage.source;
  const source = title || file_name;
  const quoted = `“${shorten(source, maxNameLength)}”`;
  if (heading === undefined || heading === source) return quoted;
  return `${quoted} (${shorten(heading, maxNameLength)})`;
}
