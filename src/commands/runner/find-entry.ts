import type { Entry } from './directory.ts';

/** What a name stands for: one thing, several to choose from, or none, with those that come close. */
export type Found<Thing extends Entry = Entry> =
  | { kind: 'one'; entry: Thing }
  | { kind: 'several'; entries: Thing[] }
  | { kind: 'none'; similar: Thing[] };

/** More to choose from than this makes no choice easier. */
const maxOffered = 5;
const minPrefixLength = 6;

/**
 * Finds by uuid, or its beginning of six characters at least, or by name, or alias: as it is
 * written, then whatever the case.
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
