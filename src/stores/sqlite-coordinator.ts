import type { DatabaseSync } from 'node:sqlite';
import type { Coordinator } from '../conversation/ports.ts';
import { createWrite, toSqlText } from './sqlite-database.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS claims (
    key TEXT PRIMARY KEY,
    expires INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS claims_expires ON claims (expires);
`;

/** Expired rows removed per key taken: more than one, so that they don't pile up. */
const sweepLimit = 10;

/**
 * A coordinator on one table of a database. A key taken by one process is taken for every process
 * that opens the file, even after a restart. Every call rejects once the database is closed.
 */
export function createSqliteCoordinator(
  database: DatabaseSync,
  { now = () => Date.now() }: { now?: () => number } = {},
): Coordinator {
  database.exec(schema);
  // A single statement decides, so only one of two processes can win.
  const insert = database.prepare(
    `INSERT INTO claims (key, expires) VALUES (:key, :expires)
     ON CONFLICT DO UPDATE SET expires = excluded.expires WHERE claims.expires <= :now`,
  );
  const sweep = database.prepare(
    `DELETE FROM claims WHERE rowid IN (SELECT rowid FROM claims WHERE expires <= ? LIMIT ${sweepLimit})`,
  );
  const write = createWrite(database);

  return {
    async claim(key, ttl) {
      if (!Number.isFinite(ttl) || ttl <= 0) {
        throw new RangeError(`A claim needs a ttl in milliseconds above 0, not ${ttl}.`);
      }
      return write(() => {
        const time = now();
        sweep.run(time);
        const expires = Math.ceil(time + ttl);
        return insert.run({ key: toSqlText('key', key), expires, now: time }).changes > 0;
      });
    },
  };
}
