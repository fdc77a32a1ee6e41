import { randomBytes, randomInt } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** A new id in Slack's format: the letter of its kind and ten capitals or digits. */
export function newId(prefix: string): string {
  return prefix + Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Digits, as in tokens and trigger ids. */
export function newDigits(length: number): string {
  return Array.from({ length }, () => randomInt(10)).join('');
}

/** An unguessable string of `bytes` random bytes, in hexadecimal. */
export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** A bot's token, which never expires. */
export function newBotToken(): string {
  return `xoxb-${newDigits(12)}-${newDigits(13)}-${newSecret(12)}`;
}

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
