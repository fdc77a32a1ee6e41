import type { Gap } from '../conversation/gaps.ts';
import { renderPlainText } from '../conversation/markdown/plain-text.ts';
import { shorten } from '../../shared/primitives/text.ts';
import { type ActionContext, type Command, defineAction, toViewer } from './command.ts';
import { pageOption, renderPage } from './outcomes.ts';

const maxQuestionLength = 150;
/** As many remarks are shown of one question. */
const maxRemarks = 3;

/** `/gaps`: what was asked without a helpful answer, most often asked first. */
export const gaps: Command = {
  name: 'gaps',
  description: 'gaps',
  action: defineAction({
    description: 'gaps',
    shownTo: 'private',
    managersOnly: true,
    options: { page: pageOption },
    async *run(context, { page }) {
      const all = await context.gaps.list(context);
      const viewer = toViewer(context);
      const may = await Promise.all(
        all.map(({ address }) => context.access.may('list', viewer, { address })),
      );
      const readable = all.filter((_, index) => may[index]);
      const same = Map.groupBy(readable, ({ query }) => toKey(query));
      const groups = [...same.values()].toSorted((a, b) => b.length - a.length);
      const { texts } = context;
      const hidden = all.length - readable.length;
      yield renderPage(context, {
        command: 'gaps',
        heading: texts.gaps.count(all.length),
        lines: [
          ...(await Promise.all(groups.map((group) => renderGroup(group, context)))),
          ...(hidden > 0 ? [`- ${texts.gaps.elsewhere(hidden)}`] : []),
        ],
        page,
        isShareable: false,
      });
    },
  }),
};

/** One line: the newest of equal questions with its link, how often it was asked, and what came closest. */
async function renderGroup(group: readonly Gap[], context: ActionContext): Promise<string> {
  const newest = group.at(-1);
  if (!newest) return '';
  const { address, query, nearest, reason } = newest;
  const { gaps: texts } = context.texts;
  const link = await context.threads.linkTo(address);
  const remarks = group.flatMap((gap) => gap.remarks).slice(-maxRemarks);
  const label = renderPlainText(shorten(query, maxQuestionLength));
  return [
    `- ${link === undefined ? label : `[${label}](${link})`}`,
    ...(group.length > 1 ? [`${group.length}×`] : []),
    texts[reason],
    ...remarks.map((remark) => texts.remark(renderPlainText(remark))),
    ...(nearest ? [texts.nearest(renderPlainText(nearest))] : []),
  ].join(' · ');
}

/** Equal for questions with the same words. */
function toKey(query: string): string {
  return (
    query
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? query
  );
}
