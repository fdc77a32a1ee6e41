/** What people see of both platforms, in one form, as the control API gives it. */

export type PlatformName = 'slack' | 'discord';

export interface Person {
  id: string;
  /** What one types behind an @. */
  name: string;
  displayName: string;
}

export interface Place {
  id: string;
  /** Without the #; the bot's name for a direct channel. */
  name: string;
  kind: 'channel' | 'direct';
  /** Who sees it, by id; everyone when left out. */
  people?: string[];
}

/** A thread that is listed by name, as Discord does. */
export interface ListedThread {
  id: string;
  channel: string;
  name: string;
  archived: boolean;
}

export interface PlatformOverview {
  /** Whom one may be. */
  people: Person[];
  bot: Person;
  /** How many connections the bot has. */
  connections: number;
  channels: Place[];
  threads: ListedThread[];
  /** The commands the platform knows by name; Slack takes any. */
  commands: ShownCommand[];
  /** What the bot offers to do with a message that has files. */
  shortcuts: ShownShortcut[];
}

/** An entry of the menu of messages. */
export interface ShownShortcut {
  /** Slack's callback id, Discord's name of the command. */
  id: string;
  name: string;
}

/** A command, or one of its subcommands, with a field for each option. */
export interface ShownCommand {
  name: string;
  /** With its group before it, where it is in one. */
  subcommand?: string;
  description: string;
  fields: Field[];
}

export interface ShownMessage {
  /** Slack's ts, Discord's id. */
  id: string;
  channel: string;
  /** The thread it stands in, by the id of its first message. */
  thread?: string;
  /** Whether it shows in the channel; a reply in a thread does not, unless it was sent there too. */
  inChannel: boolean;
  author: Person & { bot: boolean };
  /** Milliseconds since the epoch. */
  at: number;
  edited: boolean;
  /** The only person who sees it. */
  onlyFor?: string;
  /** The message it replies to, outside of threads. */
  replyTo?: string;
  /** What the link to the thread that starts here says. */
  threadLabel?: string;
  /** The text as its author would edit it; people's messages only. */
  source?: string;
  parts: Part[];
  files: ShownFile[];
}

/** How a text marks emphasis, links and the rest. */
type Dialect = 'plain' | 'mrkdwn' | 'markdown' | 'discord';

/** A piece of a message, from top to bottom. */
export type Part =
  | { kind: 'text' | 'small' | 'heading'; dialect: Dialect; text: string }
  | { kind: 'divider' }
  | { kind: 'controls'; controls: Control[] }
  | { kind: 'card'; parts: Part[] };

/** Something to press or choose. */
export interface Control {
  kind: 'button' | 'select';
  /** What `press` takes: Slack's action id, Discord's custom id; absent from a link. */
  action?: string;
  label: string;
  /** What a button stands for. */
  value?: string;
  style?: 'primary' | 'danger';
  /** Where a link leads. */
  url?: string;
  disabled?: boolean;
  /** What is asked before. */
  confirm?: string;
  options?: Choice[];
  multiple?: boolean;
}

export interface Choice {
  value: string;
  label: string;
}

interface ShownFile {
  name: string;
  /** Bytes. */
  size: number;
  url: string;
}

/** A form to fill in: a Slack modal, a Discord modal. */
export interface Form {
  id: string;
  title: string;
  /** The button's words; absent when there is nothing to send. */
  submit?: string;
  close: string;
  items: (Field | Part)[];
}

export interface Field {
  kind: 'field';
  /** What an answer, and a file in a multipart form, goes by. */
  name: string;
  /** What errors name it by. */
  id: string;
  label: string;
  hint?: string;
  required: boolean;
  input: Input;
}

export type Input =
  | {
      kind: 'text';
      type: 'text' | 'email' | 'url' | 'number' | 'date' | 'time';
      lines: boolean;
      value?: string;
      placeholder?: string;
      least?: number;
      most?: number;
      /** The bot proposes values as one types. */
      completed?: boolean;
    }
  /** The bot says what there is to choose, for what one types. */
  | { kind: 'search'; chosen: Choice[]; multiple: boolean }
  | { kind: 'choice'; options: Choice[]; chosen: string[]; multiple: boolean; open: boolean }
  | { kind: 'file'; most: number; types: string[] };

/** Something that changed, as the stream of events has it. */
export type ShownChange =
  | { kind: 'message'; message: ShownMessage }
  | { kind: 'removed'; channel: string; thread?: string; id: string }
  /** "… is typing", "… is thinking"; gone after so many milliseconds, or with an empty text. */
  | { kind: 'activity'; channel: string; thread?: string; text: string; lasts: number }
  /** Whether there is something in a thread that one may stop. */
  | { kind: 'working'; channel: string; thread: string; stoppable: boolean }
  /** The forms someone has open; the last lies on top. */
  | { kind: 'forms'; user: string; forms: Form[] }
  | { kind: 'thread'; thread: ListedThread }
  | { kind: 'channel'; channel: Place }
  | { kind: 'commands'; commands: ShownCommand[]; shortcuts: ShownShortcut[] }
  | { kind: 'connections'; connections: number };

/** What became of a form that was sent in. */
export type SubmitOutcome =
  | { outcome: 'sent' }
  /** By the fields' ids; the form stays open. */
  | { outcome: 'errors'; errors: Record<string, string> }
  /** The form stays open. */
  | { outcome: 'failed'; reason: string };
