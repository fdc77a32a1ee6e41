/** Slack's message timestamps: seconds with six decimals, never the same twice. */
export interface Timestamps {
  next(): string;
}

/** `after` is the last timestamp handed out before, so that a clock set back repeats none. */
export function createTimestamps(now: () => number, after = '0'): Timestamps {
  let last = Number(after.replace('.', ''));
  return {
    next() {
      last = Math.max(Math.round(now() * 1000), last + 1);
      const digits = String(last).padStart(16, '0');
      return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
    },
  };
}
