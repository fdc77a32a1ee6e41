import type { Change } from '../command.ts';
import { escapeMarkdown } from '../markdown.ts';
import { shorten } from '../../../shared/primitives/shorten.ts';

/** Three lines of this length fit into one message on every platform. */
const maxLineLength = 600;
const maxNameLength = 80;
const maxValueLength = 60;

/** Renders a change in one line: who, where, what, and each value before and after. */
export function renderChange(
  about: { who: string; where: string | undefined; command: string },
  { what, before = {}, after = {} }: Change,
): string {
  const { who, where, command } = about;
  const name = what.name ? `**${toText(what.name, maxNameLength)}**` : `\`${what.uuid}\``;
  const parts = [
    `**${toText(who, maxNameLength)}**`,
    ...(where === undefined ? [] : [toText(where, maxNameLength)]),
    `\`${command}\` ${name}`,
    ...renderValues(before, after),
  ];
  return shorten(parts.join(' · '), maxLineLength);
}

function renderValues(before: object, after: object): string[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].flatMap((key) => {
    const values = [old, now].filter((side) => side.has(key)).map((side) => side.get(key));
    if (values.every(isBlank)) return [];
    return `${toText(key, maxNameLength)}: ${values.map(toValue).join(' → ')}`;
  });
}

function isBlank(value: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty || value === undefined || value === null || value === '';
}

function toValue(value: unknown): string {
  if (isBlank(value)) return '–';
  return toText(typeof value === 'string' ? value : JSON.stringify(value), maxValueLength);
}

function toText(text: string, maxLength: number): string {
  return escapeMarkdown(shorten(text, maxLength));
}
