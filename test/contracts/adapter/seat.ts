import type { CommandRunner } from '../../../src/bridge/commands/invocation.ts';
import type { Platform } from '../../../src/bridge/conversation/platform.ts';
import type { Faults } from '../../../src/sandbox/faults.ts';
import type { Sleep } from '../../../src/shared/primitives/time.ts';
import type { FakeCore, OnPressed } from '../../fixtures/fake-core.ts';

/** People whom both platforms of the sandbox have; Ada manages, Linus does not. */
type Person = 'ada' | 'grace' | 'linus';

/** By id; without a thread, the channel itself. */
export interface Place {
  channel: string;
  thread?: string;
}

/** A message of the bot's, as one person sees it. */
export interface Seen {
  id: string;
  text: string;
  /** The labels of its buttons. */
  buttons: string[];
  /** The names of its files. */
  files: string[];
  /** Whom it notifies, as the platform writes that. */
  pings: string[];
}

/** A command as someone gives it: channels as `#help`, people and groups as `@linus`. */
export interface Use {
  by: Person;
  in: string;
  command: string;
  values?: Readonly<Record<string, string>>;
  /** For the option `file`. */
  file?: { name: string; bytes: Buffer; type: string };
}

export interface AdapterOptions {
  commands?: CommandRunner;
  /** What a press of a button says to the one who pressed. */
  pressed?: OnPressed;
  sleep?: Sleep;
}

/** An adapter connected to its platform in the sandbox, and what people do there. */
export interface Seat extends AsyncDisposable {
  platform: Platform;
  core: FakeCore;
  faults: Faults;
  /** The call that posts a message, as faults name it. */
  post: string;
  workspace: string;
  /** The id of a channel in which everyone may write, the bot too. */
  channel(name: 'general' | 'help'): string;
  /** The id of a channel in which the bot may not write. */
  closed: string;
  /** A private channel of Ada's and the bot's. */
  openPrivate(): string;
  /** The id of somebody's direct message with the bot. */
  direct(person: Person): string;
  /** What one writes to mention the bot. */
  mention: string;
  person(person: Person): { id: string; name: string };
  /** What the address of a message contains. */
  linkTo(channel: string, id: string): string;
  /** A group of people: its id, and its name as people write it. */
  group: { id: string; name: string };
  /** Writes a message; gives its id. */
  say(by: Person, place: Place, text: string): Promise<string>;
  /** Forwards a message; gives the id of the new one. */
  forward(by: Person, message: Place & { id: string }, to: string): Promise<string>;
  edit(by: Person, message: Place & { id: string }, text: string): Promise<void>;
  remove(by: Person, message: Place & { id: string }): void;
  use(use: Use): Promise<void>;
  /** Presses the button with this label; tells whether the press was acknowledged in time. */
  press(by: Person, place: Place, button: string): Promise<boolean>;
  /** The bot's messages that somebody sees in a place, in order. */
  seen(by: Person, place: Place): Seen[];
  /** Resolves with the first of them that shows this, now or later. */
  shown(by: Person, place: Place, text: RegExp): Promise<Seen>;
}

export type OpenSeat = (options?: AdapterOptions) => Promise<Seat>;

export const textsOf = (seen: Seen[]) => seen.map(({ text }) => text);
