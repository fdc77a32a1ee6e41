import type { MessageAddress, ThreadAddress, Workspace } from './address.ts';
import type { Attachment } from './chatbot.ts';
import type { PlatformError } from './errors.ts';
import type { ButtonAction, Thread } from './thread.ts';

/** A chat platform: receives messages and gives access to threads. */
export interface Platform extends AsyncDisposable {
  readonly name: string;
  /** The host of its API, such as `slack.com`. */
  readonly host: string;
  /** Whether it receives events now: false before it has started and while it reconnects. */
  readonly isConnected: boolean;
  /** Whether some of its connections are up, if it has several and not all are. */
  readonly isPartlyConnected?: boolean;
  /**
   * Resolves once the connection of the last start is lost, and only a new start can bring it back;
   * with what a person can do about it. Never rejects.
   */
  readonly fatalError: Promise<PlatformError>;
  /** What those who run the bot should look at although it is connected. */
  readonly warning?: string;
  /**
   * Connects, and from then on reports what people do to the receiver. Can be called again if it
   * fails, and after a `fatalError`.
   * @throws {PlatformError}
   */
  start(receiver: Receiver): Promise<void>;
  readonly rooms: Rooms;
  /** A thread known from an earlier run. */
  thread(address: ThreadAddress): Thread;
  /**
   * Reads a message from its stored event, or from that of its edit, as it is now; called once it has
   * started. Undefined if there is nothing to act on.
   *
   * @param place where it was delivered
   */
  read(event: unknown, place: Pick<Workspace, 'workspace'>): Promise<IncomingMessage | undefined>;
  /**
   * Posts a notice outside any thread.
   * @throws {PlatformError}
   */
  notify?(notice: Notice, signal?: AbortSignal): Promise<void>;
}

/**
 * What a platform reports to the core. A message, an edit, a deletion and a stop are stored when the
 * promise resolves: now they may be acknowledged, and are handled whatever happens.
 */
export interface Receiver {
  /**
   * The bot is in these workspaces: when it connects, before anything else is reported, all of
   * them; later each that it joins. `byAnyone`: anyone can add the bot to their workspace. Resolves with
   * those that it does not serve.
   */
  joined(platform: string, workspaces: readonly string[], byAnyone: boolean): Promise<string[]>;
  /**
   * The bot was removed from a workspace: nothing can be written there any more. What is not done
   * about it ends. Never rejects.
   */
  left(platform: string, workspace: string): Promise<void>;
  /**
   * A message was delivered. One that is already stored is ignored, as is that of another bot that may not
   * ask there.
   * @throws {Error} when it can't be stored; its author is told
   */
  received(delivery: Delivery): Promise<void>;
  /**
   * A question that the platform did not deliver. Resolves when the reply has ended, or is put off
   * because the store fails. Never rejects.
   */
  message(message: IncomingMessage): Promise<void>;
  /**
   * A person edited a message. Not called for unfurls or for our own edits. A message that becomes a
   * question by it, because the bot is mentioned now, is handled like a new one.
   * @throws {Error} when it can't be stored
   */
  edited(edit: Edit): Promise<void>;
  /**
   * A person deleted a message.
   * @throws {Error} when it can't be stored
   */
  removed(message: MessageAddress): Promise<void>;
  /**
   * Resolves once the press is stored, or while the store fails. Never rejects: `answer` resolves
   * with Markdown to show only to the person who pressed, or undefined.
   */
  pressed(press: ButtonPress): Promise<{ answer: Promise<string | undefined> }>;
  /** Someone used the platform's own stop button in a thread. Never rejects. */
  stopped(thread: ThreadAddress, by: Author): Promise<void>;
}

export interface Author {
  id: string;
  name: string;
  /**
   * Whether they are a manager: adapters report what the platform says, `Managers` decides for the
   * core.
   */
  isManager: boolean;
  /** Present if they are not of the workspace, or the platform does not tell whether they are. */
  outsider?: Outsider;
  /** Ids of the person's groups on the platform: Slack user groups, Discord roles. */
  groups?: readonly string[];
  /** Present while the platform can't tell the groups. */
  areGroupsUnknown?: true;
  /** The person's language in BCP 47, such as `de-AT`; English if unknown. */
  locale?: string;
  /** Such as `Europe/Berlin`, where the platform tells. */
  timeZone?: string;
  /** Present if it is no person but a bot, a workflow or a webhook: the ids by which it can be named. */
  bot?: readonly string[];
}

/**
 * Somebody who is not of the workspace: a guest in it, a stranger of another workspace that shares a
 * channel with it, or a person of whom the platform tells nothing.
 */
