import type { Documents } from './documents.ts';
import { refusal } from './refusals.ts';

/** What the server's settings and limits refuse; tests change them. */
export interface Rules {
  /** Words that AutoMod blocks in messages and in the titles of threads; none by default. */
  blockedWords: string[];
  /** How many threads can be active at once: https://docs.discord.com/developers/topics/threads#limits */
  maxActiveThreads: number;
}

export function createRules(): Rules {
  return { blockedWords: [], maxActiveThreads: 1_000 };
}

/**
 * What AutoMod does with a message or a title.
 * https://docs.discord.com/developers/resources/auto-moderation
 * @throws {DiscordRefusal} 200000 or 200001
 */
export function moderate(rules: Rules, kind: 'message' | 'title', text: string): void {
  const said = text.toLowerCase();
  const isBlocked = rules.blockedWords.some((word) => said.includes(word.toLowerCase()));
  if (isBlocked) throw refusal(kind === 'message' ? 200000 : 200001);
}

/** @throws {DiscordRefusal} 160006 when the server has as many active threads as it may */
export function checkActiveThreads(rules: Rules, { channels }: Documents, server?: string): void {
  const own = channels.list().filter(({ guild }) => guild === server);
  const active = own.filter(({ thread }) => thread && !thread.archived);
  if (active.length >= rules.maxActiveThreads) throw refusal(160006);
}
