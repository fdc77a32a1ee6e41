import type { Action, Command } from '../command.ts';
import { typedCommand } from '../command-names.ts';
import type { CommandSet } from '../invocation.ts';
import type { Option } from '../option.ts';
import { type Problem, renderProblem } from '../../../shared/problems/problem.ts';
import type { Texts } from '../../texts/texts.ts';

/** Renders how to use a command, one line per action, below what was wrong with the last try. */
export function renderUsage(options: {
  /** The command as people type it: `/causeway source` on Slack, `/source` on Discord. */
  name: string;
  command: Command;
  problem: Problem | undefined;
  texts: Texts;
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

/** Something that people can type on a platform, and its options, files excepted. */
export interface TypedUsage {
  /** Such as `/causeway source list`. */
  command: string;
  description: string;
  options: {
    name: string;
    description: string;
    required: boolean;
    /** What its values are, where people choose from some. */
    takes?: 'channel' | 'person' | 'group' | readonly string[];
  }[];
}

/** Lists everything that people can type on a platform. */
export function listUsages(
  { commands, names }: CommandSet,
  platform: string,
  texts: Texts,
): TypedUsage[] {
  return commands.flatMap((command) =>
    actionsOf(command).map(([action, { description, options }]) => ({
      command: typedCommand(names, platform, [command.name, action].filter(Boolean).join(' ')),
      description: texts.descriptions[description],
      options: typable(options).map(([name, option]) => ({
        name,
        description: texts.descriptions[option.description],
        required: option.required === true,
        takes: valuesOf(option),
      })),
    })),
  );
}

function valuesOf(option: Option): TypedUsage['options'][number]['takes'] {
  if (option.type === 'choice') return option.choices;
  if (option.type === 'boolean') return ['yes', 'no'];
  const { type } = option;
  return type === 'channel' || type === 'person' || type === 'group' ? type : undefined;
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
function typable(options: Action['options']): [string, Option][] {
  return Object.entries(options).filter(([, { type }]) => type !== 'file');
}

function usageOf(options: Action['options']): string {
  return typable(options)
    .map(([name, option]) => (option.required ? `<${name}>` : `[--${name} "…"]`))
    .join(' ');
}
