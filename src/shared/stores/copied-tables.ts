import { createHash } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';

/** A table as a copy needs it. */
export interface CopiedTable {
  name: string;
  /** The columns of its primary key, which rows are read by. */
  key: readonly string[];
  /** The column that gets a number by itself. */
  serial?: string;
  /** Columns with such numbers, and the tables that gave them. */
  numbers?: Record<string, { of: string; times?: number }>;
  /** SQL that chooses the rows of the owner with this id. */
  ofOwner?(owner: string): RawBuilder<unknown>;
  /** Rows read and written at a time; 200 by default. */
  pageLength?: number;
}

/** Which rows of a table: all, or those of an owner. */
export interface Part {
  table: CopiedTable;
  owner?: string;
}

export type Row = Record<string, unknown>;
export type AnyQueries = Kysely<object>;

/** The rows in the order of their keys, a page at a time. */
export async function* readPages(
  db: AnyQueries,
  part: Part,
  after?: readonly unknown[],
): AsyncGenerator<Row[]> {
  const { name, key, pageLength = 200 } = part.table;
  let last = after;
  let length = pageLength;
  while (length === pageLength) {
    const columns = toList(key);
    const isLater = last && sql`(${columns}) > (${sql.join(last)})`;
    const { rows } = await sql<Row>`
      SELECT * FROM ${sql.table(name)} ${toWhere(part, isLater)}
      ORDER BY ${columns} LIMIT ${pageLength}
    `.execute(db.withoutPlugins());
    length = rows.length;
    if (length > 0) yield rows;
    const row = rows.at(-1);
    last = row && key.map((column) => row[column]);
  }
}

/** The key of the last row; undefined without rows. */
export async function readLastKey(db: AnyQueries, part: Part): Promise<Row | undefined> {
  const { name, key } = part.table;
  const order = sql.join(key.map((column) => sql`${sql.ref(column)} DESC`));
  const { rows } = await sql<Row>`
    SELECT ${toList(key)} FROM ${sql.table(name)} ${toWhere(part)} ORDER BY ${order} LIMIT 1
  `.execute(db.withoutPlugins());
  return rows[0];
}

export async function countRows(db: AnyQueries, part: Part): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM ${sql.table(part.table.name)} ${toWhere(part)}
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/** Rows that are there already are left as they are. */
export async function insertRows(db: AnyQueries, { name }: CopiedTable, rows: readonly Row[]) {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`
    INSERT INTO ${sql.table(name)} (${toList(columns)}) VALUES ${sql.join(values)}
    ON CONFLICT DO NOTHING
  `.execute(db);
}

export async function deleteRows(db: AnyQueries, part: Part): Promise<void> {
  await sql`DELETE FROM ${sql.table(part.table.name)} ${toWhere(part)}`.execute(db);
}

/** How many rows there are, and what tells them from others, whatever their order. */
export interface Checksum {
  rows: number;
  sum: bigint;
}

/** @param toTarget makes of a row what it is in the target */
export async function sumRows(
  db: AnyQueries,
  part: Part,
  toTarget = (row: Row) => row,
): Promise<Checksum> {
  const found = { rows: 0, sum: 0n };
  for await (const page of readPages(db, part)) {
    found.rows += page.length;
    for (const row of page) found.sum = BigInt.asUintN(256, found.sum + hashRow(toTarget(row)));
  }
  return found;
}

/** Both databases give the same numbers, texts and bytes; only the order of columns may differ. */
function hashRow(row: Row): bigint {
  const entries = Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify(entries, (_, value: unknown) =>
    value instanceof Uint8Array ? { bytes: value.toHex() } : value,
  );
  return BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
}

const toList = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

function toWhere({ table, owner }: Part, isLater?: RawBuilder<unknown>): RawBuilder<unknown> {
  const isOwned = owner === undefined ? undefined : table.ofOwner?.(owner);
  const conditions = [isOwned, isLater].filter((condition) => condition !== undefined);
  return conditions.length > 0 ? sql`WHERE ${sql.join(conditions, sql` AND `)}` : sql``;
}
