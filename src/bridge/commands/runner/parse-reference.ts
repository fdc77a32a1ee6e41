import type { ReferenceKind, ReferenceOption } from '../option.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Entry } from './directory.ts';

/** A longer list would not make the choice easier. */
const maxOffered = 5;
const minPrefixLength = 6;

/**
 * A name that matches none or several entries: the candidates, each with the value to use instead.
 */
export interface Ambiguity {
  option: string;
  to: ReferenceKind;
  name: string;
  /** No entry has the name; the candidates are close matches. */
  isGuess: boolean;
  candidates: { entry: Entry; value: string }[];
}

/** A value of an option, what is wrong with it, or what needs a choice. */
export type ParsedValue = { value: unknown } | { problem: string } | { ambiguity: Ambiguity };

/** What was typed for an option: a name, or several. */
interface Given {
  name: string;
  option: ReferenceOption;
  given: string;
}

/** Looks up the entry with a name, or with `many` each entry that is named, once. */
export function parseReference(asked: Given, entries: readonly Entry[], texts: Texts): ParsedValue {
  const { option, given } = asked;
  const whole = findEntry(entries, given);
  if (whole.kind === 'one') {
    const { thing } = whole.entry;
    return { value: option.many ? [thing] : thing };
  }
  if (!option.many) return explainUnclear(whole, asked, texts, (uuid) => uuid);
  const parts = given.split(/[,;\n]/).map((part) => part.trim());
  const wanted = [...new Set(parts.filter((part) => part !== ''))];
  const things = new Map<string, unknown>();
  for (const part of wanted) {
    const found = findEntry(entries, part);
    if (found.kind !== 'one') {
      const toValue = (uuid: string) =>
        wanted.map((each) => (each === part ? uuid : each)).join(', ');
      return explainUnclear(found, { ...asked, given: part }, texts, toValue);
    }
    things.set(found.entry.uuid, found.entry.thing);
  }
  return { value: [...things.values()] };
}

function explainUnclear(
  unclear: Unclear,
  { name: option, option: { to }, given: name }: Given,
  texts: Texts,
  toValue: (uuid: string) => string,
): ParsedValue {
  const { kind, entries } = unclear;
  if (entries.length === 0) return { problem: texts.invalid.unknownName(to, name) };
  const candidates = entries.map((entry) => ({ entry, value: toValue(entry.uuid) }));
  return { ambiguity: { option, to, name, isGuess: kind === 'none', candidates } };
}

/** A name that matches several entries, or none, with close matches. */
interface Unclear {
  kind: 'several' | 'none';
  entries: Entry[];
}

/**
 * Finds an entry by uuid, uuid prefix of at least six characters, name or alias: first by exact
 * match, then ignoring case.
 */
function findEntry(
  entries: readonly Entry[],
  wanted: string,
): { kind: 'one'; entry: Entry } | Unclear {
  const text = wanted.trim();
  const lower = text.toLowerCase();
  const ways: ((entry: Entry) => boolean)[] = [
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
  return { kind: 'none', entries: similar.slice(0, maxOffered) };
}
