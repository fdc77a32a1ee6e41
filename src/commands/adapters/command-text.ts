import type { Problem } from '../../messages/problem.ts';
import type { Action, Command } from '../command.ts';

/** What someone typed behind the name of a command. */
export type CommandText =
  /** `complete`: can be run as it is; otherwise something has yet to be asked for. */
  | {
      kind: 'action';
      name?: string;
      action: Action;
      values: Record<string, string>;
      complete: boolean;
    }
  /** Nothing to run: `problem` says why, and is undefined where help was asked for. */
  | { kind: 'usage'; problem?: Problem };

/**
 * Reads what was typed by what the command declares: the name of the subcommand, then what its
 * required options take, in their order, the last of them all the rest, or, where none is required,
 * what its first one takes; and anywhere `--name value`, `--name "several words"` or, where an
 * action has several options, `name:value`. Files cannot be typed: an action that takes one is
 * never complete.
 */
export function readCommandText(command: Command, text: string): CommandText {
  if ('action' in command) return parseOptions(command.action, text);
  const name = /^\S*/.exec(text)?.[0] ?? '';
  if (name === '' || name === 'help') return usage();
  const action = Object.hasOwn(command.actions, name) ? command.actions[name] : undefined;
  if (!action) return usage({ code: 'no_action', params: { name } });
  const parsed = parseOptions(action, text.slice(name.length));
  return parsed.kind === 'action' ? { ...parsed, name } : parsed;
}

interface Word {
  index: number;
  start: number;
  end: number;
  /** The name, where the word is `--name`. */
  option: string | undefined;
  value: string;
}

/** Slack's clients turn -- into a dash. */
const dashed = /(?:--|[—–])(?<dashed>[a-z][a-z0-9_-]*)(?:=|(?=\s|$))/;

/** Slack's clients turn straight quotes into curly ones. A quote inside a word is an apostrophe. */
const quoted =
  /(?:"(?<a>[^"]*)"|“(?<b>[^”]*)”|„(?<c>[^“”]*)[“”]|'(?<d>[^']*)'|‘(?<e>[^’]*)’)(?=\s|$)/;

function parseOptions(action: Action, text: string): CommandText {
  const typable = Object.entries(action.options).filter(([, option]) => option.type !== 'file');
  const names = new Set(typable.map(([name]) => name));
  const values: Record<string, string> = {};
  const unnamed: Word[] = [];

  const words = readWords(text, names);
  for (let next = words.shift(); next; next = words.shift()) {
    const { option } = next;
    if (option === undefined) unnamed.push(next);
    else if (names.has(option)) {
      const value = words[0]?.option === undefined ? words.shift()?.value : undefined;
      const given = value ?? (isSwitch(action, option) ? 'yes' : undefined);
      if (given === undefined) return usage({ code: 'no_value', params: { name: option } });
      values[option] = given;
    } else if (names.size > 1) {
      return usage({ code: 'no_option', params: { name: option } });
    } else unnamed.push(next);
  }

  const [only, ...others] = unnamed;
  if (only && others.length === 0 && isSwitch(action, only.value)) {
    values[only.value] = 'yes';
    unnamed.pop();
  }

  const isOpen = ([name]: (typeof typable)[number]) => values[name] === undefined;
  const required = typable.filter(([, option]) => option.required);
  // Where nothing has to be given, what is typed without a name is for the first option.
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

/** Whether an option stands for yes by its name alone, as in `audit off` and `--remove`. */
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

/** The words that name an option, the quoted texts, and all other words. */
function readWords(text: string, names: ReadonlySet<string>): Word[] {
  // Of a single option, what looks so is more likely to be part of what is typed for it.
  const known = names.size > 1 ? [new RegExp(`(?<colon>${[...names].join('|')}):(?=\\S)`)] : [];
  const kinds = [dashed, ...known, quoted, /\S+/].map(({ source }) => source);
  return [...text.matchAll(new RegExp(kinds.join('|'), 'g'))].map((match, index) => {
    const { dashed: option = match.groups?.['colon'], colon: _, ...quotes } = match.groups ?? {};
    const [whole] = match;
    const value = Object.values(quotes).find((each) => each !== undefined) ?? whole;
    return { index, start: match.index, end: match.index + whole.length, option, value };
  });
}

/**
 * Several words as they were typed, with what lies between them unless named options do; a single
 * one without its quotes.
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
