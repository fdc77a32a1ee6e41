import type { Agent, AgentUpdate } from '../../../shared/api/agent.ts';

type Variable = NonNullable<AgentUpdate['variables']>[number];
type Tag = Extract<NonNullable<AgentUpdate['tags']>, unknown[]>[number];

/** A parsed list, or the part of it that can't be parsed. */
export type Parsed<Item> = { items: Item[] } | { wrong: string };

const types = ['string', 'number', 'boolean'] as const;
const color = /^#[0-9a-f]{6}$/i;

/** The word that, on its own, empties a list. */
export const emptyWord = 'none';

/**
 * Parses typed variables, separated by lines or semicolons: `name | string, number or boolean |
 * description | example | default`; the last two are optional.
 */
export function parseVariables(text: string): Parsed<Variable> {
  return parseItems(text, ([name, type, description = '', example, content]) => {
    const known = types.find((each) => each === type?.toLowerCase());
    if (!name || !known) return undefined;
    return {
      name,
      type: known,
      description,
      ...(example && { example }),
      ...(content && { default_value: { content, static: 0 } }),
    };
  });
}

/** Parses typed tags, separated by lines or semicolons: `name | #rrggbb | criteria`. */
export function parseTags(text: string): Parsed<Tag> {
  return parseItems(text, ([name, code, criteria = '']) =>
    name && code && color.test(code) ? { name, color: code.toLowerCase(), criteria } : undefined,
  );
}

/** Parses typed messages, separated by lines or semicolons. */
export function parseMessages(text: string): string[] {
  return isEmpty(text) ? [] : pieces(text);
}

export function renderVariables({ variables }: Agent): string {
  return variables
    .map(({ name, type, description, example, default_value: value }) =>
      renderItem([name, type, description, example, value?.content ?? '']),
    )
    .join('\n');
}

export function renderTags({ meta }: Agent): string {
  return meta.tags
    .map(({ name, color, criteria }) => renderItem([name, color, criteria]))
    .join('\n');
}

function renderItem(parts: string[]): string {
  const last = parts.findLastIndex((part) => part !== '');
  return parts.slice(0, last + 1).join(' | ');
}

function parseItems<Item>(
  text: string,
  toItem: (parts: string[]) => Item | undefined,
): Parsed<Item> {
  if (isEmpty(text)) return { items: [] };
  const items: Item[] = [];
  for (const piece of pieces(text)) {
    const item = toItem(piece.split('|').map((part) => part.trim()));
    if (item === undefined) return { wrong: piece };
    items.push(item);
  }
  return { items };
}

function pieces(text: string): string[] {
  return text
    .split(/[\n;]/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

function isEmpty(text: string): boolean {
  return text.trim().toLowerCase() === emptyWord;
}
