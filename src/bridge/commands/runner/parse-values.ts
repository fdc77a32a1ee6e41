import type { Entry } from './directory.ts';
import type { Action } from '../command.ts';
import type { Group } from '../names.ts';
import {
  type FileOption,
  type IncomingFile,
  maxFiles,
  type Option,
  type RawValue,
  type RawValues,
  type ReferenceKind,
} from '../option.ts';
import { type Ambiguity, type ParsedValue, parseReference } from './parse-reference.ts';
import { isPlatformId, parseScalar, type Reading } from './parse-scalar.ts';

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
  const found: string[] = [];
  let ambiguous: Ambiguity | undefined;
  for (const [name, option] of Object.entries<Option>(options)) {
    const given = raw[name];
    if (given === undefined || isBlank(given)) {
      const description = reading.texts.descriptions[option.description];
      if (option.required) found.push(invalid.missing(name, description));
      // Given but empty: a menu in a form that was cleared.
      else if (given !== undefined && isList(option)) values[name] = [];
      continue;
    }
    const parsed = await parseValue(name, option, given, reading);
    if ('value' in parsed) values[name] = parsed.value;
    else if ('problem' in parsed) found.push(`**${name}**: ${parsed.problem}`);
    else ambiguous ??= parsed.ambiguity;
  }
  if (found.length > 0) return { kind: 'problems', problems: found };
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
  const name = `@${wanted.replace(/^@/, '')}`.toLowerCase();
  const groups = await reading.groups();
  const found =
    groups.find(({ id }) => id === wanted) ??
    groups.find((group) => group.name.toLowerCase() === name);
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
