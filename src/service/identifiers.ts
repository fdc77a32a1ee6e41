import { randomUUID } from 'node:crypto';

/** A new uuid in the field's format: 32 lower-case hex digits. */
export function createUuid(): string {
  return randomUUID().replaceAll('-', '');
}

/** `2024-09-12T00:19:12Z`: the field's timestamps have no milliseconds. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
