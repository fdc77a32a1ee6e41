import type { Log } from '../../../shared/primitives/log.ts';
import type { Command, Action, CommandContext, Group } from '../command.ts';
import type { Directory, Entry } from './directory.ts';
import { createFormats } from '../formats.ts';
import {
  type CommandRunner,
  type Completion,
  findAction,
  type Suggestion,
  type Invocation,
} from '../invocation.ts';
import { shorten, toComparable } from '../../../shared/primitives/text.ts';
import type { ReferenceOption } from '../option.ts';
import { colorNames } from './parse-scalar.ts';
import { toTexts } from '../adapters/modal-values.ts';
import { parseValues, type ValueReading } from './parse-values.ts';

/** Discord's limit; Slack's is 100. */
const defaultLimit = 25;

/** Slack's limit for a label; Discord's, for label and value, is 100. */
const maxLabelLength = 75;
const maxValueLength = 100;

/** Length of the uuid prefix used when several full values do not fit. */
const shortUuid = 8;

/** Suggests references, choices and colours for the text typed so far, to those who may use it. */
export function createCompletion(options: {
  commands: readonly Command[];
  directory: Directory;
  mayUse: CommandRunner['mayUse'];
  log: Log;
}): (completion: Completion) => Promise<Suggestion[]> {
  const { commands, directory, mayUse, log } = options;

  async function suggest(completion: Completion): Promise<Suggestion[]> {
    const { context, typed } = completion;
    if (!(await mayUse(completion))) return [];
    const action = findAction(commands, completion.command, completion.action);
    const declared = action?.options ?? {};
    const option = Object.hasOwn(declared, completion.option)
      ? declared[completion.option]
      : undefined;
    if (option?.type === 'choice') return fitting(option.choices, typed);
    if (option?.type === 'color') return fitting(colorNames, typed);
    if (option?.type === 'group') return fittingGroups(await context.names.groups(), typed);
    if (option?.type !== 'reference') return [];
    const entries = await directory.listRecent(option.to, context);
    const formats = createFormats(context);
    return suggestEntries(option, entries, typed, ({ name, createdAt }) =>
      [name, formats.plainTime(createdAt)].filter(Boolean).join(' · '),
    );
  }

  return async (completion) => {
    try {
      const suggestions = await suggest(completion);
      return suggestions
        .filter(({ value }) => value.length <= maxValueLength)
        .slice(0, completion.limit ?? defaultLimit);
    } catch (error) {
      log.warn({ err: error, option: completion.option }, 'no suggestions could be read');
      return [];
    }
  };
}

function fitting(values: readonly string[], typed: string): Suggestion[] {
  const sought = toComparable(typed);
  return values.filter((value) => value.includes(sought)).map((value) => ({ label: value, value }));
}

function fittingGroups(groups: readonly Group[], typed: string): Suggestion[] {
  const sought = toComparable(typed);
  return groups
    .filter(({ name }) => toComparable(name).includes(sought))
    .map(({ id, name }) => ({ label: shorten(name, maxLabelLength), value: id, name }));
}

/** In a comma-separated list, the last item is the one being typed. */
function suggestEntries(
  option: ReferenceOption,
  entries: readonly Entry[],
  typed: string,
  describe: (entry: Entry) => string,
): Suggestion[] {
  const parts = option.many ? typed.split(',') : [typed];
  const sought = toComparable(parts.pop() ?? '');
  const before = parts.map((part) => part.trim()).filter((part) => part !== '');
  const fits = ({ name, uuid }: Entry) =>
    toComparable(name).includes(sought) || uuid.startsWith(sought);
  const isChosen = ({ uuid }: Entry) =>
    before.some((part) => part.length >= shortUuid && uuid.startsWith(part));
  const uuids = new Set(entries.map(({ uuid }) => uuid));
  const shorter = before.map((part) => (uuids.has(part) ? part.slice(0, shortUuid) : part));
  return entries
    .filter((entry) => fits(entry) && !isChosen(entry))
    .toSorted((a, b) => Number(startsWith(b, sought)) - Number(startsWith(a, sought)))
    .map((entry) => {
      const label = describe(entry) || entry.uuid;
      const whole = [...before, entry.uuid].join(', ');
      const short = [...shorter, entry.uuid.slice(0, shortUuid)].join(', ');
      const count = before.length > 0 ? `+${before.length} ` : '';
      return {
        label: shorten(`${count}${label}`, maxLabelLength),
        value: whole.length <= maxValueLength ? whole : short,
        name: entry.name,
      };
    });
}

function startsWith({ name }: Entry, sought: string): boolean {
  return toComparable(name).startsWith(sought);
}

/**
 * Finds a form's initial values: the given ones, and current values for the other options. Values
 * that can't be found are left out, and all of them for who may not use it. Never rejects.
 */
export function createPrefill(options: {
  commands: readonly Command[];
  readingIn(context: CommandContext): ValueReading;
  mayUse: CommandRunner['mayUse'];
  log: Log;
}): (invocation: Invocation) => Promise<Record<string, string>> {
  const { commands, readingIn, mayUse, log } = options;

  async function readPresent(
    action: Action,
    typed: Record<string, string>,
    context: CommandContext,
  ): Promise<Record<string, string> | undefined> {
    // Missing values are no problem: the form asks for them.
    const given = Object.entries(action.options).filter(([name]) => Object.hasOwn(typed, name));
    const parsed = await parseValues(Object.fromEntries(given), typed, readingIn(context));
    if (parsed.kind !== 'values') return undefined;
    return action.initialValues?.(
      parsed.values as Parameters<NonNullable<Action['initialValues']>>[0],
    );
  }

  return async ({ command, action: name, values, context }) => {
    const typed = toTexts(values);
    const action = findAction(commands, command, name);
    if (!action?.initialValues || !(await mayUse({ command, action: name, context }))) return typed;
    try {
      return { ...(await readPresent(action, typed, context)), ...typed };
    } catch (error) {
      log.warn({ err: error, command }, 'a form could not be prefilled');
      return typed;
    }
  };
}
