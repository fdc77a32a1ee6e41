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
