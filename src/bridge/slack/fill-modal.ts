import { keepFitting } from '../commands/adapters/modal-values.ts';
import type { Action } from '../commands/command.ts';
import type { CommandRunner, CommandUse, Suggestion } from '../commands/invocation.ts';
import type { Option } from '../commands/option.ts';
import { maxFieldLength } from './modal-fields.ts';

/** docs.slack.dev/reference/block-kit/block-elements/select-menu-element, `options`. */
export const maxChoices = 100;

/** docs.slack.dev/reference/block-kit/composition-objects/option-object, `value`. */
const maxValueLength = 150;

/** The initial values of a modal's fields. */
interface Filling {
  values: Record<string, string>;
  /** The initial choices of menus with search, by option. */
  chosen: Record<string, Suggestion[]>;
}

type Fields = readonly [string, Option][];

/** Fills in the typed values as they are. */
export function fillAsTyped(fields: Fields, values: Record<string, string>): Filling {
  const chosen = fields.flatMap(([name, option]): [string, Suggestion[]][] => {
    if (option.type !== 'reference' && option.type !== 'group') return [];
    const isMany = option.type === 'reference' && option.many === true;
    const value = values[name] ?? '';
    const parts = (isMany ? value.split(',') : [value]).map((part) => part.trim());
    const named = parts.filter((part) => part !== '' && part.length <= maxValueLength);
    return [[name, named.map((part) => ({ label: part, value: part }))]];
  });
  return { values, chosen: Object.fromEntries(chosen) };
}

/**
 * Fills in the typed values, and current values for the other fields; ids become names if the
 * runner knows them.
 */
export async function fillIn(
  runner: CommandRunner,
  use: CommandUse,
  modal: { action: Action; fields: Fields; given: Record<string, string> },
): Promise<Filling> {
  const { action, fields, given } = modal;
  const prefilled = await runner.prefill({ ...use, values: given });
  const filled = keepFitting(action, { given, filled: prefilled, maxFieldLength });
  const { values, chosen } = fillAsTyped(fields, filled);
  const found = Object.entries(chosen).map(
    async ([option, parts]): Promise<[string, Suggestion[]]> => [
      option,
      await Promise.all(parts.map((part) => findChosen(runner, { ...use, option }, part))),
    ],
  );
  return { values, chosen: Object.fromEntries(await Promise.all(found)) };
}

/** What a menu shows for chosen values; an unknown name is shown as it is. */
async function findChosen(
  runner: CommandRunner,
  field: CommandUse & { option: string },
  part: Suggestion,
): Promise<Suggestion> {
  const { value } = part;
  const found = await runner.complete({ ...field, typed: value, limit: maxChoices });
  const isIt = (each: Suggestion) =>
    each.value === value || each.name?.toLowerCase() === value.toLowerCase();
  return found.find(isIt) ?? part;
}
