/**
 * Rows in the order of their ids, read a page at a time as they are taken. Changes made meanwhile may or
 * may not be included.
 * @param read gives the next rows after one of them; undefined stands for the start
 */
export async function* inPages<Row extends { id: number }>(
  size: number,
  read: (after: number | undefined, size: number) => Promise<Row[]>,
): AsyncGenerator<Row, void> {
  let page: Row[] = [];
  do {
    page = await read(page.at(-1)?.id, size);
    yield* page;
  } while (page.length === size);
}
