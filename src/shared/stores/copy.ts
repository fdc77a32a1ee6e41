import { sql } from 'kysely';
import { RefusedError } from '../primitives/refused-error.ts';
import { monotonicMs } from '../primitives/time.ts';
import {
  type AnyQueries,
  type CopiedTable,
  countRows,
  deleteRows,
  insertRows,
  readLastKey,
  readPages,
  type Row,
  sumRows,
} from './copied-tables.ts';
import type { Database } from './database.ts';
import type { SqlDialect, Trigger } from './dialect.ts';
import { type Migrations, unfinishedCopy } from './migrations.ts';
import { type DatabasePlace, dialectOf, openDatabase } from './open-database.ts';

/** What is copied from one database to another. */
export interface CopyPlan {
  /** Each after those that it refers to. */
  tables: readonly CopiedTable[];
  /** They are off while rows are copied, because the rows already have what they count. */
  triggers: readonly Trigger[];
  /** Names the source, without a password. */
  from: string;
  /** Whose rows are copied; without one, all are. */
  owner?: CopiedOwner;
  /** Whether what is there may be deleted. */
  replace: boolean;
}

/** An owner whose rows come beside those of others. */
export interface CopiedOwner {
  /** As in the source. */
  id: string;
  name: string;
  /**
   * Makes room for the owner in the target.
   * @returns the id of an owner of that name whose place this one takes
   * @throws {RefusedError} if there is data of one that may not be deleted
   */
  makeRoom(tx: AnyQueries, replace: boolean): Promise<string | undefined>;
  /** Gives the copied owner what is left of the one whose place it took. */
  adopt(tx: AnyQueries, from: string): Promise<void>;
}

/** What the target keeps of a copy until it is finished. */
interface CopyState {
  from: string;
  owner?: { id: string; name: string };
  /** By table, what is added to the numbers that it gave: those of the target may be the same. */
  offsets: Record<string, number>;
  adopts?: string;
}

/** A target that a copy has begun in. Disposing closes it. */
export interface Target extends AsyncDisposable {
  database: Database<object>;
  state: CopyState;
  dialect: SqlDialect;
  /** Whether an earlier run began the copy. */
  isResumed: boolean;
}

/** How far a copy is. */
export type ReportProgress = (table: string, rows: number, of: number) => void;

const reportMs = 5_000;

/**
 * Opens the target of a copy, and marks it: until the copy is finished, nothing else opens it.
 * @throws {RefusedError} if it has other data, or another copy is not finished there; it is as before
 */
