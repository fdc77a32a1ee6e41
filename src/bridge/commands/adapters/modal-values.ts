import type { Suggestion } from '../invocation.ts';
import type { Option } from '../option.ts';
import { parseBoolean } from '../runner/parse-scalar.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Action } from '../command.ts';

/** The title of an action's form. */
export function titleOf({ description }: Action, texts: Texts): string {
  const { titles } = texts;
  const title = Object.hasOwn(titles, description) ? titles[description] : undefined;
  return title ?? texts.descriptions[description];
}

/** The label of an option in a form. */
export function labelOf(name: string, texts: Texts): string {
  const labels: Record<string, string> = texts.labels;
  const label = Object.hasOwn(labels, name) ? labels[name] : undefined;
  return label ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The label of a choice. */
export function choiceLabel(value: string, texts: Texts): string {
  const labels: Record<string, string> = texts.choices;
  return (Object.hasOwn(labels, value) ? labels[value] : undefined) ?? value;
}

/** The choices of an option as menu entries. */
export function toChoices(values: readonly string[], texts: Texts): Suggestion[] {
  return values.map((value) => ({ label: choiceLabel(value, texts), value }));
}

/** The choice, `yes` or `no`, that a word means; '' if it means neither. */
export function yesOrNo(word: string): string {
  const value = parseBoolean(word);
  if (value === undefined) return '';
  return value ? 'yes' : 'no';
}

/**
 * Describes an option and, if it fits into `maxLength` characters, the limits of its values.
 * `maxFieldLength` is the limit of a text field, `maxFileBytes` that of a file.
 */
export function describeOption(
  option: Option,
  texts: Texts,
  limits: { maxLength?: number; maxFieldLength?: number; maxFileBytes?: number } = {},
): string {
  const { maxLength = Infinity } = limits;
  const description = texts.descriptions[option.description];
  const range = limitsOf(option, texts, limits);
  const whole = range ? `${description} (${range})` : description;
  return whole.length > maxLength ? description : whole;
}

function limitsOf(
  option: Option,
  { limits }: Texts,
  { maxFieldLength = Infinity, maxFileBytes }: { maxFieldLength?: number; maxFileBytes?: number },
): string {
  if (option.type === 'number') return limits.range(option.min, option.max);
  if (option.type === 'file' && maxFileBytes !== undefined) {
    return limits.files(maxFileBytes);
  }
  if (option.type === 'text' && option.maxLength !== undefined) {
    return limits.characters(Math.min(option.maxLength, maxFieldLength));
  }
  return '';
}

/** Whether an option names the thing that the action is about: its subject. */
export function isSubject(option: Option): boolean {
  return option.type === 'reference' && option.required === true;
}

/** Whether everything that an action is about was named. */
export function hasSubject(action: Action, values: object): boolean {
  return Object.entries(action.options).every(
    ([name, option]) => !isSubject(option) || Object.hasOwn(values, name),
  );
}

/** Whether nothing but the subject of a change was given: a form then shows its current values. */
export function hasOnlySubject(action: Action, values: object): boolean {
  if (!action.initialValues) return false;
  return Object.keys(values).every((name) => {
    const option = action.options[name];
    return option !== undefined && isSubject(option);
  });
}

/**
 * Keeps current values only if they fit into a field whole: a cut value would be saved as such.
 * Typed values are kept as far as they fit.
 */
export function keepFitting(
  action: Action,
  {
    given,
    filled,
    maxFieldLength,
  }: {
    given: Record<string, string>;
    filled: Record<string, string>;
    /** The limit of every field, in characters. */
    maxFieldLength: number;
  },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filled).filter(([name, value]) => {
      const max = maxLengthOf(action.options[name], maxFieldLength);
      return given[name] !== undefined || value.length <= max;
    }),
  );
}

/** How long a value of an option in a field may be. */
export function maxLengthOf(option: Option | undefined, maxFieldLength: number): number {
  const max = option?.type === 'text' ? option.maxLength : undefined;
  return Math.min(max ?? maxFieldLength, maxFieldLength);
}

/** The values that are texts. */
export function toTexts(values: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}
