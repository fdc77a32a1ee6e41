import type { ActionContext, Outcome } from './command.ts';

/**
 * Asks for confirmation, saying what would happen. The button runs the command again with the same
 * values, or with the given ones.
 */
export function askToConfirm(
  context: ActionContext,
  ask: {
    command: string;
    action: string;
    question: string;
    label: string;
    values?: Record<string, string>;
  },
): Outcome {
  const { command, action, question, label, values = {} } = ask;
  const { texts } = context;
  return {
    markdown: question,
    buttons: [
      {
        label,
        danger: true,
        onPress: {
          kind: 'run',
          command,
          action,
          values: { ...context.raw, ...values },
          confirmed: true,
        },
      },
      { label: texts.keep, onPress: { kind: 'show', markdown: texts.kept } },
    ],
  };
}
