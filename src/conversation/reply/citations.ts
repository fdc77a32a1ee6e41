import type { Messages } from '../../messages/messages.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Source } from '../ports.ts';

/** Fenced code and code spans, which are left alone; a marker such as [3.4]; the beginning of one. */
const markerOrCode =
  /(?<code>`{3,}[\s\S]*?(?:`{3,}|$)|`[^`\n]*`)|(?<gap>[ \t]*)\[(?<marker>\d+\.\d+)\]|[ \t]*\[\d*\.?\d*$/g;

/** Text with its markers numbered in the order they come, and the markers by their number. */
export interface NumberedText {
  text: string;
  /** The marker that became `[1]` comes first. */
  markers: string[];
}

/**
 * Turns the service's markers ([3.4]) into footnote numbers ([1]). While the reply streams nobody
 * knows which markers have a source, so all of them are numbered, and the same text gets the same
 * numbers as it grows; a marker that has only half arrived is left out.
 *
 * @param known the markers that have a source, once that is known: all others vanish
 */
export function numberMarkers(text: string, known?: ReadonlySet<string>): NumberedText {
  const markers: string[] = [];
  const numbered = text.replace(
    markerOrCode,
    (match, code?: string, gap?: string, marker?: string) => {
      if (code !== undefined) return code;
      if (marker === undefined) return known ? match : '';
      if (known && !known.has(marker)) return '';
      if (!markers.includes(marker)) markers.push(marker);
      return `${gap}[${markers.indexOf(marker) + 1}]`;
    },
  );
  return { text: numbered, markers };
}

/** The small print that lists what a reply cites: each title once, its footnotes' numbers before it. */
export function renderSources(cited: readonly Source[], { thread }: Messages): string {
  const numbersByTitle = new Map<string, string[]>();
  for (const [index, source] of cited.entries()) {
    const title = renderTitle(source);
    numbersByTitle.set(title, [...(numbersByTitle.get(title) ?? []), `[${index + 1}]`]);
  }
  const listed = [...numbersByTitle].map(([title, numbers]) => `${numbers.join(' ')} ${title}`);
  return listed.length > 0 ? thread.sources(listed.join(' · ')) : '';
}

/** The quoted passages of a reply, for the reader who asks for them. */
export function renderPassages(cited: readonly Source[]): string {
  return cited
    .map((source, index) => {
      const quote = source.quote.trim().replaceAll('\n', '\n> ');
      return `**[${index + 1}]** ${renderTitle(source)}\n> ${quote}`;
    })
    .join('\n\n');
}

/** A title comes from anyone's file. */
function renderTitle({ title, url }: Source): string {
  const plain = renderPlainText(title);
  return url ? `[${plain}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})` : plain;
}