export async function openTarget(
  place: DatabasePlace,
  migrations: Migrations,
  plan: CopyPlan,
): Promise<Target> {
  let isResumed = true;
  const mark = {
    async up(db: AnyQueries, dialect: SqlDialect) {
      isResumed = false;
      for (const trigger of plan.triggers) await run(db, dialect.renderTriggerDrop(trigger));
      await sql`CREATE TABLE unfinished_copy (state TEXT NOT NULL)`.execute(db);
      await begin(db, dialect, plan);
    },
  };
  const dialect = dialectOf(place);
  const database = await openDatabase<object>(place, { ...migrations, [unfinishedCopy]: mark });
  await using opened = new AsyncDisposableStack();
  opened.use(database);
  if (isResumed) {
    const state = await readState(database.queries);
    checkSame(state, plan);
    if (plan.replace) {
      await database.transaction((tx) => begin(tx, dialect, plan, state));
    }
  }
  const state = await readState(database.queries);
  const parts = opened.move();
  return {
    database,
    dialect,
    state,
    isResumed,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function checkSame(state: CopyState, plan: CopyPlan): void {
  const isSameOwner = state.owner?.name === plan.owner?.name;
  const canReplace = plan.replace && (isSameOwner || !plan.owner);
  if (canReplace) return;
  const isSame = isSameOwner && state.owner?.id === plan.owner?.id && state.from === plan.from;
  if (isSame) return;
  const owner = state.owner ? ` --owner ${state.owner.name}` : '';
  throw new RefusedError(
    `Another copy to the target is not finished: the one from ${state.from}${owner}. Run that again, or add --replace to delete what it copied.`,
  );
}

/** @param earlier the state of a copy that is replaced */
async function begin(
  tx: AnyQueries,
  dialect: SqlDialect,
  plan: CopyPlan,
  earlier?: CopyState,
): Promise<void> {
  const { tables, owner, from, replace } = plan;
  const state: CopyState = { from, offsets: {} };
  if (owner) {
    const { id, name } = owner;
    // A copy that is replaced may have taken the place of one already.
    const adopts = (await owner.makeRoom(tx, replace)) ?? earlier?.adopts;
    Object.assign(state, { owner: { id, name }, ...(adopts !== undefined && { adopts }) });
    for (const { name: table, serial } of tables) {
      if (serial) state.offsets[table] = await readLastSerial(tx, dialect, { table, serial });
    }
  } else if (replace) {
    for (const table of tables.toReversed()) await deleteRows(tx, { table });
  } else {
    await refuseFull(tx, tables);
  }
  await sql`DELETE FROM unfinished_copy`.execute(tx);
  await sql`INSERT INTO unfinished_copy (state) VALUES (${JSON.stringify(state)})`.execute(tx);
}

/** There is data already. */
export class FullTargetError extends RefusedError {}

async function refuseFull(tx: AnyQueries, tables: readonly CopiedTable[]): Promise<void> {
  for (const table of tables) {
    if ((await readLastKey(tx, { table })) === undefined) continue;
    throw new FullTargetError(
      'There is data in the target already. To delete it and copy in its place, add --replace.',
    );
  }
}

/** Copies the rows that are missing, each page in a transaction. */
export async function copyRows(
  source: Database<object>,
  { database, state }: Target,
  plan: CopyPlan,
  report: ReportProgress,
): Promise<void> {
  const owner = state.owner?.id;
  for (const table of plan.tables) {
    const part = { table, owner };
    const all = await countRows(source.queries, part);
    const last = await readLastKey(database.queries, part);
    const after = last && shift(last, { table, state, by: -1 });
    let rows = last ? await countRows(database.queries, part) : 0;
    let reported = monotonicMs();
    const pages = readPages(
      source.queries,
      part,
      after && table.key.map((column) => after[column]),
    );
    for await (const page of pages) {
      const shifted = page.map((row) => shift(row, { table, state, by: 1 }));
      await database.relaxed((tx) => insertRows(tx, table, shifted));
      rows += page.length;
      if (monotonicMs() - reported < reportMs) continue;
      reported = monotonicMs();
      if (rows < all) report(table.name, rows, all);
    }
    report(table.name, rows, all);
  }
}

/**
 * Compares all rows by their number and a checksum.
 * @returns how many there are
 * @throws {RefusedError} if they differ
 */
export async function checkRows(
  source: Database<object>,
  { database, state }: Target,
  plan: CopyPlan,
): Promise<number> {
  const owner = state.owner?.id;
  let rows = 0;
  for (const table of plan.tables) {
    const part = { table, owner };
    const wanted = await sumRows(source.queries, part, (row) =>
      shift(row, { table, state, by: 1 }),
    );
    const found = await sumRows(database.queries, part);
    if (wanted.rows !== found.rows || wanted.sum !== found.sum) {
      throw new RefusedError(
        `The copy of ${table.name} differs: ${found.rows} of ${wanted.rows} rows, or some with other contents. The source has changed since the copy began. Run it again with --replace, while nothing uses the source.`,
      );
    }
    rows += wanted.rows;
  }
  return rows;
}

/** Removes the mark: from now on the target is a database like others. */
export async function finish(
  source: Database<object>,
  { database, state, dialect }: Target,
  { plan, sourceDialect }: { plan: CopyPlan; sourceDialect: SqlDialect },
): Promise<void> {
  const serials: { table: string; serial: string; last: number }[] = [];
  for (const { name: table, serial } of plan.tables) {
    if (!serial) continue;
    const last = await readLastSerial(source.queries, sourceDialect, { table, serial });
    serials.push({ table, serial, last: last + (state.offsets[table] ?? 0) });
  }
  await database.transaction(async (tx) => {
    for (const { table, serial, last } of serials) {
      const own = await readLastSerial(tx, dialect, { table, serial });
      if (last > own) await run(tx, dialect.renderSerial(table, serial, last));
    }
    if (state.adopts !== undefined) await plan.owner?.adopt(tx, state.adopts);
    await unmark(tx, dialect, plan);
  });
}

/** Leaves a target in which nothing was copied yet as it was. */
export async function withdraw({ database, dialect }: Target, plan: CopyPlan): Promise<void> {
  await database.transaction((tx) => unmark(tx, dialect, plan));
}

async function unmark(tx: AnyQueries, dialect: SqlDialect, { triggers }: CopyPlan): Promise<void> {
  for (const trigger of triggers) await run(tx, dialect.renderTrigger(trigger));
  await sql`DROP TABLE unfinished_copy`.execute(tx);
  await sql`DELETE FROM kysely_migration WHERE name = ${unfinishedCopy}`.execute(tx);
}

/** A row with the numbers that it has in the target, or, with -1, in the source. */
function shift(
  row: Row,
  { table, state, by }: { table: CopiedTable; state: CopyState; by: 1 | -1 },
): Row {
  const shifted = { ...row };
  for (const [column, { of, times = 1 }] of Object.entries(table.numbers ?? {})) {
    if (!(column in row)) continue;
    shifted[column] = Number(row[column]) + by * times * (state.offsets[of] ?? 0);
  }
  return shifted;
}

async function readState(db: AnyQueries): Promise<CopyState> {
  const { rows } = await sql<{ state: string }>`SELECT state FROM unfinished_copy`.execute(db);
  return JSON.parse(rows[0]?.state ?? '{}') as CopyState;
}

async function readLastSerial(
  db: AnyQueries,
  dialect: SqlDialect,
  { table, serial }: { table: string; serial: string },
): Promise<number> {
  const { rows } = await sql
    .raw<{ last: number }>(dialect.renderLastSerial(table, serial))
    .execute(db);
  return rows[0]?.last ?? 0;
}

async function run(db: AnyQueries, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
