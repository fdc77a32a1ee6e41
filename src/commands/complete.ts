import type { Log } from '../conversation/ports.ts';
import type { Command, CommandContext } from './command.ts';
import type { Directory, Entry } from './directory.ts';
import { createFormats, toTimeZone } from './formats.ts';
import { type Completion, findAction, type Suggestion } from './invocation.ts';
import { shorten } from './markdown.ts';
import type { ReferenceOption } from './option.ts';
import { colorNames } from './parse-scalar.ts';

/** Discord shows no more; Slack takes 100. */
const mostByDefault = 25;

/** Discord's limit of a suggestion's label and value; Slack's of a label is 75. */
const longestLabel = 75;
const longestValue = 100;

/** Suggests values of references, choices and colours for what was typed so far. */
export function createCompletion(options: {
  commands: () => readonly Command[];
  directory: Directory;
  languageOf(context: CommandContext): { locale: string };
  log: Log;
}): (completion: Completion) => Promise<Suggestion[]> {
  const { commands, directory, languageOf, log } = options;

  async function suggest(completion: Completion): Promise<Suggestion[]> {
    const { context, typed } = completion;
    const action = findAction({ commands: commands() }, completion.command, completion.action);
    const declared = action?.options ?? {};
    const option = Object.hasOwn(declared, completion.option)
      ? declared[completion.option]
      : undefined;
    if (option?.type === 'choice') return fitting(option.choices, typed);
    if (option?.type === 'color') return fitting(colorNames, typed);
    if (option?.type !== 'reference') return [];
    const entries = await directory.listRecent(option.to, context);
    const formats = createFormats(languageOf(context).locale, toTimeZone(context.timeZone));
    return suggestEntries(option, entries, typed, ({ name, createdAt }) =>
      [name, formats.time(createdAt)].filter(Boolean).join(' · '),
    );
  }

  return async (completion) => {
    try {
      const suggestions = await suggest(completion);
      return suggestions
        .filter(({ value }) => value.length <= longestValue)
        .slice(0, completion.most ?? mostByDefault);
    } catch (error) {
      log.warn({ err: error, option: completion.option }, 'no suggestions could be given');
      return [];
    }
  };
}

function fitting(values: readonly string[], typed: string): Suggestion[] {
  const sought = typed.trim().toLowerCase();
  return values.filter((value) => value.includes(sought)).map((value) => ({ label: value, value }));
}

/** Of several things, separated by commas, the last is the one being typed. */
function suggestEntries(
  option: ReferenceOption,
  entries: readonly Entry[],
  typed: string,
  describe: (entry: Entry) => string,
): Suggestion[] {
  const parts = option.many ? typed.split(',') : [typed];
  const sought = (parts.pop() ?? '').trim().toLowerCase();
  const before = parts.map((part) => part.trim()).filter((part) => part !== '');
  const fits = ({ name, uuid }: Entry) =>
    name.toLowerCase().includes(sought) || uuid.startsWith(sought);
  return entries
    .filter((entry) => fits(entry) && !before.includes(entry.uuid))
    .toSorted((a, b) => Number(startsWith(b, sought)) - Number(startsWith(a, sought)))
    .map((entry) => {
      const label = describe(entry) || entry.uuid;
      const count = before.length > 0 ? `+${before.length} ` : '';
      return {
        label: shorten(`${count}${label}`, longestLabel),
        value: [...before, entry.uuid].join(', '),
        name: entry.name,
      };
    });
}

function startsWith({ name }: Entry, sought: string): boolean {
  return name.toLowerCase().startsWith(sought);
}
