import { type SelectQueryBuilder, sql } from 'kysely';

/** How many rows a query has. */
export async function countAll<Tables, Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<number> {
  const { count } = await query
    .select(sql`count(*)`.as('count'))
    .$castTo<{ count: number }>()
    .executeTakeFirstOrThrow();
  return count;
}

/** Gives the next rows after one of them; undefined stands for the start. */
type ReadPage<Row> = (after: number | undefined, size: number) => Promise<Row[]>;

/**
 * Pages of rows in the order of their ids, each read when it is taken. Changes made meanwhile may or may
 * not be included.
 */
export async function* eachPage<Row extends { id: number }>(
  size: number,
  read: ReadPage<Row>,
): AsyncGenerator<Row[], void> {
  let page: Row[] = [];
  do {
    page = await read(page.at(-1)?.id, size);
    yield page;
  } while (page.length === size);
}

/** The rows of `eachPage`. */
export async function* inPages<Row extends { id: number }>(
  size: number,
  read: ReadPage<Row>,
): AsyncGenerator<Row, void> {
  for await (const page of eachPage(size, read)) yield* page;
}

/** A query of a table whose rows have ids. */
interface ByIds<Row> {
  where(column: 'id', operator: '>', value: number): ByIds<Row>;
  orderBy(column: 'id'): ByIds<Row>;
  limit(count: number): ByIds<Row>;
  execute(): Promise<Row[]>;
}

/** All rows of a query, as `inPages` gives them. */
export function eachById<Row extends { id: number }>(
  query: ByIds<Row>,
  size: number,
): AsyncGenerator<Row, void> {
  return inPages(size, (after = 0, limit) =>
    query.where('id', '>', after).orderBy('id').limit(limit).execute(),
  );
}
