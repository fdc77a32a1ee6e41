import type { AgentRecord } from '../store/agent-store.ts';
import type { SessionRecord } from '../store/session-store.ts';
import type { Fence } from './fence.ts';

export type AgentVariable = AgentRecord['settings']['variables'][number];
type Value = string | number | boolean;

interface KnownValue {
  value: Value;
  /** Whether it is text that the agent's owner did not write. */
  isForeign: boolean;
}

/**
 * The known values of an agent's variables in a session, by name. Those from the session's creator
 * take precedence, so that users can't change them; then those from the conversation; then the
 * defaults.
 */
export function toKnownValues(
  agent: AgentRecord,
  session: SessionRecord,
): ReadonlyMap<string, KnownValue> {
  const known = new Map<string, KnownValue>();
  const addForeign = (name: string, value: Value) =>
    known.set(name, { value, isForeign: typeof value === 'string' });
  for (const variable of agent.settings.variables) {
    const { name } = variable;
    const isLearned = isLearnable(variable, session) && Object.hasOwn(session.learned, name);
    const value = isLearned ? session.learned[name] : toDefault(variable);
    if (value === undefined) continue;
    if (isLearned) addForeign(name, value);
    else known.set(name, { value, isForeign: false });
  }
  for (const [name, value] of Object.entries(session.variables)) addForeign(name, value);
  return known;
}

/** Whether the conversation can set the variable: not if it is static or was set before. */
export function isLearnable(
  { name, default_value }: AgentVariable,
  session: SessionRecord,
): boolean {
  return default_value?.static !== 1 && !Object.hasOwn(session.variables, name);
}

const unknownValue = 'unknown';
const placeholderPattern = /\{\{([^{}]+)\}\}/g;

/**
 * The prompt with `{{name}}` replaced by the variable's value. Names of foreign values stay, and so
 * do other braces.
 */
export function fillIn(
  prompt: string,
  agent: AgentRecord,
  known: ReadonlyMap<string, KnownValue>,
): string {
  const names = new Set(agent.settings.variables.map(({ name }) => name));
  return prompt.replace(placeholderPattern, (placeholder, inner: string) => {
    const name = inner.trim();
    const found = known.get(name);
    if (found === undefined) return names.has(name) ? unknownValue : placeholder;
    return found.isForeign ? placeholder : toLine(found.value);
  });
}

/** For the system message: the variables that have a value, one per line; '' if there are none. */
export function renderKnown(agent: AgentRecord, known: ReadonlyMap<string, KnownValue>): string {
  const lines = agent.settings.variables.flatMap(({ name, description }) => {
    const found = known.get(name);
    if (found === undefined) return [];
    const value = found.isForeign ? 'see the values' : toLine(found.value);
    return [`- ${name} (${description}): ${value}`];
  });
  const texts = lines.length === 0 ? [] : [['What is known of the user:', ...lines].join('\n')];
  const hasForeign = [...known.values()].some(({ isForeign }) => isForeign);
  return (hasForeign ? [...texts, foreignInstruction] : texts).join('\n\n');
}

const foreignInstruction =
  'Where these instructions have a name in double braces, they mean the value of that name in the last message.';

/**
 * The foreign values that the agent's variables or its prompt name, inside the fence; '' if there
 * are none.
 */
export function renderForeign(
  agent: AgentRecord,
  known: ReadonlyMap<string, KnownValue>,
  fence: Fence,
): string {
  const { prompt, variables } = agent.settings;
  const named = [...prompt.matchAll(placeholderPattern)].map(([, inner = '']) => inner.trim());
  const names = new Set([...variables.map(({ name }) => name), ...named]);
  const lines = [...names].flatMap((name) => {
    const found = known.get(name);
    return found?.isForeign ? [`- ${name}: ${toLine(found.value)}`] : [];
  });
  return lines.length === 0 ? '' : fence.wrap('values', lines.join('\n'));
}

/** The value in the variable's type; undefined if it doesn't match. */
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

/** On one line and shortened, because users can put anything into it. */
function toLine(value: Value): string {
  return String(value).replaceAll(/\s+/g, ' ').trim().slice(0, maxCharacters);
}
