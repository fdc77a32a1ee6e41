import type { Suggestion } from '../invocation.ts';
import type { Option } from '../option.ts';
import { parseBoolean } from '../runner/parse-scalar.ts';
import type { Messages } from '../../messages/messages.ts';

/** What a form calls an option. */
export function labelOf(name: string, texts: Messages): string {
  const labels: Record<string, string> = texts.labels;
  const label = Object.hasOwn(labels, name) ? labels[name] : undefined;
  return label ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** What people read for one of the values that an option can have. */
export function choiceLabel(value: string, texts: Messages): string {
  const labels: Record<string, string> = texts.choices;
  return (Object.hasOwn(labels, value) ? labels[value] : undefined) ?? value;
}

/** The values that an option can have as a menu offers them. */
export function toChoices(values: readonly string[], texts: Messages): Suggestion[] {
  return values.map((value) => ({ label: choiceLabel(value, texts), value }));
}

/** The choice, `yes` or `no`, that a word stands for; '' where it is neither. */
export function yesOrNo(word: string): string {
  const value = parseBoolean(word);
  if (value === undefined) return '';
  return value ? 'yes' : 'no';
}

/**
 * What an option is for, and between which limits its values are, where that takes no more than
 * `maxLength` characters. `maxFieldLength` is that of a text field, `maxFileBytes` that of the largest
 * file that is taken.
 */
export function describeOption(
  option: Option,
  texts: Messages,
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
  { limits }: Messages,
  { maxFieldLength = Infinity, maxFileBytes }: { maxFieldLength?: number; maxFileBytes?: number },
): string {
  if (option.type === 'number') return limits.range(option.min, option.max);
  if (option.type === 'file' && maxFileBytes !== undefined) {
    return limits.files(Math.floor(maxFileBytes / 1e6));
  }
  if (option.type === 'text' && option.maxLength !== undefined) {
    return limits.characters(Math.min(option.maxLength, maxFieldLength));
  }
  return '';
}
