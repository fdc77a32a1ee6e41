import { columns } from './list-levels.ts';

/** Fenced code, with the lines that close it in one message and open it again in the next. */
export interface Fence {
  opening: string;
  closing: string;
  /** The run of backticks or tildes. */
  marker: string;
  /** How many quote marks precede each line; a line with fewer ends the code. */
  quotes: number;
  indent: number;
}

const openingLine =
  /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?![ \t]))?)([ \t]*)(?:(`{3,32})(?!`)[^`]*|(~{3,32})(?!~).*)$/;
const closingLine = /^([ \t]*)(`+|~+)$/;

/** Reads a line, without its quote marks, as the start of fenced code. */
export function readFence(line: string, quote: string, insideList: boolean): Fence | undefined {
  const match = openingLine.exec(line);
  if (!match) return undefined;
  const [, item = '', space = '', backticks, tildes] = match;
  if (columns(space) > 3 && !insideList) return undefined;
  const marker = backticks ?? tildes ?? '';
  const indent = ' '.repeat(item.length) + space;
  return {
    opening: quote + indent + line.slice(item.length + space.length),
    closing: quote + indent + marker,
    marker,
    quotes: countQuotes(quote),
    indent: columns(indent),
  };
}

export function closesFence(line: string, fence: Fence): boolean {
  const [, space = '', run] = closingLine.exec(line) ?? [];
  return run !== undefined && run.startsWith(fence.marker) && columns(space) <= fence.indent + 3;
}

export function countQuotes(quote: string): number {
  return quote === '' ? 0 : quote.replaceAll(' ', '').length;
}
