import type { Citation } from '../../shared/api/session.ts';
import { toTimestamp } from '../identifiers.ts';
import type { MessageMeta } from '../store/message-store.ts';
import type { StoredPassage } from '../store/passage-store.ts';

/** A passage and its marker in a reply: `1.2` is the second passage of the first source. */
export interface NumberedPassage {
  marker: string;
  passage: StoredPassage;
}

/** Numbers passages by source, sources in the order of their first passages. */
export function toNumbered(passages: readonly StoredPassage[]): NumberedPassage[] {
  const counts = new Map<string, number>();
  return passages.map((passage) => {
    const { uuid } = passage.source;
    const count = (counts.get(uuid) ?? 0) + 1;
    counts.set(uuid, count);
    return { marker: `${[...counts.keys()].indexOf(uuid) + 1}.${count}`, passage };
  });
}

/** The citations by marker. */
export function toCitations(numbered: readonly NumberedPassage[]): Record<string, Citation> {
  const cited = numbered.map(({ marker, passage: { source, text } }): [string, Citation] => {
    const { uuid, title, file_name, type } = source;
    return [marker, { data_source_uuid: uuid, title, text, file_name, type }];
  });
  return Object.fromEntries(cited);
}

/** What clients of the field expect in no citation: its page, and when its source was last read. */
export function toCited(
  citations: Record<string, Citation>,
  passages: readonly StoredPassage[],
): NonNullable<MessageMeta['cited']> {
  const found = Object.entries(citations).flatMap(([marker, { data_source_uuid, text }]) => {
    const isCited = ({ source, text: own }: StoredPassage) =>
      source.uuid === data_source_uuid && own === text;
    const passage = passages.find(isCited);
    if (!passage) return [];
    const { page, publishedMs } = passage;
    const read = publishedMs > 0 ? { modified_at: toTimestamp(publishedMs) } : {};
    return [[marker, { page, ...read }] as const];
  });
  return Object.fromEntries(found);
}

/**
 * A fence, a code span's edge, or a marker, alone or several in one pair of brackets. A prompt has at
 * most ten passages, so a bracket with a number such as 0.5 or 9.80 is no marker; nor is the text of a
 * link.
 */
const piecePattern =
  /(?<ticks>`+)|(?<gap>[ \t]?)(?:\[(?<marker>(?:[1-9]|10)\.(?:[1-9]|10)(?:\s?[,;]\s?(?:[1-9]|10)\.(?:[1-9]|10)){0,9})\](?!\(<?https?:)|【(?<wide>(?:[1-9]|10)\.(?:[1-9]|10))】)/gu;

/** Text that could become a piece once more arrives. */
const unfinishedPattern =
  /(?<!`)`+$|[ \t]?(?:[[【](?:\d[\d.,;\s]{0,130}(?:\](?:\(<?(?:h|ht|htt|https?)?)?)?)?)?$/u;

export interface MarkerFilter {
  /** The kept markers, without brackets. */
  used: ReadonlySet<string>;
  /** Takes the next delta, and returns what is final. */
  push(delta: string): string;
  /** The rest that was held back. */
  end(): string;
}

/** Leaves text unchanged, where no markers are asked for. */
export const unfiltered: MarkerFilter = {
  used: new Set(),
  push: (delta) => delta,
  end: () => '',
};

/**
 * Keeps known markers such as [1.2], each in its own brackets, and removes all others with the
 * space before them, because models invent some. Code is left unchanged.
 */
export function createMarkerFilter(known: ReadonlySet<string>): MarkerFilter {
  const used = new Set<string>();
  let held = '';
  /** The back-ticks that opened the current code. */
  let open = '';
  /** The text passed on last, because the end of a paragraph can be split in two. */
  let last = '';

  /** A code span never crosses a paragraph: if it was not closed, it was not code. */
  const pass = (text: string): string => {
    if (open.length < 3 && (last + text).includes('\n\n')) open = '';
    last = text.slice(-1) || last;
    return text;
  };

  const replace = (piece: string, groups: Record<string, string | undefined>): string => {
    const { ticks, gap = '', marker, wide } = groups;
    if (ticks !== undefined) {
      last = '';
      if (open === '') open = ticks;
      else if (closes(ticks, open)) open = '';
      return piece;
    }
    if (open !== '') return piece;
    const kept = (marker ?? wide ?? '').split(/\s?[,;]\s?/u).filter((each) => known.has(each));
    for (const each of kept) used.add(each);
    return kept.length === 0 ? '' : gap + kept.map((each) => `[${each}]`).join('');
  };

  const filter = (text: string): string => {
    let filtered = '';
    let end = 0;
    for (const match of text.matchAll(piecePattern)) {
      filtered += pass(text.slice(end, match.index)) + replace(match[0], match.groups ?? {});
      end = match.index + match[0].length;
    }
    return filtered + pass(text.slice(end));
  };

  return {
    used,
    push(delta) {
      const text = held + delta;
      const unfinished = unfinishedPattern.exec(text);
      held = unfinished === null ? '' : text.slice(unfinished.index);
      return filter(text.slice(0, text.length - held.length));
    },
    end() {
      const rest = held;
      held = '';
      return filter(rest);
    },
  };
}

function closes(ticks: string, open: string): boolean {
  return open.length < 3 ? ticks.length === open.length : ticks.length >= open.length;
}
