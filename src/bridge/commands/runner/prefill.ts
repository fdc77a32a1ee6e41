import type { Log } from '../../conversation/ports.ts';
import { toTexts } from '../adapters/form-values.ts';
import type { Action, Command, CommandContext } from '../command.ts';
import { type CommandRunner, findAction, type Invocation } from '../invocation.ts';
import { parseValues, type ValueReading } from './parse-values.ts';

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
