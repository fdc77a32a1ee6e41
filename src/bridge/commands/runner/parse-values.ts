import type { Entry } from './directory.ts';
import type { Action, ActionContext, Outcome, Group } from '../command.ts';
import type {
  FileOption,
  Option,
  RawValue,
  RawValues,
  ReferenceKind,
  ReferenceOption,
} from '../option.ts';
import { isSubject } from '../adapters/modal-values.ts';
import { type IncomingFile, maxFiles } from '../files.ts';
import { isPlatformId, parseScalar, type Reading } from './parse-scalar.ts';
import type { Texts } from '../../texts/texts.ts';
import { bold, escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { shorten, toComparable } from '../../../shared/primitives/text.ts';

/** What parsing values needs, apart from the values. */
export interface ValueReading extends Reading {
  /**
   * All entries of a kind.
   * @throws {ChatbotError}
   */
  list(kind: ReferenceKind): Promise<Entry[]>;
  /** All groups on the platform. */
  groups(): Promise<readonly Group[]>;
}

export type ParsedValues =
  | { kind: 'values'; values: Record<string, unknown> }
  | { kind: 'problems'; problems: string[] }
  | { kind: 'ambiguous'; ambiguity: Ambiguity };

/**
 * Parses the values of an action's options. Reports all problems at once, or else the first
 * ambiguous name.
 * @throws {ChatbotError} when names can't be looked up
 */
export async function parseValues(
  options: Action['options'],
  raw: RawValues,
  reading: ValueReading,
): Promise<ParsedValues> {
  const { invalid } = reading.texts;
  const unknown = Object.keys(raw).find((name) => !Object.hasOwn(options, name));
  if (unknown !== undefined) return { kind: 'problems', problems: [invalid.noOption(unknown)] };
  const values: Record<string, unknown> = {};
  const missing: string[] = [];
  const found: string[] = [];
  let lacksSubject = false;
  let ambiguous: Ambiguity | undefined;
  for (const [name, option] of Object.entries<Option>(options)) {
    const given = raw[name];
    if (given === undefined || isBlank(given)) {
      const description = reading.texts.descriptions[option.description];
      if (option.required) missing.push(invalid.missing(name, description));
      // Given but empty: a menu in a form that was cleared.
      else if (given !== undefined && isList(option)) values[name] = [];
      continue;
    }
    const parsed = await parseValue(name, option, given, reading);
    if ('value' in parsed) values[name] = parsed.value;
    else if ('problem' in parsed) {
      found.push(`**${name}**: ${parsed.problem}`);
      lacksSubject ||= isSubject(option);
    } else ambiguous ??= parsed.ambiguity;
  }
  // Without the thing that it is about, nobody needs to know what else is missing.
  const problems = lacksSubject ? found : [...missing, ...found];
  if (problems.length > 0) return { kind: 'problems', problems };
  return ambiguous ? { kind: 'ambiguous', ambiguity: ambiguous } : { kind: 'values', values };
}

/** What is wrong with a value, as far as can be checked without the service; '' if nothing is. */
export function problemWith(option: Option, given: RawValue | undefined, reading: Reading): string {
  const { invalid } = reading.texts;
  if (given === undefined || isBlank(given)) return option.required ? invalid.needed : '';
  if (option.type === 'file') return problemWithFiles(option, given, reading) ?? '';
  if (typeof given !== 'string') return invalid.noText;
  if (option.type === 'reference' || option.type === 'group') return '';
  const parsed = parseScalar(option, given, reading);
  return 'problem' in parsed ? parsed.problem : '';
}

/** Whether an option accepts several values. */
export function isList(option: Option): boolean {
  return option.type === 'reference' && option.many === true;
}

function isBlank(given: RawValue): boolean {
  if (typeof given === 'string') return given.trim() === '';
  return Array.isArray(given) && given.length === 0;
}

async function parseValue(
  name: string,
  option: Option,
  given: RawValue,
  reading: ValueReading,
): Promise<ParsedValue> {
  if (option.type === 'file') {
    const problem = problemWithFiles(option, given, reading);
    if (problem !== undefined) return { problem };
    const files = toFiles(given);
    return { value: option.many ? files : files[0] };
  }
  if (typeof given !== 'string') return { problem: reading.texts.invalid.noText };
  if (option.type === 'reference') {
    const entries = await reading.list(option.to);
    return parseReference({ name, option, given }, entries, reading.texts);
  }
  if (option.type === 'group') return parseGroup(given, reading);
  return parseScalar(option, given, reading);
}

/**
 * Parses a group's id, or its name with or without `@`. An unknown id is accepted as well, so that
 * a deleted group can still be removed from a setting.
 */
async function parseGroup(given: string, reading: ValueReading): Promise<ParsedValue> {
  const wanted = given.trim();
  const name = toComparable(`@${wanted.replace(/^@/, '')}`);
  const groups = await reading.groups();
  const found =
    groups.find(({ id }) => id === wanted) ??
    groups.find((group) => toComparable(group.name) === name);
  if (found) return { value: found.id };
  return isPlatformId(wanted) ? { value: wanted } : { problem: reading.texts.invalid.noGroup };
}

function problemWithFiles(
  option: FileOption,
  given: RawValue,
  { texts: { invalid } }: Reading,
): string | undefined {
  if (typeof given === 'string') return invalid.noFile;
  const count = toFiles(given).length;
  const max = option.many ? maxFiles : 1;
  return count > max ? invalid.tooManyFiles(count, max) : undefined;
}

function toFiles(given: RawValue): IncomingFile[] {
  return typeof given === 'string' ? [] : [given].flat();
}

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
type ParsedValue = { value: unknown } | { problem: string } | { ambiguity: Ambiguity };

/** What was typed for an option: a name, or several. */
interface Given {
  name: string;
  option: ReferenceOption;
  given: string;
}

/** Looks up the entry with a name, or with `many` each entry that is named, once. */
function parseReference(asked: Given, entries: readonly Entry[], texts: Texts): ParsedValue {
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
  const lower = toComparable(text);
  const ways: ((entry: Entry) => boolean)[] = [
    ({ uuid }) => uuid === text,
    ({ name }) => name === text,
    ({ name }) => toComparable(name) === lower,
    ({ alias }) => alias !== undefined && toComparable(alias) === lower,
    ({ uuid }) => text.length >= minPrefixLength && uuid.startsWith(lower),
  ];
  for (const matches of ways) {
    const [entry, ...others] = entries.filter(matches);
    if (!entry) continue;
    if (others.length === 0) return { kind: 'one', entry };
    return { kind: 'several', entries: [entry, ...others].slice(0, maxOffered) };
  }
  const similar = entries.filter(({ name }) => lower !== '' && toComparable(name).includes(lower));
  return { kind: 'none', entries: similar.slice(0, maxOffered) };
}

/** Platforms cut the labels of buttons at about this length. */
const maxLabelLength = 60;

/** Asks which of several things was meant, with a button for each that runs the command again. */
export function askWhich(
  { option, to, name, isGuess, candidates }: Ambiguity,
  { invoked, raw, texts, formats }: ActionContext,
): Outcome {
  const ask = isGuess ? texts.whichOne.guess : texts.whichOne.several;
  const lines = candidates.map(
    ({ entry }) => `- ${bold(entry.name)} · ${formats.time(entry.createdAt)} · \`${entry.uuid}\``,
  );
  return {
    markdown: [ask(to, escapeMarkdown(name)), ...lines].join('\n'),
    buttons: candidates.map(({ entry, value }) => ({
      label: `${shorten(entry.name, maxLabelLength)} (${entry.uuid.slice(0, 6)})`,
      onPress: { kind: 'run', ...invoked, values: { ...raw, [option]: value } },
    })),
  };
}