export type Outsider = 'guest' | 'stranger' | 'unknown';

/** Whoever wrote a message, to be told something where nobody else sees it. */
export type Told = Pick<IncomingMessage, 'id' | 'thread'> & { author: Pick<Author, 'id'> };

/** A person's message that the bot can read. */
export interface IncomingMessage {
  /** The platform's id of the message, unique in its channel. */
  id: string;
  author: Author;
  /** The text without the mention of the bot, and with names instead of ids. */
  text: string;
  /** The files beside the text. */
  files?: Attachment[];
  /** `overheard`: in a channel or thread, without a mention. */
  addressed: 'mention' | 'direct' | 'overheard';
  /** Whether it begins by mentioning somebody else, or replies to somebody else's message. */
  isToOthers?: boolean;
  /** Present if it is in a post of a forum. */
  post?: ForumPost;
  /** The thread to answer in. If it does not exist yet, its first post opens it. */
  thread: Thread;
  /**
   * Present if the message is a command: runs it, instead of asking the chatbot. Resolves when it
   * has ended.
   */
  command?(): Promise<void>;
  /** The command concerns only what is its author's own. */
  isOwn?: boolean;
}

/** A thread of a forum: its first message is the post itself. */
export interface ForumPost {
  /** Whether the message is the post itself. Its text then begins with the post's title. */
  isFirst: boolean;
  /** Ids of the tags that its author gave it. */
  tags: readonly string[];
}

/** A message as the platform delivered it. */
export interface Delivery extends MessageAddress {
  /**
   * The id of the thread that it is in, or that an answer to it would open: what is in one is read
   * in order.
   */
  thread: string;
  /** What `Platform.read` needs to read the message, now or after a restart; JSON. */
  event: unknown;
  /** Whether it is neither a direct message nor mentions the bot. */
  isOverheard: boolean;
  /** Whether it was sent while the bot was away. */
  isMissed?: boolean;
  /** As in `Author`. */
  bot?: readonly string[];
}

/** An edit of a message by a person. `event` reads the message as it is after it. */
export interface Edit extends Delivery {
  /** When the message itself was sent, in milliseconds since the epoch. */
  sentAt: number;
  /** Tells edits of the same message apart: the time of each, in a form that sorts by time. */
  version: string;
}

/** A press of one of our buttons. */
export interface ButtonPress {
  /** The platform's id of the press, if it has one. */
  id?: string;
  action: ButtonAction;
  turn: string;
  /** Why the answer was not helpful, in the person's words: sent after the press itself. */
  remark?: string;
  by: Author;
  /** Where it was pressed; outside a thread, `thread` is the channel. */
  place: ThreadAddress;
}

/** A message outside any thread. */
export interface Notice {
  workspace: string;
  /**
   * A channel or a person, by the platform's id. A person gets it where nobody else sees it: in the
   * channel, and its thread, if `in` names one and the platform can do that there, else in a direct
   * message.
   */
  to: { channel: string } | { person: string; in?: { channel: string; thread?: string } };
  markdown: string;
  /** Ids of people to mention, so that the platform notifies them. */
  people?: readonly string[];
}

/**
 * Who reads what, as the platform tells right now; the core keeps its answers for a minute. Rejects only
 * with a LostLeaseError.
 */
export interface Rooms {
  /** The room of a conversation. Undefined if the platform does not tell. */
  of(address: ThreadAddress): Promise<Room | undefined>;
  /**
   * Whether a person is in a room that is not public. A direct message proves itself only: nobody
   * is in it as far as this tells. False if the platform does not tell.
   */
  has(address: ThreadAddress, room: Room, person: string): Promise<boolean>;
  /**
   * Those of these workspaces that a person is in and no guest of, with their names: for direct
   * messages outside any workspace. Undefined if the platform does not tell.
   */
  sharedWith?(person: string, workspaces: readonly string[]): Promise<NamedWorkspace[] | undefined>;
  /** What a person is in a workspace. Undefined if they are not in it, or the platform does not tell. */
  standing?(workspace: string, person: string): Promise<Standing | undefined>;
}

/**
 * The narrowest place whose members read a conversation: a private thread, a direct message, or else
 * the channel.
 */
export interface Room {
  /** The platform's id of the channel or thread. */
  id: string;
  /** Whether everyone of its workspace may read it. */
  isPublic: boolean;
  /** Present if it is a direct message between one person and the bot. */
  isDirect?: true;
}

/** What a person is in a workspace. */
export type Standing = Pick<Author, 'isManager' | 'outsider' | 'groups'>;

/** A workspace as people know it. */
export interface NamedWorkspace {
  id: string;
  name: string;
}
