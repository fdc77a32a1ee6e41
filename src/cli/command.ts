import type { Variable } from '../config/variables.ts';

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
