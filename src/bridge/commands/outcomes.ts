import type { ActionContext, Outcome, OutcomeButton } from './command.ts';
import type { TextFile } from '../conversation/thread.ts';
import { shorten } from '../../shared/primitives/text.ts';

/**
 * Asks the requester for confirmation, saying what would happen. The button runs the command again
 * with the same values, or with the given ones.
 */
export function askToConfirm(
  { invoked, raw, texts }: ActionContext,
  ask: {
    question: string;
    label: string;
    values?: Record<string, string>;
    /** Whether it deletes nothing. */
    isHarmless?: boolean;
  },
): Outcome {
  const { question, label, values = {}, isHarmless = false } = ask;
  return {
    markdown: question,
    isPrivate: true,
    buttons: [
      {
        label,
        ...(!isHarmless && { danger: true }),
        onPress: { kind: 'run', ...invoked, values: { ...raw, ...values }, confirmed: true },
      },
      { label: texts.keep, onPress: { kind: 'show', markdown: texts.kept } },
    ],
  };
}

/** An outcome that only the requester sees, although the action's results are for everyone. */
export function forRequester(outcome: string | Outcome): Outcome {
  const { markdown, ...rest } = typeof outcome === 'string' ? { markdown: outcome } : outcome;
  return { markdown, ...rest, isPrivate: true };
}

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
    heading: string;
    lines: readonly string[];
    page?: number;
    pageSize?: number;
    /** Whether everyone in the channel may be shown the page; by default they may. */
    isShareable?: boolean;
  },
): Outcome {
  const { heading, lines, pageSize = linesAtOnce, isShareable = true } = list;
  const { invoked, raw, texts } = context;
  const { shown, page, pages } = toPage(lines, list.page, pageSize);
  const counted =
    pages > 1 ? `**${heading}** · ${texts.pages.which(page, pages)}` : `**${heading}**`;
  const markdown = [counted, ...shown].join('\n');
  const turn = (to: number, label: string): OutcomeButton => ({
    label,
    onPress: { kind: 'run', ...invoked, values: { ...raw, page: String(to) } },
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
export function shareButton({ texts }: ActionContext, markdown: string): OutcomeButton {
  return { label: texts.share, onPress: { kind: 'share', markdown } };
}

/** A private result with a button that shows it to everyone. */
export function shareable(context: ActionContext, markdown: string): Outcome {
  return { markdown, buttons: [shareButton(context, markdown)] };
}

/** A longer text is easier to read as a file than as many messages. */
const maxShownLength = 6_000;

/** A long text as it is shown, and whether a part is missing or attached. */
export interface Folded {
  text: string;
  isCut: boolean;
  files: readonly TextFile[];
}

/**
 * Shows the start of a long text; all of it if the requester asked for the whole, as a file if it
 * is very long.
 */
export function fold(
  { isWhole }: Pick<ActionContext, 'isWhole'>,
  text: string,
  { maxLength, file }: { maxLength: number; file: string },
): Folded {
  if (text.length <= maxLength) return { text, isCut: false, files: [] };
  if (!isWhole) return { text: shorten(text, maxLength), isCut: true, files: [] };
  if (text.length <= maxShownLength) return { text, isCut: false, files: [] };
  return {
    text: shorten(text, maxLength),
    isCut: false,
    files: [{ name: file, text: `${text}\n` }],
  };
}

/** A result with folded texts, and a button that shows everything if something was cut. */
export function foldable(
  context: ActionContext,
  outcome: Outcome,
  folded: readonly Folded[],
): Outcome {
  const files = folded.flatMap((each) => each.files);
  const shown = folded.some(({ isCut }) => isCut) ? withShowAll(context, outcome) : outcome;
  return { ...shown, ...(files.length > 0 && { files }) };
}

/** A result that leaves something out, with a button that shows it too. */
export function withShowAll({ invoked, raw, texts }: ActionContext, outcome: Outcome): Outcome {
  const showAll: OutcomeButton = {
    label: texts.showAll,
    onPress: { kind: 'run', ...invoked, values: raw, isWhole: true },
  };
  return { ...outcome, buttons: [showAll, ...(outcome.buttons ?? [])] };
}

/** What people choose for it. */
export function onOrOff(isOn: boolean | undefined): 'on' | 'off' {
  return isOn ? 'on' : 'off';
}

/** Renders a list of fields; empty and unknown ones are left out. */
export function renderFields(fields: readonly (readonly [string, string | undefined])[]): string {
  return fields
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}

/**
 * The fields of `after` that differ from `before`, and their old values: for sending only changes
 * to the service, and for the audit log.
 */
export function differences<Fields extends object>(
  before: Fields,
  after: Partial<Fields>,
): { before: Partial<Fields>; after: Partial<Fields> } | undefined {
  const changed = (Object.keys(after) as (keyof Fields)[]).filter(
    (key) => after[key] !== undefined && JSON.stringify(after[key]) !== JSON.stringify(before[key]),
  );
  if (changed.length === 0) return undefined;
  return { before: pick(before, changed), after: pick(after, changed) };
}

function pick<Fields extends object>(
  fields: Partial<Fields>,
  keys: readonly (keyof Fields)[],
): Partial<Fields> {
  const picked: Partial<Fields> = {};
  for (const key of keys) {
    const value = fields[key];
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}
