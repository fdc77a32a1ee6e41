import type { Texts } from '../../texts/texts.ts';
import { hostOf } from '../markdown/link-host.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Source } from '../chatbot.ts';

/** Fenced code and code spans, which are left alone; a marker such as [3.4]; the start of one. */
const markerOrCode =
  /(?<code>`{3,}[\s\S]*?(?:`{3,}|$)|`[^`\n]*`)|(?<gap>(?<![ \t])[ \t]*)\[(?:(?<marker>\d+\.\d+)\]|\d*(?:\.\d*)?$)/g;

/** Text with its markers numbered in order of appearance, and the markers by number. */
export interface NumberedText {
  text: string;
  /** The marker that became `[1]` comes first. */
  markers: string[];
}

/**
 * Turns the service's markers ([3.4]) into footnote numbers ([1]). While the reply streams, it is
 * unknown which markers have a source, so all are numbered, and numbers stay the same as the text
 * grows; an incomplete marker is left out. Takes time linear in the length of `text`.
 *
 * @param known the markers that have a source, once that is known: all others are removed
 */
export function numberMarkers(text: string, known?: ReadonlySet<string>): NumberedText {
  const numbers = new Map<string, number>();
  const numbered = text.replace(
    markerOrCode,
    (match, code?: string, gap?: string, marker?: string) => {
      if (code !== undefined) return code;
      if (marker === undefined) return known ? match : '';
      if (known && !known.has(marker)) return '';
      const number = numbers.get(marker) ?? numbers.size + 1;
      numbers.set(marker, number);
      return `${gap}[${number}]`;
    },
  );
  return { text: numbered, markers: [...numbers.keys()] };
}

/**
 * Renders the small print that lists the cited sources: each title once, after its footnote
 * numbers.
 */
export function renderSources(cited: readonly Source[], { thread }: Texts): string {
  const numbersByTitle = new Map<string, string[]>();
  for (const [index, source] of cited.entries()) {
    const title = renderTitle(source);
    numbersByTitle.set(title, [...(numbersByTitle.get(title) ?? []), `[${index + 1}]`]);
  }
  const listed = [...numbersByTitle].map(([title, numbers]) => `${numbers.join(' ')} ${title}`);
  return listed.length > 0 ? thread.sources(listed.join(' · ')) : '';
}

/** Renders the cited passages of a reply, for a reader who asks for them. */
export function renderPassages(cited: readonly Source[]): string {
  return cited
    .map((source, index) => {
      const quote = source.quote.trim().replaceAll('\n', '\n> ');
      return `**[${index + 1}]** ${renderTitle(source)}\n> ${quote}`;
    })
    .join('\n\n');
}

/** Titles come from files, so they are escaped. */
function renderTitle({ title, url }: Source): string {
  const plain = renderPlainText(title);
  return url && hostOf(url)
    ? `[${plain}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`
    : plain;
}
