import { createLru } from '../../shared/primitives/cache.ts';
import { monotonicMs } from '../../shared/primitives/time.ts';
import type { DiscordChange } from '../discord/changes.ts';
import type { Block } from '../slack/block.ts';
import type { SlackChange } from '../slack/model.ts';
import type { AnsweredCall, PlatformName } from './api-calls.ts';

/** A turn of the bot, as the bridge reports it. */
interface BegunTurn {
  id: string;
  query: string;
  /** As the bridge addresses it: on Discord, a thread is a channel of its own. */
  address: { platform: string; channel: string; thread: string };
}

/** Characters of text at a time, in ms from the question. */
interface Point {
  at: number;
  characters: number;
}

/** A call that writes a reply. */
interface Write {
  /** When it was answered, in ms from the question. */
  at: number;
  /** HTTP status; 0 if the connection was closed without a response. */
  status: number;
  /** Whether the platform accepted it. */
  isAccepted: boolean;
}

/** How a reply arrived from the service, and how people saw it grow. */
export interface ReplyCurve {
  id: number;
  platform: string;
  channel: string;
  thread: string;
  /** The beginning of what was asked. */
  query: string;
  /** When it was asked, in ms since the epoch. */
  at: number;
  /** How it ended, in the bridge's word for it. */
  outcome?: string;
  /** What people said before, which was sent with the question: one line each. */
  context?: string;
  received: Point[];
  shown: Point[];
  writes: Write[];
}

/** The last replies, in memory: what the bridge received and wrote, and what people saw. */
export interface Replies {
  /** The bridge reports when a turn begins, how its reply grows, and how it ends. */
  began(turn: BegunTurn): void;
  took(turn: string, context: string): void;
  /** All characters so far of the turn's reply. */
  received(turn: string, characters: number): void;
  ended(turn: string, outcome: string): void;
  sawOnSlack(change: SlackChange): void;
  sawOnDiscord(change: DiscordChange): void;
  called(call: AnsweredCall): void;
  /** Oldest first. */
  list(): ReplyCurve[];
  clear(): void;
}

interface Open {
  curve: ReplyCurve;
  beganMs: number;
  /** Characters by message. */
  seen: Map<string, number>;
}

const maxReplies = 100;
const maxMessages = 1_000;
const maxPoints = 1_000;
const maxQuery = 200;
const maxContext = 10_000;
/** Text that arrives within this time becomes one point. */
const pointMs = 50;

/** Opens the thread of a question. */
const opening = 'POST /channels/:channel/messages/:message/threads';

/** Calls that write text in a thread, or open it. */
const writingMethods = new Set([
  opening,
  'chat.postMessage',
  'chat.update',
  'chat.delete',
  'chat.startStream',
  'chat.appendStream',
  'chat.stopStream',
  'POST /channels/:channel/messages',
  'PATCH /channels/:channel/messages/:message',
  'DELETE /channels/:channel/messages/:message',
]);

export function createReplies(now: () => number): Replies {
  const byTurn = createLru<Open>(maxReplies);
  /** The newest reply of each thread. */
  const byThread = createLru<Open>(maxReplies);
  const byMessage = createLru<Open>(maxMessages);
  let lastId = 0;

  /** Notes how many characters a message of the bot has now: 0 once it is deleted. */
  function saw(platform: PlatformName, thread: string, id: string, characters: number): void {
    const key = `${platform} ${id}`;
    const newest = byThread.get(`${platform} ${thread}`);
    // Messages after a reply's end, such as the result of a command, are not part of it.
    const open = byMessage.get(key) ?? (newest?.curve.outcome ? undefined : newest);
    if (!open) return;
    byMessage.set(key, open);
    open.seen.set(id, characters);
    const all = open.seen.values().reduce((sum, each) => sum + each, 0);
    if (all !== open.curve.shown.at(-1)?.characters) {
      add(open.curve.shown, { at: since(open), characters: all });
    }
  }

  return {
    began({ id: turn, query, address: { platform, channel, thread } }) {
      lastId += 1;
      const curve: ReplyCurve = {
        id: lastId,
        platform,
        channel,
        thread,
        query: query.slice(0, maxQuery),
        at: now(),
        received: [],
        shown: [],
        writes: [],
      };
      const open = { curve, beganMs: monotonicMs(), seen: new Map() };
      byTurn.set(turn, open);
      byThread.set(`${platform} ${thread}`, open);
    },
    took(turn, context) {
      const open = byTurn.get(turn);
      if (open) open.curve.context = context.slice(0, maxContext);
    },
    received(turn, characters) {
      const open = byTurn.get(turn);
      if (!open) return;
      const { received } = open.curve;
      const at = since(open);
      const last = received.at(-1);
      if (last && at - last.at < pointMs) last.characters = characters;
      else add(received, { at, characters });
    },
    ended(turn, outcome) {
      const open = byTurn.get(turn);
      if (open) open.curve.outcome = outcome;
    },
    sawOnSlack(change) {
      if (change.kind !== 'message' && change.kind !== 'removed') return;
      const { message, thread } = change;
      if (!message.bot_id || thread === undefined) return;
      saw('slack', thread, message.ts, change.kind === 'removed' ? 0 : countOnSlack(message));
    },
    sawOnDiscord(change) {
      if (change.kind !== 'message' || !change.message.author.bot) return;
      const { id, channel, content } = change.message;
      const characters = change.event === 'removed' ? 0 : content.replace(smallPrint, '').length;
      saw('discord', channel, id, characters);
    },
    called(call) {
      if (!writingMethods.has(call.method)) return;
      const { thread, message } = readPlace(call);
      const open =
        message === undefined
          ? byThread.get(`${call.platform} ${thread}`)
          : byMessage.get(`${call.platform} ${message}`);
      if (!open) return;
      const isAccepted = call.status >= 200 && call.status < 300 && !isRefusal(call.response);
      add(open.curve.writes, { at: since(open), status: call.status, isAccepted });
    },
    list: () => [...byTurn.values()].map(({ curve }) => curve).toSorted((a, b) => a.id - b.id),
    clear() {
      byTurn.clear();
      byThread.clear();
      byMessage.clear();
    },
  };
}

/** Notes and sources below a text on Discord. */
const smallPrint = /\n?^-# .*$/gm;

/** The text of a message on Slack, without what stands below it in small print. */
function countOnSlack({ text, blocks = [] }: { text: string; blocks?: Block[] }): number {
  if (blocks.length === 0) return text.length;
  return blocks.reduce((sum, block) => sum + readText(block).length, 0);
}

function readText({ type, text }: Block): string {
  if (type === 'markdown') return String(text);
  const { text: inner } = (text ?? {}) as { text?: unknown };
  return type === 'section' && typeof inner === 'string' ? inner : '';
}

function since({ beganMs }: Open): number {
  return monotonicMs() - beganMs;
}

/** Adds an item. When there are too many, every second one is dropped. */
function add<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length <= maxPoints) return;
  const kept = items.filter((_, index) => index % 2 === items.length % 2);
  items.splice(0, items.length, ...kept);
}

/** The thread that a call posts to or opens, or the message that it changes. */
function readPlace({ platform, method, arguments: given }: AnsweredCall): {
  thread?: string;
  message?: string;
} {
  const { channel, thread_ts, ts, message } = given as Record<string, string | undefined>;
  if (platform === 'slack') return { thread: thread_ts, message: ts };
  // A thread has the id of its first message.
  return method === opening ? { thread: message } : { thread: channel, message };
}

/** Slack refuses with status 200. */
function isRefusal(response: unknown): boolean {
  return (response as { ok?: unknown } | undefined)?.ok === false;
}
