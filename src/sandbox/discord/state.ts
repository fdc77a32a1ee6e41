import type { Changes } from '../changes.ts';
import type { Attachments } from './attachments.ts';
import type { DiscordChange } from './changes.ts';
import type { Documents } from './documents.ts';
import type { GatewayEvent } from './gateway/session.ts';
import { refusal } from './refusals.ts';

/** The application's settings in the developer portal. */
export interface ApplicationSettings {
  /** The switch Message Content Intent. */
  messageContent: boolean;
  /** Whether Discord has reviewed why the application needs its intents. */
  isReviewed: boolean;
  /** The switch Public Bot: anyone may add it to a server. */
  isPublic: boolean;
  /** The switch Requires OAuth2 Code Grant. */
  needsCodeGrant: boolean;
  /** The Interactions Endpoint URL, which gets the interactions instead of the gateway. */
  interactionsUrl: string | null;
}

/** As Discord creates an application, with the message content intent switched on. */
export const firstSettings: ApplicationSettings = {
  messageContent: true,
  isReviewed: false,
  isPublic: true,
  needsCodeGrant: false,
  interactionsUrl: null,
};

/** The shared state of the server. */
export interface DiscordState {
  documents: Documents;
  attachments: Attachments;
  typing: Typing;
  rules: Rules;
  changes: Changes<DiscordChange>;
  /** Sends an event to every gateway session with the required intent. */
  dispatch(event: GatewayEvent): void;
  /** Milliseconds since the epoch. */
  now: () => number;
  nextId: () => string;
  /** The server's id, which is also its @everyone role's. */
  guild: string;
  settings: ApplicationSettings;
  /** The bot: its application and its user. */
  self: { application: string; user: string };
}

/** https://docs.discord.com/developers/resources/channel#trigger-typing-indicator */
const typingMs = 10_000;

/** Who is typing where. */
export interface Typing {
  start(channel: string, user: string): void;
  stop(channel: string, user: string): void;
  /** The users who are typing in a channel. */
  list(channel: string): string[];
}

/** Typing indicators, each of which lasts ten seconds. */
export function createTyping(now: () => number): Typing {
  const until = new Map<string, Map<string, number>>();
  return {
    start(channel, user) {
      const users = until.get(channel) ?? new Map<string, number>();
      users.set(user, now() + typingMs);
      until.set(channel, users);
    },
    stop(channel, user) {
      const users = until.get(channel);
      users?.delete(user);
      if (users?.size === 0) until.delete(channel);
    },
    list(channel) {
      const users = [...(until.get(channel) ?? [])];
      return users.filter(([, end]) => end > now()).map(([user]) => user);
    },
  };
}

/** The server's settings and limits, which tests change. */
export interface Rules {
  /** Words that AutoMod blocks in messages and in the titles of threads; none by default. */
  blockedWords: string[];
  /** How many threads can be active at once. */
  maxActiveThreads: number;
  /** As `maxActiveThreads`, in announcement channels, whose threads are counted apart. */
  maxActiveAnnouncements: number;
  /** How many shards Discord recommends for the bot. */
  shards: number;
  /** How many of the bot's servers a shard can have. */
  guildsPerShard: number;
  /** How many shards may begin a session at the same time: those with different remainders by it. */
  maxConcurrency: number;
  /** For so many ms, no other shard with the same remainder begins a session. */
  identifyMs: number;
  /** How many sessions the bot may begin in 24 hours. */
  sessionsPerDay: number;
}

/**
 * As for a small bot: https://docs.discord.com/developers/topics/threads#limits and
 * https://docs.discord.com/developers/events/gateway#sharding
 */
export const firstRules: Rules = {
  blockedWords: [],
  maxActiveThreads: 1_000,
  maxActiveAnnouncements: 1_000,
  shards: 1,
  guildsPerShard: 2_500,
  maxConcurrency: 1,
  identifyMs: 5_000,
  sessionsPerDay: 1_000,
};

/**
 * Applies AutoMod to a message or a title.
 * https://docs.discord.com/developers/resources/auto-moderation
 * @throws {DiscordRefusal} 200000 or 200001
 */
export function moderate(rules: Rules, kind: 'message' | 'title', text: string): void {
  const said = text.toLowerCase();
  const isBlocked = rules.blockedWords.some((word) => said.includes(word.toLowerCase()));
  if (isBlocked) throw refusal(kind === 'message' ? 200000 : 200001);
}
