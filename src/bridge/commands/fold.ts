import type { TextFile } from '../conversation/ports.ts';
import type { ActionContext, OutcomeButton, Outcome } from './command.ts';
import { shorten } from '../../shared/primitives/shorten.ts';

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
  use: { command: string; action: string },
  outcome: Outcome,
  folded: readonly Folded[],
): Outcome {
  const files = folded.flatMap((each) => each.files);
  const shown = folded.some(({ isCut }) => isCut) ? withShowAll(context, use, outcome) : outcome;
  return { ...shown, ...(files.length > 0 && { files }) };
}

/** A result that leaves something out, with a button that shows it too. */
export function withShowAll(
  { raw, texts }: ActionContext,
  { command, action }: { command: string; action: string },
  outcome: Outcome,
): Outcome {
  const showAll: OutcomeButton = {
    label: texts.showAll,
    onPress: { kind: 'run', command, action, values: raw, isWhole: true },
  };
  return { ...outcome, buttons: [showAll, ...(outcome.buttons ?? [])] };
}
