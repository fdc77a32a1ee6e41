import type { Entry } from './directory.ts';

/** What a name matches: one thing, several, or none, with close matches. */
export type Found<Thing extends Entry = Entry> =
  | { kind: 'one'; entry: Thing }
  | { kind: 'several'; entries: Thing[] }
  | { kind: 'none'; similar: Thing[] };

/** A longer list would not make the choice easier. */
const maxOffered = 5;
const minPrefixLength = 6;

/**
 * Finds an entry by uuid, uuid prefix of at least six characters, name or alias: first by exact
 * match, then ignoring case.
 */
export function findEntry<Thing extends Entry>(
  entries: readonly Thing[],
  wanted: string,
): Found<Thing> {
  const text = wanted.trim();
  const lower = text.toLowerCase();
  const ways: ((entry: Thing) => boolean)[] = [
    ({ uuid }) => uuid === text,
    ({ name }) => name === text,
    ({ name }) => name.toLowerCase() === lower,
    ({ alias }) => alias?.toLowerCase() === lower,
    ({ uuid }) => text.length >= minPrefixLength && uuid.startsWith(lower),
  ];
  for (const matches of ways) {
    const [entry, ...others] = entries.filter(matches);
    if (!entry) continue;
    if (others.length === 0) return { kind: 'one', entry };
    return { kind: 'several', entries: [entry, ...others].slice(0, maxOffered) };
  }
  const similar = entries.filter(({ name }) => lower !== '' && name.toLowerCase().includes(lower));
  return { kind: 'none', similar: similar.slice(0, maxOffered) };
}
