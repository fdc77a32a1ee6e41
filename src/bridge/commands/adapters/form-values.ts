import type { Action } from '../command.ts';
import type { Option } from '../option.ts';

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
      const option = action.options[name];
      const max = option?.type === 'text' ? (option.maxLength ?? maxFieldLength) : maxFieldLength;
      return given[name] !== undefined || value.length <= Math.min(max, maxFieldLength);
    }),
  );
}

/** The values that are texts. */
export function toTexts(values: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}
