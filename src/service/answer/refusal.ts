import type { Hit } from '../retrieval/retrieve.ts';
import { type Language, toLanguage } from './language.ts';

const minCoverage = 0.15;
const maxNamedPlaces = 3;

const textsByLanguage: Record<Language, { nothing: string; near(places: string): string }> = {
  english: {
    nothing:
      'I found no answer to that in my sources. Try other words, or add a source that covers it.',
    near: (places) =>
      `I found no answer to that in my sources. The nearest they have is in ${places}: ask about that, or add a source that covers it.`,
  },
  german: {
    nothing:
      'Dazu habe ich in meinen Quellen keine Antwort gefunden. Frag mit anderen Worten, oder füge eine Quelle hinzu, die davon handelt.',
    near: (places) =>
      `Dazu habe ich in meinen Quellen keine Antwort gefunden. Am nächsten kommt ihr ${places}: Frag danach, oder füge eine Quelle hinzu, die davon handelt.`,
  },
};

/**
 * Says, in the query's language, that no source answers it, and names the closest one if there is
 * any.
 */
export function toRefusal(query: string, hits: Hit[]): string {
  const texts = textsByLanguage[toLanguage(query)];
  const near = hits.filter((hit) => hit.coverage >= minCoverage).map(toPlace);
  const places = [...new Set(near)].slice(0, maxNamedPlaces);
  return places.length === 0 ? texts.nothing : texts.near(places.join(', '));
}

function toPlace({ passage }: Hit): string {
  const heading = passage.headings.at(-1);
  const { title, file_name } = passage.source;
  const source = title || file_name;
  return heading === undefined || heading === source ? `“${source}”` : `“${source}” (${heading})`;
}
