import { type Problem, renderProblem } from '../../../shared/problems/problem.ts';
import type { Action, Command } from '../command.ts';
import { parseBoolean } from '../runner/parse-scalar.ts';
import { nearest } from './guess.ts';
import type { Option } from '../option.ts';
import type { Texts } from '../../texts/texts.ts';

/** What someone typed after a command's name. */
export type CommandText =
  /** `complete`: can be run as it is; otherwise a form asks for what is missing. */
  | {
      kind: 'action';
      name?: string;
      action: Action;
      values: Record<string, string>;
      complete: boolean;
    }
  /** Nothing to run: `problem` says why; undefined if help was requested. */
  | { kind: 'usage'; problem?: Problem };

/**
 * Parses typed text according to the command's declaration. First comes the subcommand's name, then
 * the values of the required options in order, the last of which takes the rest of the text. If no
 * option is required, the text is the value of the first one. `--name value`, `--name "several
 * words"` and, if the action has several options, `name:value` can be anywhere, but not amid the
 * only text that an action takes. `--name` alone is yes. Files can't be typed: an action with a file
 * option is never complete.
 */
export function readCommandText(command: Command, text: string): CommandText {
  if ('action' in command) return parseOptions(command.action, text);
  const word = /^\S*/.exec(text)?.[0] ?? '';
  // Keyboards of phones capitalise the first word.
  const name = word.toLowerCase();
  if (name === '' || name === 'help') return usage();
  const action = Object.hasOwn(command.actions, name) ? command.actions[name] : undefined;
  if (!action) return usage({ code: 'no_action', params: { name: word } });
  const parsed = parseOptions(action, text.slice(word.length));
  return parsed.kind === 'action' ? { ...parsed, name } : parsed;
}

/** How a platform writes channels, people and groups in what is typed. */
export interface TypedTokens {
  /** By type of option, what it takes, with the id as the first group. */
  patterns: Partial<Record<Option['type'], RegExp>>;
  /** Puts names in place of all ids. */
  toReadable(text: string): string;
}

/** Parses typed text as `readCommandText`: options that take an id get it, all others names. */
export function readTypedCommand(
  command: Command,
  text: string,
  { patterns, toReadable }: TypedTokens,
): CommandText {
  const parsed = readCommandText(command, text.trim());
  if (parsed.kind === 'usage') {
    return { ...parsed, problem: parsed.problem && toReadableProblem(parsed.problem, toReadable) };
  }
  const values = Object.entries(parsed.values).map(([name, value]) => {
    const pattern = patterns[parsed.action.options[name]?.type ?? 'text'];
    return [name, pattern?.exec(value.trim())?.[1] ?? toReadable(value)];
  });
  return { ...parsed, values: Object.fromEntries(values) };
}

/** Puts names in place of ids in the quoted input. */
function toReadableProblem(problem: Problem, toReadable: TypedTokens['toReadable']): Problem {
  if (problem.code === 'no_action') {
    return { ...problem, params: { name: toReadable(problem.params.name) } };
  }
  if (problem.code === 'surplus_text') {
    return { ...problem, params: { text: toReadable(problem.params.text) } };
  }
  return problem;
}

interface Word {
  index: number;
  start: number;
  end: number;
  /** The option's name, if the word names one. */
  option: string | undefined;
  value: string;
}

/** Slack's clients turn -- into a dash. */
const dashed = /(?:--|[—–])(?<dashed>[a-z][a-z0-9_-]*)(?:=|(?=\s|$))/;

/** Some languages write numbers with spaces that do not break the line, as in 1 000. */
const other = /(?:\S|(?<=\d)[\u00A0\u202F](?=\d{3}))+/;

/** Slack's clients turn straight quotes into curly ones. A quote inside a word is an apostrophe. */
const closingQuotes: Record<string, string> = { '"': '"', '“': '”', '„': '“”', "'": "'", '‘': '’' };

function parseOptions(action: Action, text: string): CommandText {
  const typable = Object.entries(action.options).filter(([, option]) => option.type !== 'file');
  const names = new Set(typable.map(([name]) => name));
  const values: Record<string, string> = {};
  const unnamed: Word[] = [];
  const [main, ...more] = typable.filter(([, { type }]) => type !== 'boolean');
  /** Whether an unknown name is more likely part of the text than a mistyped option. */
  const isSentence = names.size < 2 || (main?.[1].type === 'text' && more.length === 0);

  const isNamed = ({ option }: Word) => option !== undefined && names.has(option);
  const words = readWords(text, names);
  /** The word that the option before it takes as its value. */
  let value: Word | undefined;
  for (const word of words) {
    const { index, option } = word;
    if (word === value) continue;
    const next = valueAfter(word, words[index + 1], action);
    const after = words[index + (next ? 2 : 1)];
    /** Within a sentence, a name is a word like others. */
    const isInside = isSentence && unnamed.length > 0 && after !== undefined && !isNamed(after);
    if (option !== undefined && isNamed(word) && !isInside) {
      value = next;
      const given = value?.value ?? (isSwitch(action, option) ? 'yes' : undefined);
      if (given === undefined) return usage({ code: 'no_value', params: { name: option } });
      values[option] = given;
    } else if (option === undefined || isSentence) unnamed.push(word);
    else return usage({ code: 'no_option', params: { name: option } });
  }

  const [only, ...others] = unnamed;
  if (only && others.length === 0 && isSwitch(action, only.value)) {
    values[only.value] = 'yes';
    unnamed.pop();
  }

  const isOpen = ([name]: (typeof typable)[number]) => values[name] === undefined;
  const required = typable.filter(([, option]) => option.required);
  // If no option is required, text without a name is for the first option.
  const positional = required.length > 0 ? required : typable.slice(0, 1);
  const open = positional.filter(isOpen).map(([name]) => name);
  const last = open.pop();
  for (const name of open) {
    const value = unnamed.shift();
    if (value) values[name] = value.value;
  }
  const rest = joinWords(unnamed, text);
  if (rest && last === undefined) {
    return usage({ code: 'surplus_text', params: { text: rest } });
  }
  if (rest && last !== undefined) values[last] = rest;
  return { kind: 'action', action, values, complete: isComplete(action, values) };
}

