import type { Action, Command } from '../../../src/bridge/commands/command.ts';
import type { Option } from '../../../src/bridge/commands/option.ts';
import type { NounScenarios } from './scenario.ts';
import { wrongValues } from './wrong-values.ts';

/** An action of the commands, as it is typed: `source list`. */
export interface NamedAction {
  words: string;
  action: Action;
}

export function actionsOf(commands: readonly Command[]): NamedAction[] {
  return commands.flatMap((command) =>
    'action' in command
      ? [{ words: command.name, action: command.action }]
      : Object.entries(command.actions).map(([name, action]) => ({
          words: `${command.name} ${name}`,
          action,
        })),
  );
}

/** What of the commands no scenario shows at work, and what could be given wrongly and is not. */
export function findMissing(
  commands: readonly Command[],
  scenarios: Pick<NounScenarios, 'works'>,
): string[] {
  return actionsOf(commands).flatMap(({ words, action }) => {
    const uses = scenarios.works.filter(({ command }) => command === words);
    if (uses.length === 0) return [`${words}: no scenario`];
    const given = new Set(
      uses.flatMap(({ values, files }) => [
        ...Object.keys(values ?? {}),
        ...(files ? ['file'] : []),
      ]),
    );
    return Object.entries<Option>(action.options).flatMap(([name, option]) => [
      ...(given.has(name) ? [] : [`${words} ${name}: no scenario gives it`]),
      ...(canBeWrong(option) && wrongValues(option).length === 0
        ? [`${words} ${name}: no wrong value`]
        : []),
    ]);
  });
}

/** Scenarios of actions or options that are not declared. */
export function findOutdated(
  commands: readonly Command[],
  { works, refuses }: NounScenarios,
): string[] {
  const actions = new Map(actionsOf(commands).map(({ words, action }) => [words, action]));
  return [...works, ...refuses].flatMap(({ command, values = {} }) => {
    const action = actions.get(command);
    if (!action) return [`${command}: there is no such action`];
    return Object.keys(values)
      .filter((name) => !Object.hasOwn(action.options, name))
      .map((name) => `${command} ${name}: there is no such option`);
  });
}

/** Text of any length is never wrong by its type. */
function canBeWrong(option: Option): boolean {
  return option.type !== 'text' || option.maxLength !== undefined;
}
