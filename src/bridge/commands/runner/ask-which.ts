import type { ActionContext, Outcome } from '../command.ts';
import { escapeMarkdown } from '../markdown.ts';
import { shorten } from '../../../shared/primitives/shorten.ts';
import type { RawValues } from '../option.ts';
import type { Ambiguity } from './parse-reference.ts';

/** Platforms cut the labels of buttons at about this length. */
const maxLabelLength = 60;

/** Asks which of several things was meant, with a button for each that runs the command again. */
export function askWhich(
  use: { command: string; action?: string; values: RawValues },
  ambiguity: Ambiguity,
  { texts, formats }: ActionContext,
): Outcome {
  const { option, to, name, isGuess, candidates } = ambiguity;
  const { command, action, values } = use;
  const ask = isGuess ? texts.whichOne.guess : texts.whichOne.several;
  const lines = candidates.map(
    ({ entry }) =>
      `- **${escapeMarkdown(entry.name)}** · ${formats.time(entry.createdAt)} · \`${entry.uuid}\``,
  );
  return {
    markdown: [ask(to, escapeMarkdown(name)), ...lines].join('\n'),
    buttons: candidates.map(({ entry, value }) => ({
      label: `${shorten(entry.name, maxLabelLength)} (${entry.uuid.slice(0, 6)})`,
      onPress: {
        kind: 'run',
        command,
        ...(action !== undefined && { action }),
        values: { ...values, [option]: value },
      },
    })),
  };
}
