import type { ActionContext, OutcomeButton, Outcome } from './command.ts';

/** Which page of a list to begin with; further ones come by its buttons. */
export const pageOption = {
  type: 'number',
  description: 'page',
  min: 1,
  max: 10_000,
  whole: true,
} as const;

/** Lines of a list that are shown at once, unless they are long. */
const linesAtOnce = 15;

/**
 * One page of a list, with buttons to the others and one that shows it to the channel. A page that
 * does not exist is the nearest one that does.
 */
export function renderPage(
  context: ActionContext,
  list: {
    command: string;
    action: string;
    heading: string;
    lines: readonly string[];
    page?: number;
    pageSize?: number;
  },
): Outcome {
  const { command, action, heading, lines, pageSize = linesAtOnce } = list;
  const { texts } = context;
  const pages = Math.max(1, Math.ceil(lines.length / pageSize));
  const page = Math.min(Math.max(list.page ?? 1, 1), pages);
  const shown = lines.slice((page - 1) * pageSize, page * pageSize);
  const counted =
    pages > 1 ? `**${heading}** · ${texts.pages.which(page, pages)}` : `**${heading}**`;
  const markdown = [counted, ...shown].join('\n');
  const turn = (to: number, label: string): OutcomeButton => ({
    label,
    onPress: { kind: 'run', command, action, values: { ...context.raw, page: String(to) } },
  });
  return {
    markdown,
    buttons: [
      ...(page > 1 ? [turn(page - 1, texts.pages.previous)] : []),
      ...(page < pages ? [turn(page + 1, texts.pages.next)] : []),
      shareButton(context, markdown),
    ],
  };
}

/** Shows a result to everyone in the channel. */
function shareButton({ texts }: ActionContext, markdown: string): OutcomeButton {
  return { label: texts.share, onPress: { kind: 'share', markdown } };
}

/** A private result that can be shown to everyone. */
export function shareable(context: ActionContext, markdown: string): Outcome {
  return { markdown, buttons: [shareButton(context, markdown)] };
}
