import type { Citation } from '../../shared/api/message.ts';
import type { Hit } from '../retrieval/retrieve.ts';
import type { StoredPassage } from '../store/passage-store.ts';

/** A passage and its marker in a reply: `1.2` is the first source's second passage. */
export interface NumberedPassage {
  marker: string;
  passage: StoredPassage;
}

/** Numbers passages by source, in the order of the hits (best first), up to `budget` tokens. */
export function toNumbered(
  hits: readonly Hit[],
  budget: number,
  count: (passage: StoredPassage) => number,
): NumberedPassage[] {
  let left = budget;
  const fitting = hits.filter(({ passage }) => (left -= count(passage)) >= 0);
  const sources = Map.groupBy(fitting, ({ passage }) => passage.source.uuid);
  return [...sources.values()].flatMap((ofSource, source) =>
    ofSource.map(({ passage }, index) => ({ marker: `${source + 1}.${index + 1}`, passage })),
  );
}

/** The citations by marker. */
export function toCitations(
  passages: readonly NumberedPassage[],
  markers: ReadonlySet<string>,
): Record<string, Citation> {
  return Object.fromEntries(
    passages
      .filter(({ marker }) => markers.has(marker))
      .map(({ marker, passage }) => [marker, toCitation(passage)]),
  );
}

function toCitation({ source, text }: StoredPassage): Citation {
  return {
    data_source_uuid: source.uuid,
    title: source.title,
    text,
    file_name: source.file_name,
    type: source.type,
  };
}
