import type { Action, Command, CommandContext, IncomingFile } from './command.ts';

/** A command as a platform heard it: names and raw values, nothing checked yet. */
export interface Invocation {
  /** Without slash and prefix. */
  command: string;
  /** The subcommand, where the command has some. */
  action?: string;
  values: Record<string, string | IncomingFile>;
  context: CommandContext;
}

/** All commands, and the one way to run them. */
export interface CommandTable {
  /** Stands before every command's name on the platforms: with `kb-`, `/kb-ask`. */
  readonly prefix: string;
  readonly commands: readonly Command[];
  /** Checks the values and runs the action. Never throws: a failure is the last text. */
  run(invocation: Invocation): AsyncIterable<string>;
}

/** The action that a command's name and subcommand mean, or undefined where there is none. */
export function findAction(
  table: CommandTable,
  command: string,
  action?: string,
): Action | undefined {
  const found = table.commands.find((each) => each.name === command);
  if (!found) return undefined;
  if ('action' in found) return found.action;
  return action === undefined ? undefined : found.actions[action];
}
