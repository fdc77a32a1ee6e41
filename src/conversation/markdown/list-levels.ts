/** A list that is open: where its items begin, and the number its next item has by right. */
export interface ListLevel {
  /** Columns before the marker. */
  indent: number;
  /** Columns before the item's text. */
  content: number;
  /** The bullet, or what stands behind the number. */
  delimiter: string;
  /** Only in ordered lists. */
  next?: number;
}

/** An item of a list, as its first line shows it. */
export interface Item {
  /** The list it belongs to, as it is behind this item. */
  level: ListLevel;
  /** The same list as it was before, unless the item begins it. */
  continued?: ListLevel;
  /** The lists it is nested in, outermost first. */
  parents: readonly ListLevel[];
  /** Characters before its number or bullet. */
  marker: number;
  /** Characters before its text. */
  content: number;
  /** The number as written, and the one by right. */
  number?: { written: string; right: number };
}

const itemStart = /^([ \t]*)([-*+]|(\d{1,9})([.)]))([ \t]+)(?=\S)/;

/** Reads a line as a list item that stands below `lists`. An item without text is none yet. */
export function readItem(line: string, lists: readonly ListLevel[]): Item | undefined {
  const match = itemStart.exec(line);
  if (!match) return undefined;
  const [whole, space = '', marker = '', digits, delimiter = marker] = match;
  const indent = columns(space);
  const parents = levelsAround(indent, lists);
  const before = lists[parents.length];
  const continued = before?.delimiter === delimiter ? before : undefined;
  const level: ListLevel = { indent, content: columns(whole), delimiter };
  const item: Item = { level, parents, marker: space.length, content: whole.length };
  if (continued) item.continued = continued;
  if (digits === undefined) return item;
  const right = Math.max(Number(digits), continued?.next ?? 0);
  return { ...item, level: { ...level, next: right + 1 }, number: { written: digits, right } };
}

/** The lists that a block begun at this indentation is part of. */
export function levelsAround(indent: number, lists: readonly ListLevel[]): readonly ListLevel[] {
  const outside = lists.findIndex((level) => indent < Math.min(level.content, level.indent + 2));
  return outside === -1 ? lists : lists.slice(0, outside);
}

/** The width of a line's indentation; a tab reaches to the next multiple of four. */
export function columns(text: string): number {
  let width = 0;
  for (const character of text) width += character === '\t' ? 4 - (width % 4) : 1;
  return width;
}