/**
 * The word after an option's name, if it is the value. Where the name alone means yes, it is only if
 * it says yes or no, or if no space is in front of it.
 */
function valueAfter(name: Word, next: Word | undefined, action: Action): Word | undefined {
  if (name.option === undefined || next?.option !== undefined) return undefined;
  if (!next || !isSwitch(action, name.option) || next.start === name.end) return next;
  return parseBoolean(next.value) === undefined ? undefined : next;
}

/** Whether an option's name alone means yes, as in `audit off` and `--remove`. */
function isSwitch(action: Action, name: string): boolean {
  return Object.hasOwn(action.options, name) && action.options[name]?.type === 'boolean';
}

function usage(problem?: Problem): CommandText {
  return { kind: 'usage', problem };
}

function isComplete(action: Action, values: Record<string, string>): boolean {
  return Object.entries(action.options).every(
    ([name, option]) => option.type !== 'file' && (!option.required || Boolean(values[name])),
  );
}

/** Splits the text into option names, quoted texts and other words, in linear time. */
function readWords(text: string, names: ReadonlySet<string>): Word[] {
  // With a single option, `name:value` is more likely part of its value.
  const known = names.size > 1 ? [new RegExp(`(?<colon>${[...names].join('|')}):(?=\\S)`)] : [];
  const pattern = new RegExp([dashed, ...known, other].map(({ source }) => source).join('|'), 'g');
  const quoteEnd = createQuoteSearch(text);
  const words: Word[] = [];
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { index: start, groups } = match;
    const index = words.length;
    const option = groups?.['dashed'] ?? groups?.['colon'];
    const quote = option === undefined ? quoteEnd(start) : undefined;
    const end = quote === undefined ? pattern.lastIndex : quote + 1;
    const value = quote === undefined ? match[0] : text.slice(start + 1, quote);
    words.push({ index, start, end, option, value });
    pattern.lastIndex = end;
  }
  return words;
}

/** Finds where quoted text that begins at an offset ends; offsets must come in ascending order. */
function createQuoteSearch(text: string): (start: number) => number | undefined {
  /** Where each sign comes next. */
  const next = new Map<string, number>();

  function find(sign: string, from: number): number {
    const known = next.get(sign) ?? -1;
    if (known >= from) return known;
    const index = text.indexOf(sign, from);
    const found = index === -1 ? Infinity : index;
    next.set(sign, found);
    return found;
  }

  return (start) => {
    const closing = closingQuotes[text.charAt(start)] ?? '';
    const end = Math.min(...closing.split('').map((sign) => find(sign, start + 1)));
    return end < text.length && /^\s?$/.test(text.charAt(end + 1)) ? end : undefined;
  };
}

/**
 * Joins words as they were typed, including the text between them unless that is a named option; a
 * single word loses its quotes.
 */
function joinWords(words: Word[], text: string): string {
  const [first] = words;
  const last = words.at(-1);
  if (!first || !last) return '';
  if (first === last) return first.value;
  const together = last.index - first.index === words.length - 1;
  if (together) return text.slice(first.start, last.end);
  return words.map(({ start, end }) => text.slice(start, end)).join(' ');
}

/** Renders how to use a command, one line per action, below what was wrong with the last try. */
export function renderUsage(options: {
  /** The command as people type it: `/causeway source` on Slack, `/source` on Discord. */
  name: string;
  command: Command;
  problem: Problem | undefined;
  texts: Texts;
}): string {
  const { name, command, problem, texts } = options;
  const lines = actionsOf(command).map(([action, { description, options }]) => {
    const words = [name, action, usageOf(options)].filter(Boolean).join(' ');
    return `- \`${words}\`: ${texts.descriptions[description]}`;
  });
  const near =
    problem?.code === 'no_action' && 'actions' in command
      ? nearest(problem.params.name, Object.keys(command.actions))
      : undefined;
  const described = `**${name}**: ${texts.descriptions[command.description]}`;
  const meant = near && texts.menu.meant(`\`${name} ${near}\``);
  const wrong = [problem && renderProblem(problem, texts), meant].filter(Boolean).join(' ');
  return [wrong, described, lines.join('\n')].filter(Boolean).join('\n\n');
}

/** What Slack shows beside a command while it is typed. */
export function renderUsageHint(command: Command): string {
  return actionsOf(command)
    .map(([name, { options }]) => [name, usageOf(options)].filter(Boolean).join(' '))
    .join(' | ');
}

function actionsOf(command: Command): [string, Action][] {
  return 'action' in command ? [['', command.action]] : Object.entries(command.actions);
}

/** Files are requested in a form, so they are not part of the typed usage. */
function typable(options: Action['options']): [string, Option][] {
  return Object.entries(options).filter(([, { type }]) => type !== 'file');
}

function usageOf(options: Action['options']): string {
  return typable(options)
    .map(([name, option]) => (option.required ? `<${name}>` : `[--${name} "…"]`))
    .join(' ');
}
