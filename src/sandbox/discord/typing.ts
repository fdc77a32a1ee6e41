/** https://docs.discord.com/developers/resources/channel#trigger-typing-indicator */
const durationMs = 10_000;

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
      users.set(user, now() + durationMs);
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
