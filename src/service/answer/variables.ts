import type { AgentRecord } from '../store/agent-store.ts';
import type { SessionRecord } from '../store/session-store.ts';

export type AgentVariable = AgentRecord['settings']['variables'][number];
type Value = string | number | boolean;

/**
 * What is known in a session of an agent's variables, by name: what the session's creator gave comes
 * first, for nobody can talk that away; then what the conversation told; then the default.
 */
export function toKnownValues(agent: AgentRecord, session: SessionRecord): Map<string, Value> {
  const known = new Map<string, Value>();
  for (const variable of agent.settings.variables) {
    const { name } = variable;
    const isLearned = isLearnable(variable, session) && Object.hasOwn(session.learned, name);
    const value = isLearned ? session.learned[name] : toDefault(variable);
    if (value !== undefined) known.set(name, value);
  }
  for (const [name, value] of Object.entries(session.variables)) known.set(name, value);
  return known;
}

/** Whether the conversation may give the variable its value: not a static one, nor one given before. */
export function isLearnable(
  { name, default_value }: AgentVariable,
  session: SessionRecord,
): boolean {
  return default_value?.static !== 1 && !Object.hasOwn(session.variables, name);
}

const unknownValue = 'unknown';
const placeholderPattern = /\{\{\s*([^{}]{1,200}?)\s*\}\}/g;

/** The prompt with `{{name}}` replaced by that variable's value; other braces stay as they are. */
export function fillIn(
  prompt: string,
  agent: AgentRecord,
  known: ReadonlyMap<string, Value>,
): string {
  const names = new Set(agent.settings.variables.map(({ name }) => name));
  return prompt.replace(placeholderPattern, (placeholder, name: string) => {
    const value = known.get(name);
    if (value !== undefined) return toLine(value);
    return names.has(name) ? unknownValue : placeholder;
  });
}

/** The variables with a value, a line each; '' where none has one. */
export function renderKnown(agent: AgentRecord, known: ReadonlyMap<string, Value>): string {
  const lines = agent.settings.variables.flatMap(({ name, description }) => {
    const value = known.get(name);
    return value === undefined ? [] : [`- ${name} (${description}): ${toLine(value)}`];
  });
  return lines.length === 0 ? '' : ['What is known of the user:', ...lines].join('\n');
}

/** A value of the variable's type, or undefined where `value` is none. */
export function toTyped(type: AgentVariable['type'], value: unknown): Value | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return undefined;
  }
  const text = toLine(value);
  if (text === '') return undefined;
  if (type === 'string') return text;
  if (type === 'number') {
    const number = typeof value === 'boolean' ? Number.NaN : Number(text);
    return Number.isFinite(number) ? number : undefined;
  }
  if (/^(?:true|yes|1)$/i.test(text)) return true;
  return /^(?:false|no|0)$/i.test(text) ? false : undefined;
}

function toDefault({ type, default_value }: AgentVariable): Value | undefined {
  const content = default_value?.content;
  return content === undefined ? undefined : (toTyped(type, content) ?? content);
}

const maxCharacters = 500;

/** On one line and no longer than a value needs to be: part of it was said by anyone. */
function toLine(value: Value): string {
  return String(value).replaceAll(/\s+/g, ' ').trim().slice(0, maxCharacters);
}
