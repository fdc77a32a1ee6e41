import type { Command } from '../commands/command.ts';
import { type CommandText, readCommandText } from '../commands/adapters/command-text.ts';
import type { Option } from '../commands/option.ts';
import type { Problem } from '../../shared/problems/problem.ts';
import { toReadableText } from './readable-text.ts';

/**
 * Parses the text typed after a slash command. Slack sends channels, people and groups as
 * `<#C1|general>`, `<@U1|ada>` and `<!subteam^S1|@support>` (`should_escape` in
 * docs.slack.dev/interactivity/implementing-slash-commands): options that take one get the id, all
 * others the name.
 */
export function parseCommandText(command: Command, typed: string): CommandText {
  const parsed = readCommandText(command, typed.trim());
  if (parsed.kind === 'usage') {
    return { ...parsed, problem: parsed.problem && toReadableProblem(parsed.problem) };
  }
  const values = Object.entries(parsed.values).map(([name, value]) => [
    name,
    toValue(parsed.action.options[name], value),
  ]);
  return { ...parsed, values: Object.fromEntries(values) };
}

const tokens: Partial<Record<Option['type'], RegExp>> = {
  channel: /^<#([A-Z0-9]+)(?:\|[^<>]*)?>$/,
  person: /^<@([A-Z0-9]+)(?:\|[^<>]*)?>$/,
  group: /^<!subteam\^([A-Z0-9]+)(?:\|[^<>]*)?>$/,
};

/** Text that is not a token for this option stays as typed. */
function toValue(option: Option | undefined, text: string): string {
  const token = option && tokens[option.type];
  return token?.exec(text.trim())?.[1] ?? toReadable(text);
}

/** Replaces tokens in the quoted input with names. */
function toReadableProblem(problem: Problem): Problem {
  if (problem.code === 'no_action') {
    return { ...problem, params: { name: toReadable(problem.params.name) } };
  }
  if (problem.code === 'surplus_text') {
    return { ...problem, params: { text: toReadable(problem.params.text) } };
  }
  return problem;
}

/** Replaces tokens with the names that they contain. */
export function toReadable(text: string): string {
  return toReadableText(text, () => undefined);
}
