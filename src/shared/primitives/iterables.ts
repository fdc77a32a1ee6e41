export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** The items in their order, `size` at a time; the last batch has what is left. */
export function* toBatches<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** What `change` makes of each item, as the items come. */
export async function* mapEach<Item, Result>(
  items: AsyncIterable<Item>,
  change: (item: Item) => Result | Promise<Result>,
): AsyncGenerator<Awaited<Result>, void> {
  for await (const item of items) yield await change(item);
}
