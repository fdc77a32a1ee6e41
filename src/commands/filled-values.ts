import type { Action } from './command.ts';
import type { Option } from './option.ts';

/** Whether an option says which thing an action is about. */
export function isWhich(option: Option): boolean {
  return option.type === 'reference' && option.required === true;
}

/** Whether it was said what an action is about. */
export function namesWhich(action: Action, values: object): boolean {
  return Object.entries(action.options).every(
    ([name, option]) => !isWhich(option) || Object.hasOwn(values, name),
  );
}

/** Whether nothing but what is to be changed was said: a form then shows what stands there now. */
export function namesOnlyWhich(action: Action, values: object): boolean {
  if (!action.present) return false;
  return Object.keys(values).every((name) => {
    const option = action.options[name];
    return option !== undefined && isWhich(option);
  });
}

/**
 * What stands there now goes into a field only where all of it fits: cut short, it would be saved
 * so. What was typed goes in as far as it fits.
 */
export function keepFitting(
  action: Action,
  {
    given,
    filled,
    longest,
  }: {
    given: Record<string, string>;
    filled: Record<string, string>;
    /** Most characters of any field. */
    longest: number;
  },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filled).filter(([name, value]) => {
      const option = action.options[name];
      const most = option?.type === 'text' ? (option.maxLength ?? longest) : longest;
      return given[name] !== undefined || value.length <= Math.min(most, longest);
    }),
  );
}

/** Those of the values that are texts. */
export function toTexts(values: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}
