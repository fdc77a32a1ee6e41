import { explainError } from '../conversation/explain.ts';
import type { Log } from '../conversation/ports.ts';
import { ask } from './ask.ts';
import type { Action, Options } from './command.ts';
import { type CommandTable, findAction, type Invocation } from './invocation.ts';
import { createSourceCommand } from './source.ts';
import type { SourceService } from './watch-source.ts';

/** The one table of commands, for all platforms. */
export function createCommandTable(options: {
  prefix: string;
  sources: SourceService;
  log: Log;
}): CommandTable {
  const { log } = options;
  const table: CommandTable = {
    prefix: options.prefix,
    commands: [ask, createSourceCommand(options.sources)],
    run,
  };

  async function* run(invocation: Invocation): AsyncGenerator<string> {
    const { context, values } = invocation;
    try {
      const action = findAction(table, invocation.command, invocation.action);
      const problem = action ? problemWith(action, values) : 'I don’t know that command.';
      if (!action || problem) yield problem;
      else yield* action.run(context, values);
    } catch (error) {
      const { command, action } = invocation;
      log.warn({ err: error, command, action, channel: context.channel }, 'a command failed');
      yield `❌ ${explainError(error)}`;
    }
  }

  return table;
}

/** What is wrong with the values, in words for the person who gave them; '' where nothing is. */
function problemWith(action: Action, values: Invocation['values']): string {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(action.options, name));
  if (unknown !== undefined) return `There is no option “${unknown}” here.`;
  return Object.entries<Options[string]>(action.options)
    .map(([name, option]) => problemWithValue(name, option, values[name]))
    .filter(Boolean)
    .join('\n');
}

function problemWithValue(
  name: string,
  option: Options[string],
  value: Invocation['values'][string] | undefined,
): string {
  const blank = value === undefined || (typeof value === 'string' && value.trim() === '');
  if (blank) return option.required ? `**${name}** is missing: ${option.description}.` : '';
  if (option.type === 'file') {
    return typeof value === 'string' ? `**${name}** must be a file.` : '';
  }
  if (typeof value !== 'string') return `**${name}** must be text.`;
  const most = option.maxLength;
  return most !== undefined && value.length > most
    ? `**${name}** is too long: ${value.length} characters, where ${most} are allowed.`
    : '';
}
