import type {
  ButtonPress,
  IncomingMessage,
  Receiver,
} from '../../../src/bridge/conversation/platform.ts';
import type { MessageAddress } from '../../../src/bridge/conversation/address.ts';
import { createReader } from '../../fixtures/read-in-order.ts';
import { createChanges, type Changes } from '../../../src/sandbox/changes.ts';

/** What the core was told of one kind. */
interface Heard<Told extends object> {
  all: Told[];
  /** Takes up one more. */
  hear(told: Told): void;
  /** Resolves once one was told that matches. */
  find(matches: (told: Told) => boolean): Promise<Told>;
}

/** Stands for the core: remembers what it was told, and answers presses as it is told to. */
export interface FakeCore extends Receiver {
  messages: Heard<IncomingMessage>;
  edits: Heard<IncomingMessage>;
  removals: Heard<MessageAddress>;
  presses: Heard<ButtonPress>;
  /** The servers that the bot was told to be in, a list a report. */
  joins: Heard<{ workspaces: readonly string[] }>;
}

export type OnPressed = (press: ButtonPress) => Promise<string | undefined>;

export function createFakeCore(pressed?: OnPressed, unserved: readonly string[] = []): FakeCore {
  const messages = createHeard<IncomingMessage>();
  const edits = createHeard<IncomingMessage>();
  const removals = createHeard<MessageAddress>();
  const presses = createHeard<ButtonPress>();
  const joins = createHeard<{ workspaces: readonly string[] }>();
  const read = createReader();
  return {
    messages,
    edits,
    removals,
    presses,
    joins,
    async joined(_, workspaces) {
      joins.hear({ workspaces });
      return workspaces.filter((id) => unserved.includes(id));
    },
    received: async (delivery) => void read(delivery, (message) => messages.hear(message)),
    message: async (message) => messages.hear(message),
    edited: (edit) => read(edit, (message) => edits.hear(message)),
    removed: async (message) => removals.hear(message),
    async pressed(press) {
      presses.hear(press);
      return pressed?.(press);
    },
    stopped: async () => {},
  };
}

function createHeard<Told extends object>(): Heard<Told> {
  const all: Told[] = [];
  const hearing: Changes<Told> = createChanges();
  return {
    all,
    hear(told) {
      all.push(told);
      hearing.announce(told);
    },
    find: async (matches) => all.find(matches) ?? hearing.waitFor(matches),
  };
}
