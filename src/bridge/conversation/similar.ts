import { commonWords } from '../texts/texts.ts';

/** Questions share so much of their words, weighted by how rare those are, that they are alike. */
const alike = 0.4;
/** Longer questions tell no more. */
const maxWords = 60;
/** The first letters of a word stand for its forms. */
const stemLength = 5;

/**
 * Groups questions that ask something similar, by their words: each joins the group that it is most
 * like, on average over the group's questions, or begins one. Groups keep the order of the questions.
 */
export function groupSimilar<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): Item[][] {
  const all = items.map((item) => toWords(textOf(item)));
  const counts = new Map<string, number>();
  for (const word of all.flatMap((words) => [...words])) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const weightOf = (word: string) =>
    Math.log(1 + (items.length + 1) / (counts.get(word) ?? 1)) ** 2;
  const lengths = all.map((words) => Math.sqrt(sumOf(words, weightOf)));
  const groups: { members: number[]; words: Set<string> }[] = [];
  for (const [index, words] of all.entries()) {
    const likeness = (other: number) => {
      const shared = words.intersection(all[other] ?? new Set());
      const length = (lengths[index] ?? 0) * (lengths[other] ?? 0);
      return length === 0 ? 0 : sumOf(shared, weightOf) / length;
    };
    let best: (typeof groups)[number] | undefined;
    let most = alike;
    for (const group of groups) {
      if (words.isDisjointFrom(group.words)) continue;
      const average = sumOf(group.members, likeness) / group.members.length;
      if (average < most) continue;
      best = group;
      most = average;
    }
    if (best) {
      best.members.push(index);
      best.words = best.words.union(words);
    } else groups.push({ members: [index], words });
  }
  return groups.map(({ members }) => members.flatMap((index) => items[index] ?? []));
}

function sumOf<Item>(items: Iterable<Item>, valueOf: (item: Item) => number): number {
  let sum = 0;
  for (const item of items) sum += valueOf(item);
  return sum;
}

/** The words of a question that say what it is about; all of them if it has no others. */
function toWords(text: string): Set<string> {
  const words = (
    text
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).slice(0, maxWords);
  const telling = words.filter((word) => !commonWords.has(word));
  return new Set((telling.length > 0 ? telling : words).map((word) => word.slice(0, stemLength)));
}
