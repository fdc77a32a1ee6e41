import type { ActionContext, OutcomeButton, Outcome } from './command.ts';

/** The page of a list to start with; buttons lead to the others. */
export const pageOption = {
  type: 'number',
  description: 'page',
  min: 1,
  max: 10_000,
  whole: true,
} as const;

/** Lines per page of a list, or fewer if they are long. */
const linesAtOnce = 15;

/**
 * Renders one page of a list, with buttons to the others and, if it is shareable, one that shares it
 * with the channel.
 * If the page does not exist, renders the nearest one.
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
    /** Whether everyone in the channel may be shown the page; by default they may. */
    isShareable?: boolean;
  },
): Outcome {
  const { command, action, heading, lines, pageSize = linesAtOnce, isShareable = true } = list;
  const { texts } = context;
  const { shown, page, pages } = toPage(lines, list.page, pageSize);
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
      ...(isShareable ? [shareButton(context, markdown)] : []),
    ],
  };
}

/** The items of one page: of the nearest one if there is no such page. */
export function toPage<Item>(items: readonly Item[], wanted = 1, pageSize = linesAtOnce) {
  const pages = Math.max(1, Math.ceil(items.length / pageSize));
  const page = Math.min(Math.max(wanted, 1), pages);
  return { shown: items.slice((page - 1) * pageSize, page * pageSize), page, pages };
}

/** Shows a result to everyone in the channel. */
function shareButton({ texts }: ActionContext, markdown: string): OutcomeButton {
  return { label: texts.share, onPress: { kind: 'share', markdown } };
}

/** A private result with a button that shows it to everyone. */
export function shareable(context: ActionContext, markdown: string): Outcome {
  return { markdown, buttons: [shareButton(context, markdown)] };
}
