import type { Source } from './ports.ts';

/** The small print that lists what a reply cites: one line a source file, its markers before it. */
export function renderSources(sources: readonly Source[]): string {
  const markersByTitle = new Map<string, string[]>();
  for (const source of sources) {
    const title = source.url ? `[${source.title}](${source.url})` : source.title;
    markersByTitle.set(title, [...(markersByTitle.get(title) ?? []), `[${source.marker}]`]);
  }
  const lines = [...markersByTitle].map(([title, markers]) => `${markers.join(' ')} ${title}`);
  return lines.length > 0 ? `Sources: ${lines.join(' · ')}` : '';
}
