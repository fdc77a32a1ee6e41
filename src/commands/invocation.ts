import type { TextFile } from '../conversation/ports.ts';
import type { Action, Command, CommandContext } from './command.ts';
import type { DescriptionKey } from '../messages/messages.ts';
import type { RawValues } from './option.ts';

/** A command as a platform heard it: names and raw values, nothing checked yet. */
export interface Invocation {
  /** Without slash and prefix. */
  command: string;
  /** The subcommand, where the command has some. */
  action?: string;
  values: RawValues;
  context: CommandContext;
}

/** What a platform shows: Markdown, buttons below it, and files beside it. */
export interface Result {
  markdown: string;
  buttons?: readonly CommandButton[];
  files?: readonly TextFile[];
}

/** A button of a result; `id`, at most 40 characters, tells the runner which. */
export interface CommandButton {
  id: string;
  label: string;
  danger?: true;
}

/** What a pressed button shows: in place of the result it stands below, or in the channel for all. */
export interface Pressed {
  place: 'here' | 'channel';
  results: AsyncIterable<Result>;
}

/** A value that an option may have, and what a person reads for it. */
export interface Suggestion {
  label: string;
  value: string;
  /** By which the value is known as well. */
  name?: string;
}

/** An option that is being filled in. */
export interface Completion {
  command: string;
  action?: string;
  option: string;
  /** What stands there so far. */
  typed: string;
  context: CommandContext;
  /** Most suggestions; 25 by default. */
  limit?: number;
}

/** Commands as a platform offers them: manifest, registration, forms and help derive from these two. */
export interface CommandSet {
  /** Stands before every command's name on the platforms: with `kb-`, `/kb-ask`. */
  readonly prefix: string;
  readonly commands: readonly Command[];
}

/** The commands, and the one way to run them. */
export interface CommandRunner extends CommandSet {
  /** Checks the values and runs the action. Never throws: a failure is the last text. */
  run(invocation: Invocation): AsyncIterable<Result>;
  /** What a button of a result does, for whoever pressed it. Never throws. */
  press(id: string, context: CommandContext): Pressed;
  /** Whether the requester may use an action; running it says why not. Never rejects. */
  mayUse(use: Omit<Invocation, 'values'>): Promise<boolean>;
  /** Values that fit what was typed so far, best first. Never rejects. */
  complete(completion: Completion): Promise<Suggestion[]>;
  /** The values that a form begins with: those given, and for others what they stand at now. */
  prefill(invocation: Invocation): Promise<Record<string, string>>;
}

/** An action that is offered on messages, to take their files. */
export interface Shortcut {
  command: string;
  action: string;
  name: DescriptionKey;
  description: DescriptionKey;
}

/** The actions that are offered on messages. */
export function listShortcuts(commands: readonly Command[]): Shortcut[] {
  return commands.flatMap((command) => {
    const actions = 'actions' in command ? Object.entries(command.actions) : [];
    return actions.flatMap(([action, { shortcut, description }]) =>
      shortcut ? [{ command: command.name, action, name: shortcut, description }] : [],
    );
  });
}

/** The action that a command's name and subcommand mean, or undefined where there is none. */
export function findAction(
  commands: readonly Command[],
  command: string,
  action?: string,
): Action | undefined {
  const found = commands.find((each) => each.name === command);
  if (!found) return undefined;
  if ('action' in found) return found.action;
  if (action === undefined || !Object.hasOwn(found.actions, action)) return undefined;
  return found.actions[action];
}
