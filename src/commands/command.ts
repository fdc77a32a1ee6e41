import type { Author } from '../conversation/ports.ts';

/** A file that a person handed over on a platform; read once, as it arrives. */
export interface IncomingFile {
  name: string;
  /** Bytes, as the platform says. */
  size: number;
  contentType?: string;
  /** The bytes. Throws PlatformError where the platform does not give them. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** What a command takes, declared once: registration, manifest, forms, parsers and help derive from it. */
export type Option =
  | { type: 'text'; description: string; required?: true; maxLength?: number; multiline?: true }
  | { type: 'file'; description: string; required?: true };

export type Options = Record<string, Option>;

type ValueOf<Type extends Option['type']> = Type extends 'file' ? IncomingFile : string;

/** The values of a command's options, parsed and checked. */
export type Values<Declared extends Options> = {
  [Name in keyof Declared]: Declared[Name] extends { required: true }
    ? ValueOf<Declared[Name]['type']>
    : ValueOf<Declared[Name]['type']> | undefined;
};

/** Where and by whom a command was used, and what its platform does for it. */
export interface CommandContext {
  requester: Author;
  platform: string;
  workspace: string;
  channel: string;
  /** BCP 47, as `en-US`. */
  locale: string;
  /** Puts a question to the chatbot where everyone in the channel sees it; it is answered in a thread. */
  ask(question: string): Promise<void>;
  signal: AbortSignal;
}

/**
 * One thing a person can do by command. `run` yields Markdown to show: the first text is posted,
 * each further one takes the place of the one before.
 */
export interface Action<Declared extends Options = Options> {
  description: string;
  options: Declared;
  /** Who sees the result: `private`, the requester alone; `channel`, everyone there. */
  shownTo: 'private' | 'channel';
  run(context: CommandContext, values: Values<Declared>): AsyncIterable<string>;
}

/** A command with one action, or with several as subcommands. */
export type Command =
  | { name: string; description: string; action: Action }
  | { name: string; description: string; actions: Record<string, Action> };

/** Types an action's `run` by its options; the table, which holds actions of all kinds, forgets them. */
export function defineAction<const Declared extends Options>(action: Action<Declared>): Action {
  return action;
}
