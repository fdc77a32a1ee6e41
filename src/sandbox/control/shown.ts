/** What people see on both platforms, in one shape, as the control API returns it. */

export interface Person {
  id: string;
  /** The name to type after an @. */
  name: string;
  displayName: string;
  /** What makes them a manager of the workspace or server, such as "Admin". */
  role?: string;
  /** The language of their client, where it is not the usual one. */
  locale?: string;
}

/** A Slack workspace or a Discord server. */
export interface Workspace {
  id: string;
  name: string;
}

export interface Place {
  id: string;
  /** The id of its workspace; a direct channel has none. */
  workspace?: string;
  /** Without the #; for a direct channel, the bot's name; for a group, the names of its people. */
  name: string;
  kind: 'channel' | 'direct' | 'group';
  /** Whether only its people find it. */
  isPrivate?: boolean;
  /** The ids of the people who see it; everyone if omitted. */
  people?: string[];
  /** When its newest message was written, in ms since the epoch. */
  latest?: number;
  /** Whether the bot is there and may write. */
  botAnswers: boolean;
  /** Present for a forum of Discord, which has only posts. */
  forum?: { tags: { id: string; name: string }[]; needsTag: boolean };
}

/** A thread that is listed by name, as in Discord. */
export interface ListedThread {
  id: string;
  channel: string;
  name: string;
  archived: boolean;
  /** When it was opened, in ms since the epoch. */
  at: number;
  /** Who opened it, as people call them. */
  by?: string;
  /** The names of a post's tags; absent for other threads. */
  tags?: string[];
  /** When its newest message was written, in ms since the epoch. */
  latest?: number;
}

export interface PlatformOverview {
  /** Those that the bot is in. */
  workspaces?: Workspace[];
  /** The people to choose from. */
  people: Person[];
  bot: Person;
  /** Number of the bot's connections. */
  connections: number;
  channels: Place[];
  threads: ListedThread[];
  /** The commands that the platform lists. */
  commands: ShownCommand[];
  /** The bot's actions for messages with files. */
  shortcuts: ShownShortcut[];
}

/** A workspace, as people choose between several. */
export interface ShownWorkspace {
  id: string;
  name: string;
  /** The name of the organisation that it belongs to. */
  organisation?: string;
  /** Whether the bot is installed there: by whom, if by the organisation. */
  installed: 'no' | 'yes' | 'organisation';
  /** When the bot's token expires, in ms since the epoch; absent if it never does. */
  expires?: number;
}

/** An entry of a message's menu. */
export interface ShownShortcut {
  /** Slack's callback id, or the name of Discord's command. */
  id: string;
  name: string;
}

/** A command, or one of its subcommands, with a field for each option. */
export interface ShownCommand {
  name: string;
  /** Preceded by its group, if it has one. */
  subcommand?: string;
  description: string;
  fields: Field[];
}

export interface ShownMessage {
  /** Slack's ts, or Discord's id. */
  id: string;
  channel: string;
  /** The thread it belongs to, by the id of its first message. */
  thread?: string;
  /**
   * Whether it appears in the channel. A thread reply does not, unless it was also sent to the
   * channel.
   */
  inChannel: boolean;
  author: Person & { bot: boolean };
  /** Milliseconds since the epoch. */
  at: number;
  edited: boolean;
  /** The only person who can see it. */
  onlyFor?: string;
  /** The command that it answers, as Discord shows above the message. */
  command?: { user: Person; name: string };
  /** The message it replies to, outside of threads. */
  replyTo?: string;
  /** The text of the link to the thread that starts here. */
  threadLabel?: string;
  /** The text to edit; only for people's messages. */
  source?: string;
  parts: Part[];
  files: ShownFile[];
}

/** The markup of a text. */
type Dialect = 'plain' | 'mrkdwn' | 'markdown' | 'discord';

/** A part of a message, from top to bottom. */
export type Part =
  | { kind: 'text' | 'small' | 'heading'; dialect: Dialect; text: string }
  | { kind: 'divider' }
  | { kind: 'controls'; controls: Control[] }
  | { kind: 'card'; parts: Part[] };

/** A button or select. */
export interface Control {
  kind: 'button' | 'select';
  /** The id to send to `press`: Slack's action id, Discord's custom id. A link has none. */
  action?: string;
  label: string;
  /** A button's value. */
  value?: string;
  style?: 'primary' | 'danger';
  /** A link's URL. */
  url?: string;
  disabled?: boolean;
  /** The confirmation question, if any. */
  confirm?: string;
  options?: Choice[];
  multiple?: boolean;
}

export interface Choice {
  value: string;
  label: string;
  description?: string;
  /** The heading that it stands below. */
  group?: string;
}

interface ShownFile {
  name: string;
  /** Bytes. */
  size: number;
  url: string;
}

export interface Modal {
  id: string;
  title: string;
  /** The label of the submit button; absent if there is nothing to submit. */
  submit?: string;
  close: string;
  items: (Field | Part)[];
}

export interface Field {
  kind: 'field';
  /** The key for the answer, and for a file in a multipart form. */
  name: string;
  /** The key for errors. */
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
      /** Whether the bot suggests values while people type. */
      completed?: boolean;
    }
  /** The bot supplies the options for what people type. */
  | { kind: 'search'; chosen: Choice[]; multiple: boolean }
  | { kind: 'choice'; options: Choice[]; chosen: string[]; multiple: boolean; open: boolean }
  | { kind: 'file'; most: number; types: string[] };

/** A change, as the event stream sends it. */
export type ShownChange =
  | { kind: 'message'; message: ShownMessage }
  | { kind: 'removed'; channel: string; thread?: string; id: string }
  /** "… is typing", "… is thinking"; hidden after `lasts` ms, or when the text is empty. */
  | { kind: 'activity'; channel: string; thread?: string; text: string; lasts: number }
  /** Whether something in a thread can be stopped. */
  | { kind: 'working'; channel: string; thread: string; stoppable: boolean }
  /** The modals a person has open; the last one is on top. */
  | { kind: 'modals'; user: string; modals: Modal[] }
  | { kind: 'thread'; thread: ListedThread }
  | { kind: 'channel'; channel: Place }
  | { kind: 'commands'; commands: ShownCommand[]; shortcuts: ShownShortcut[] }
  | { kind: 'connections'; connections: number }
  /** A workspace was added, or the bot joined or left one: the overview has it all. */
  | { kind: 'workspaces' }
  /** Everything that was said on the platform is gone. */
  | { kind: 'emptied' };

/** The result of submitting a modal. */
export type SubmitOutcome =
  | { outcome: 'sent' }
  /** By the fields' ids. The modal stays open. */
  | { outcome: 'errors'; errors: Record<string, string> }
  /** The modal stays open. */
  | { outcome: 'failed'; reason: string };
