/** What SQLite says in other words than Postgres. All other SQL is written so that both take it. */

/** The types of columns. */
export const columnTypes = {
  /** A number that each new row gets, and that is never used again. */
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  /** A whole number, up to 2^53. */
  integer: 'INTEGER',
  bytes: 'BLOB',
} as const;

/** A table that is kept in the order of its primary key, without a copy of it. */
export const clustered = 'WITHOUT ROWID';

/** What a trigger does after each change of a row, which it sees as `NEW` or `OLD`. */
export interface Trigger {
  name: string;
  /** Such as `INSERT` or `UPDATE OF title`. */
  after: string;
  table: string;
  /** SQL; without it, the trigger runs for each row. */
  when?: string;
  /** One SQL statement. */
  run: string;
}

/** The SQL that creates a trigger. */
export function renderTrigger({ name, after, table, when, run }: Trigger): string {
  const condition = when === undefined ? '' : `WHEN ${when} `;
  return `CREATE TRIGGER ${name} AFTER ${after} ON ${table} FOR EACH ROW ${condition}BEGIN ${run}; END`;
}
