import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Coordinator } from '../conversation/ports.ts';
import { toSqlText } from './sqlite-database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS holds (
    kind TEXT NOT NULL CHECK (kind IN ('claim', 'lease')),
    key TEXT NOT NULL,
    token TEXT NOT NULL,
    expires INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS holds_expires ON holds (expires);
`;

/** Expired rows removed for each key taken: more than one, so that they cannot pile up. */
const SWEEP_LIMIT = 10;

/**
 * A coordinator on one table of a database: what one process has taken, any other that opens the
 * file finds taken, after a restart too. Claims and leases of the same key do not meet. Every call
 * rejects once the database is closed.
 */
export function createSqliteCoordinator(
  database: DatabaseSync,
  { now = () => Date.now() }: { now?: () => number } = {},
): Coordinator {
  database.exec(SCHEMA);
  // One statement decides, so that of two processes only one can win.
  const insert = database.prepare(
    `INSERT INTO holds (kind, key, token, expires) VALUES (:kind, :key, :token, :expires)
     ON CONFLICT DO UPDATE SET token = excluded.token, expires = excluded.expires
     WHERE holds.expires <= :now`,
  );
  const sweep = database.prepare(
    `DELETE FROM holds WHERE rowid IN (SELECT rowid FROM holds WHERE expires <= ? LIMIT ${SWEEP_LIMIT})`,
  );
  const release = database.prepare('DELETE FROM holds WHERE token = ? AND kind = ? AND key = ?');

  /** Returns the token that frees the key again, or undefined when it is taken. */
  function take(kind: 'claim' | 'lease', key: string, ttl: number): string | undefined {
    if (!Number.isFinite(ttl) || ttl <= 0) {
      throw new RangeError(`A ${kind} needs a ttl in milliseconds above 0, not ${ttl}.`);
    }
    const time = now();
    const token = randomUUID();
    sweep.run(time);
    const expires = Math.ceil(time + ttl);
    const { changes } = insert.run({
      kind,
      key: toSqlText('key', key),
      token,
      expires,
      now: time,
    });
    return changes > 0 ? token : undefined;
  }

  return {
    async claim(key, ttl) {
      return take('claim', key, ttl) !== undefined;
    },
    async lease(key, ttl) {
      const token = take('lease', key, ttl);
      if (token === undefined) return undefined;
      return {
        async [Symbol.asyncDispose]() {
          release.run(token, 'lease', key);
        },
      };
    },
  };
}
