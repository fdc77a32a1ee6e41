import { shorten } from '../primitives/shorten.ts';
import type { Change } from './command.ts';
import { escapeMarkdown } from './markdown.ts';

/** Three of these fit into one message on every platform. */
const longestLine = 600;
const longestName = 80;
const longestValue = 60;

/** A change in one line: who, where, what, and each value before and after. */
export function renderChange(
  about: { who: string; where: string | undefined; command: string },
  { what, before = {}, after = {} }: Change,
): string {
  const { who, where, command } = about;
  const name = what.name ? `**${toText(what.name, longestName)}**` : `\`${what.uuid}\``;
  const parts = [
    `**${toText(who, longestName)}**`,
    ...(where === undefined ? [] : [toText(where, longestName)]),
    `\`${command}\` ${name}`,
    ...renderValues(before, after),
  ];
  return shorten(parts.join(' · '), longestLine);
}

function renderValues(before: object, after: object): string[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].flatMap((key) => {
    const values = [old, now].filter((side) => side.has(key)).map((side) => side.get(key));
    if (values.every(isBlank)) return [];
    return `${toText(key, longestName)}: ${values.map(toValue).join(' → ')}`;
  });
}

function isBlank(value: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty || value === undefined || value === null || value === '';
}

function toValue(value: unknown): string {
  if (isBlank(value)) return '–';
  return toText(typeof value === 'string' ? value : JSON.stringify(value), longestValue);
}

function toText(text: string, most: number): string {
  return escapeMarkdown(shorten(text, most));
}
