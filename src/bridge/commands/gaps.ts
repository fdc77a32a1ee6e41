import { shorten } from '../../shared/primitives/text.ts';
import type { Gap } from '../conversation/gaps.ts';
import { renderPlainText } from '../conversation/markdown/plain-text.ts';
import { commonWords } from '../texts/texts.ts';
import {
  type ActionContext,
  type Command,
  type CommandContext,
  type CommandTools,
  defineAction,
  toViewer,
} from './command.ts';
import { pageOption, renderPage, toPage } from './outcomes.ts';

const maxQuestionLength = 150;
const maxOtherLength = 80;
/** As many remarks, and as many other wordings, are shown of a group. */
const maxRemarks = 3;
const maxOthers = 2;
/** Each group has a button. */
const groupsAtOnce = 10;

/** `/gaps`: what was asked without a helpful answer, most often asked first. */
export const gaps: Command = {
  name: 'gaps',
  description: 'gaps',
  action: defineAction({
    description: 'gaps',
    shownTo: 'private',
    managersOnly: true,
    options: { page: pageOption },
    async run(context, { page }) {
      const { texts } = context;
      const { readable, hidden } = await findGaps(context);
      const groups = groupSimilar(readable, ({ query }) => query).toSorted(
        (a, b) => b.length - a.length,
      );
      const lines = await Promise.all(
        groups.map((group, index) => renderGroup(group, index, context)),
      );
      const outcome = renderPage(context, {
        heading: texts.gaps.count(readable.length + hidden),
        lines: [...lines, ...(hidden > 0 ? [`- ${texts.gaps.elsewhere(hidden)}`] : [])],
        page,
        pageSize: groupsAtOnce,
        isShareable: false,
      });
      const { shown } = toPage([...groups.entries()], page, groupsAtOnce);
      const teach = shown.flatMap(([index, group]) => {
        const turn = group.at(-1)?.uuid;
        const label = texts.gaps.answer(index + 1);
        return turn === undefined ? [] : [{ label, onPress: { kind: 'teach', turn } as const }];
      });
      return { ...outcome, buttons: [...teach, ...(outcome.buttons ?? [])] };
    },
  }),
};

/** The open questions of the workspace that somebody may read, oldest first; how many they may not. */
export async function findGaps(
  context: CommandContext & Pick<CommandTools, 'access' | 'gaps'>,
): Promise<{ readable: Gap[]; hidden: number }> {
  const all = await context.gaps.list(context);
  const viewer = toViewer(context);
  const may = await Promise.all(all.map((gap) => context.access.may('list', viewer, gap)));
  const readable = all.filter((_, index) => may[index]);
  return { readable, hidden: all.length - readable.length };
}

/**
 * One line: the newest of similar questions with its link, how often they were asked, other wordings,
 * and what came closest.
 */
async function renderGroup(
  group: readonly Gap[],
  index: number,
  context: ActionContext,
): Promise<string> {
  const newest = group.at(-1);
  if (!newest) return '';
  const { address, query, nearest, reason, unopened } = newest;
  const { gaps: texts } = context.texts;
  const link = await context.threads.linkTo(address, unopened);
  const remarks = group.flatMap((gap) => gap.remarks).slice(-maxRemarks);
  const label = renderPlainText(shorten(query, maxQuestionLength));
  const wordings = new Map(group.map((gap) => [sameWords(gap.query), gap.query]));
  wordings.delete(sameWords(query));
  const others = [...wordings.values()].slice(-maxOthers);
  return [
    `${index + 1}. ${link === undefined ? label : `[${label}](${link})`}`,
    ...(group.length > 1 ? [`${group.length}×`] : []),
    ...others.map((other) => texts.also(renderPlainText(shorten(other, maxOtherLength)))),
    texts[reason],
    ...remarks.map((remark) => texts.remark(renderPlainText(remark))),
    ...(nearest ? [texts.nearest(renderPlainText(nearest))] : []),
  ].join(' · ');
}

/** Equal for questions with the same words. */
export function sameWords(query: string): string {
  return (
    query
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? query
  );
}

/** Questions that share this much of their words, weighted by rarity, count as alike. */
const alike = 0.4;
/** More words would add nothing. */
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
