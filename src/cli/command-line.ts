import { parseArgs } from 'node:util';
import leven from 'leven';
import type { Variable } from '../config/variables.ts';

type Commands = Record<string, Command | CommandGroup>;

interface Surroundings {
  commands: Commands;
  env: Input['env'];
  version: string;
}

/** What a command line asks for: a command, or a text and the exit code after it. */
export type Request =
  | { kind: 'run'; command: Command; input: Input }
  | { kind: 'print'; text: string; exitCode: 0 | 2 };

const general: Record<string, Option> = {
  help: { summary: 'print this help' },
  version: { summary: 'print the version' },
};

/**
 * Reads a command line. Without a command, it is `start`.
 * @param argv what follows the name of the program
 */
export function readCommandLine(argv: readonly string[], surroundings: Surroundings): Request {
  const { commands } = surroundings;
  const [first = '', ...rest] = argv;
  const overview = describeCommands(commands);
  if (first === 'help') return print(overview);
  const isNamed = first !== '' && !first.startsWith('-');
  const name = isNamed ? first : 'start';
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return refuse(unknownCommand(name, commands), overview);
  if ('actions' in command) return readAction(name, command, rest, surroundings);
  const usage = describeCommand(name, command);
  const help = isNamed ? usage : overview;
  return readArguments(command, isNamed ? rest : argv, { ...surroundings, usage, help });
}

/** Reads what follows the name of a group. */
function readAction(
  group: string,
  { actions }: CommandGroup,
  [action = '', ...rest]: readonly string[],
  surroundings: Surroundings,
): Request {
  const help = describeCommands(actions, group);
  const command = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (command) {
    const usage = describeCommand(`${group} ${action}`, command);
    return readArguments(command, rest, { ...surroundings, usage, help: usage });
  }
  if (['help', '--help', '-h'].includes(action)) return print(help);
  const problem = action ? unknownCommand(action, actions) : `${group} needs an action.`;
  return refuse(problem, help);
}

/** Reads what follows the name of a command. */
function readArguments(
  command: Command,
  args: readonly string[],
  { env, version, usage, help }: Surroundings & { usage: string; help: string },
): Request {
  const options = { ...command.options, ...general };
  let parsed;
  try {
    parsed = parse([...args], options);
  } catch (error) {
    // Node's sentence names the option.
    return refuse(error instanceof Error ? error.message : String(error), usage);
  }
  const { values, positionals } = parsed;
  if (values['help']) return print(help);
  if (values['version']) return print(`${version}\n`);
  const [argument, surplus] = positionals;
  const unexpected = command.argument ? surplus : argument;
  if (unexpected !== undefined) return refuse(`“${unexpected}” is not expected here.`, usage);
  if (command.argument?.startsWith('<') && !argument) {
    return refuse(`${command.argument} is missing.`, usage);
  }
  return {
    kind: 'run',
    command,
    input: { env: { ...env, ...toVariables(values, options) }, argument, options: values },
  };
}

const print = (text: string): Request => ({ kind: 'print', text, exitCode: 0 });

const refuse = (problem: string, usage: string): Request => ({
  kind: 'print',
  text: `${problem}\n\n${usage}`,
  exitCode: 2,
});

function parse(args: string[], options: Record<string, Option>) {
  const entries = Object.entries(options).map(([name, { value }]) => {
    const type = value ? ('string' as const) : ('boolean' as const);
    return [name, name === 'help' ? { type, short: 'h' } : { type }] as const;
  });
  return parseArgs({ args, options: Object.fromEntries(entries), allowPositionals: true });
}

/** The variables that the given options set. */
function toVariables(values: Input['options'], options: Record<string, Option>): Input['env'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const variable = options[name]?.variable;
      return variable && typeof value === 'string' ? [[variable, value]] : [];
    }),
  );
}

function unknownCommand(name: string, commands: Commands): string {
  const near = Object.keys(commands).find((known) => leven(name, known) <= 2);
  return `There is no command “${name}”.${near ? ` Did you mean ${near}?` : ''}`;
}

/** @param group what comes before the commands' names */
function describeCommands(commands: Commands, group?: string): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  const usage = ['npm start --', group, '[command] [options]'].filter(Boolean).join(' ');
  return `Usage: ${usage}

${toTable(rows)}

Run a command with --help to see its options. Configuration comes from the environment and from .env;
see .env.example.
`;
}

function describeCommand(name: string, { summary, argument, options }: Command): string {
  const rows = Object.entries({ ...options, ...general }).map(([option, { summary, value }]) => {
    const flag = `--${option}${value ? ` <${value}>` : ''}`;
    return [option === 'help' ? `-h, ${flag}` : flag, summary] as const;
  });
  const usage = ['npm start --', name, argument, '[options]'].filter(Boolean).join(' ');
  return `Usage: ${usage}

${summary}

${toTable(rows)}
`;
}

function toTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n');
}

/** A command of the process, such as `serve` in `npm start -- serve --port 4000`. */
export interface Command {
  /** What it does, in one line. */
  summary: string;
  /** What follows its name, such as `<folder>`, or may follow it, such as `[https://your-host]`. */
  argument?: string;
  options: Record<string, Option>;
  run(input: Input): Promise<void>;
}

/** Commands that a word comes before, such as `keys` in `npm start -- keys list`. */
export interface CommandGroup {
  summary: string;
  actions: Record<string, Command>;
}

/** An option, such as `--port 4000`. Without a value, it is a switch. */
export interface Option {
  summary: string;
  /** What its value is, such as `number`. */
  value?: string;
  /** The variable that it sets. */
  variable?: Variable;
}

/** What a command is run with. */
export interface Input {
  /** The environment, with the options that set variables. */
  env: Record<string, string | undefined>;
  argument?: string;
  /** The values of the other options; true for a switch that is given. */
  options: Record<string, string | boolean | undefined>;
}
