import type { TextFile } from '../conversation/ports.ts';
import type { ActionContext, OutcomeButton, Outcome } from './command.ts';
import { shorten } from '../primitives/shorten.ts';

/** Where the whole is longer, a file is easier to read than the messages it would fill. */
const maxShownLength = 6_000;

/** A long text as it is shown, and what shows the rest of it. */
export interface Folded {
  text: string;
  isCut: boolean;
  files: readonly TextFile[];
}

/** The beginning of a long text; all of it where the whole was asked for, as a file where it fills pages. */
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

/** A result that holds folded texts, with a button that shows the whole where something was cut. */
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

/** A result of which something was left out, with a button that shows it too. */
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
