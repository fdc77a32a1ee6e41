import type { Command } from '../commands/command.ts';
import { type CommandText, readCommandText } from '../commands/adapters/command-text.ts';
import type { Option } from '../commands/option.ts';
import type { Problem } from '../messages/problem.ts';
import { toReadableText } from './readable-text.ts';

/**
 * Reads what someone typed behind a slash command. Slack gives channels, people and groups as
 * `<#C1|general>`, `<@U1|ada>` and `<!subteam^S1|@support>` there (`should_escape` in
 * docs.slack.dev/interactivity/implementing-slash-commands): for options that take one the id
 * counts, elsewhere the name.
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

/** A text that is no token of the option's stays as it was typed. */
function toValue(option: Option | undefined, text: string): string {
  const token = option && tokens[option.type];
  return token?.exec(text.trim())?.[1] ?? toReadable(text);
}

/** What was typed is told back without tokens. */
function toReadableProblem(problem: Problem): Problem {
  if (problem.code === 'no_action') {
    return { ...problem, params: { name: toReadable(problem.params.name) } };
  }
  if (problem.code === 'surplus_text') {
    return { ...problem, params: { text: toReadable(problem.params.text) } };
  }
  return problem;
}

function toReadable(text: string): string {
  return toReadableText(text, () => undefined);
}
