/** The value of Cormack, Clarke and Büttcher (https://doi.org/10.1145/1571941.1572114). */
const rankConstant = 60;

/**
 * Reciprocal rank fusion: what ranks high in several lists comes first, whatever the scores mean.
 * An item's score is the sum of `1 / (60 + rank)` over its lists, with ranks from 1.
 */
export function fuse(...lists: (readonly number[])[]): Map<number, number> {
  const scores = new Map<number, number>();
  for (const list of lists) {
    for (const [index, id] of list.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (rankConstant + index + 1));
    }
  }
  return new Map([...scores].toSorted(([, one], [, other]) => other - one));
}
