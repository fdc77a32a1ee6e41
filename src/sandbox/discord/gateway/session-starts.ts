import { type Allowance, createRateLimits } from '../rate-limits.ts';
import type { Rules } from '../state.ts';
import type { Shard } from './shard.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Counts the sessions that the bot begins. Discord resets the token of a bot that begins more in a day
 * than it may; the sandbox only says that none remain.
 */
interface SessionStarts {
  /** Begins a session of a shard; false if another one with the same rate limit key began just before. */
  begin(shard: Shard): boolean;
  /** https://docs.discord.com/developers/events/gateway#session-start-limit-object */
  render(): object;
}

export function createSessionStarts(rules: Rules, now: () => number): SessionStarts {
  const limits = createRateLimits(now);
  let today: Allowance | undefined;

  function take(route: string, major: number, requests: number, per: number): Allowance {
    return limits.take({ route, major: String(major), limit: { requests, per }, counted: false });
  }

  return {
    begin([shard]) {
      const { allowed } = take('identify', shard % rules.maxConcurrency, 1, rules.identifyMs);
      if (allowed) today = take('session', 0, rules.sessionsPerDay, dayMs);
      return allowed;
    },
    render() {
      const counted = today && today.resetAt > now() ? today : undefined;
      return {
        total: rules.sessionsPerDay,
        remaining: counted?.remaining ?? rules.sessionsPerDay,
        reset_after: counted ? counted.resetAt - now() : 0,
        max_concurrency: rules.maxConcurrency,
      };
    },
  };
}
