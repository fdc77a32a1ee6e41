/** What a command showed: its text, and the labels of its buttons. */
export interface SeenResult {
  id: string;
  text: string;
  buttons: string[];
  /** Whom and what it notifies, as its platform writes that. */
  pings: string[];
}

export interface GivenFile {
  name: string;
  bytes: Buffer;
}

/** Commands are used in the first; both platforms have the other as well. */
export type Channel = 'general' | 'help';

/** A command as someone gives it. */
export interface Use {
  /** Without slash, such as `source list`. */
  command: string;
  /** By option. People and groups are named as `@grace`, channels as `#general`. */
  values: Readonly<Record<string, string>>;
  /** For the option `file`. */
  files?: readonly GivenFile[];
  /** A button of the result that is waited for, where a result grows. */
  button?: string;
}

/** What became of a command that lacks something: a form that asks for it, or a refusal. */
export type Asked =
  /** What stands in its fields, '' where they are empty, by option. */
  { kind: 'form'; fields: Record<string, string> } | { kind: 'refused'; text: string };

/** Someone at a platform who uses commands. */
export interface CommandSeat {
  /** What people type before a command's words: `/causeway ` in Slack, `/` in Discord. */
  lead: string;
  /** Where this person's days begin, as far as the platform tells the bot. */
  timeZone: string;
  /** Uses a command, sends in whatever form opens, and resolves with the first result that matches. */
  use(use: Use, shows: RegExp): Promise<SeenResult>;
  /** Uses a command that can't work; gives what is said of it, by the platform's client or the bot. */
  attempt(use: Use): Promise<string>;
  /** Uses a command that lacks something. */
  begin(use: Use): Promise<Asked>;
  press(result: SeenResult, label: string, shows: RegExp): Promise<SeenResult>;
  /** What is offered while someone types a reference, as people read it. */
  suggestions(command: string, option: string, typed: string): Promise<string[]>;
  /** Resolves with the file of this name, once the bot has sent it to where this person sees it. */
  file(name: string): Promise<string>;
  /** Mentions the bot in a channel, and gives the thread once its answer shows this. */
  mention(text: string, shows: RegExp, channel?: Channel): Promise<string>;
  /** Says something in a thread, and gives what the bot says then; `@bot` mentions it. */
  say(thread: string, text: string, shows: RegExp): Promise<SeenResult>;
}

/** What a platform's people can do, and what its client refuses before the bot hears of it. */
export interface Seats {
  manager: CommandSeat;
  member: CommandSeat;
  /** The member as others name them, and a group of people that there is. */
  memberName: string;
  groupName: string;
  /** By type of option: what the client says of a value that is wrong. */
  clientRefuses: Partial<Record<string, RegExp>>;
}

/** What a platform says, instead of sending it, of a command or form that does not fit. */
export class ClientRefusal extends Error {
  override readonly name = 'ClientRefusal';
}
