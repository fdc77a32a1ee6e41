import type { Citation } from '../../shared/api/message.ts';
import type { Unit } from '../ingestion/units.ts';
import type { Hit } from '../retrieval/retrieve.ts';
import { chooseExcerpts, type Excerpt } from './choose.ts';
import { defuseMarkers } from './defuse.ts';
import { toRefusal } from './refusal.ts';
import { withWholeFences } from './whole-fences.ts';

export interface Answer {
  /** Markdown. */
  text: string;
  /** By marker without its brackets: `1.2` is the second cited passage of the first source. */
  citations: Record<string, Citation>;
}

/**
 * If the best passage has less than this share of the query's weight, no source answers it. Tuned
 * with `test/bench/retrieval.ts`: it accepts answerable questions and rejects those off the
 * subject.
 */
const minCoverage = 0.43;
/**
 * For a query without spaces, where many pairs of characters are not words. Tuned with questions in
 * both languages.
 */
const minCoverageWithoutSpaces = 0.2;
const spacelessScriptPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * An answer without a model: the sentences, steps and code with the most weight of the query,
 * quoted as they are but for markers of their own, with a marker per excerpt. A refusal if nothing
 * fits.
 */
export function answerFromPassages(
  query: string,
  hits: Hit[],
  options: { showCitations: boolean },
): Answer {
  const covering = Math.max(0, ...hits.slice(0, 3).map((hit) => hit.coverage));
  const least = spacelessScriptPattern.test(query) ? minCoverageWithoutSpaces : minCoverage;
  if (covering < least) return { text: defuseMarkers(toRefusal(query, hits)), citations: {} };

  const excerpts = chooseExcerpts(query, hits);
  const markers = toMarkers(excerpts.map((excerpt) => excerpt.hit));
  const text = excerpts
    .map((excerpt, index) =>
      renderExcerpt(excerpt, options.showCitations ? markers[index] : undefined),
    )
    .join('\n\n');
  const citations = Object.fromEntries(
    excerpts.map(({ hit }, index) => [markers[index] ?? '', toCitation(hit)]),
  );
  return { text, citations: options.showCitations ? citations : {} };
}

function toMarkers(hits: Hit[]): string[] {
  const cited = new Map<string, number>();
  return hits.map((hit) => {
    const { uuid } = hit.passage.source;
    const passage = (cited.get(uuid) ?? 0) + 1;
    cited.set(uuid, passage);
    return `${[...cited.keys()].indexOf(uuid) + 1}.${passage}`;
  });
}

function toCitation({ passage }: Hit): Citation {
  const { uuid, title, file_name, type } = passage.source;
  return { data_source_uuid: uuid, title, text: passage.text, file_name, type };
}

/** The chosen parts in their order; adjacent parts of the source stay together. */
function renderExcerpt({ hit, units, chosen }: Excerpt, marker: string | undefined): string {
  let text = '';
  let last: { unit: Unit; index: number } | undefined;
  for (const index of [...chosen].toSorted((one, other) => one - other)) {
    const unit = units[index];
    if (!unit) continue;
    if (last) {
      const together = hit.passage.text.slice(last.unit.end, unit.start);
      text += last.index === index - 1 ? together : gap(last.unit, unit);
    }
    text += unit.text;
    last = { unit, index };
  }
  text = defuseMarkers(withWholeFences(text));
  if (marker === undefined) return text;
  return last?.unit.kind === 'code' || text.trimEnd().endsWith('```')
    ? `${text}\n[${marker}]`
    : `${text} [${marker}]`;
}

function gap(before: Unit, after: Unit): string {
  return before.kind === 'sentence' && after.kind === 'sentence' ? ' … ' : '\n';
}
