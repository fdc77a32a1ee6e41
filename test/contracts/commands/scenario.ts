import type { GivenFile, SeenResult } from './seat.ts';
import type { World } from './world.ts';

/** What a scenario made before its command is used, by names of its own. */
export type Given = Readonly<Record<string, string>>;

type Text = string | ((given: Given) => string);

/** One use of a command: what is given, what it shows, and what is true at the service then. */
export interface Scenario {
  /** What it shows, in words. */
  does: string;
  /** Such as `source list`. */
  command: string;
  values?: Readonly<Record<string, Text>>;
  /** For the option `file`. */
  files?: readonly GivenFile[];
  /** Who uses it: whoever may, where this says nothing. */
  by?: 'manager' | 'member';
  given?(world: World): Promise<Given | void>;
  shows: RegExp | ((given: Given) => RegExp);
  /** A button below what it shows in the end. */
  button?: string;
  check?(world: World, seen: SeenResult, given: Given): Promise<void> | void;
}

/** What there is to show of one noun. */
export interface NounScenarios {
  works: readonly Scenario[];
  /** Values that options take by their types and the command refuses; by types there are more. */
  refuses: readonly Scenario[];
}

export function textFile(name: string, text: string): GivenFile {
  return { name, bytes: Buffer.from(text) };
}

/** The values as they are given. */
export function toValues({ values = {} }: Scenario, given: Given): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : value(given),
    ]),
  );
}

/** A pattern that matches a text as it is written. */
export function literally(text: string): RegExp {
  return new RegExp(RegExp.escape(text));
}
