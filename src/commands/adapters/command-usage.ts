import type { Action, Command } from '../command.ts';
import { type Problem, renderProblem } from '../../messages/problem.ts';
import type { Messages } from '../../messages/messages.ts';

/** Renders how to use a command, one line per action, below what was wrong with the last try. */
export function renderUsage(options: {
  /** The command as people type it: `/causeway source` on Slack, `/source` on Discord. */
  name: string;
  command: Command;
  problem: Problem | undefined;
  texts: Messages;
}): string {
  const { name, command, problem, texts } = options;
  const lines = actionsOf(command).map(([action, { description, options }]) => {
    const words = [name, action, usageOf(options)].filter(Boolean).join(' ');
    return `- \`${words}\`: ${texts.descriptions[description]}`;
  });
  const described = `**${name}**: ${texts.descriptions[command.description]}`;
  return [problem && renderProblem(problem, texts), described, lines.join('\n')]
    .filter(Boolean)
    .join('\n\n');
}

/** What Slack shows beside a command while it is typed. */
export function renderUsageHint(command: Command): string {
  return actionsOf(command)
    .map(([name, { options }]) => [name, usageOf(options)].filter(Boolean).join(' '))
    .join(' | ');
}

function actionsOf(command: Command): [string, Action][] {
  return 'action' in command ? [['', command.action]] : Object.entries(command.actions);
}

/** Files are requested in a form, so they are not part of the typed usage. */
function usageOf(options: Action['options']): string {
  return Object.entries(options)
    .filter(([, option]) => option.type !== 'file')
    .map(([name, option]) => (option.required ? `<${name}>` : `[--${name} "…"]`))
    .join(' ');
}
