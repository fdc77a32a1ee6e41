/** Slack's message timestamps: seconds with six decimals, always unique. */
export interface Timestamps {
  next(): string;
}

/** `after` is the last timestamp issued before, so that none repeats when the clock is set back. */
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
