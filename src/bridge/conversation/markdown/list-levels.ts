/** An open list: where its items start, and the correct number of its next item. */
export interface ListLevel {
  /** Columns before the marker. */
  indent: number;
  /** Columns before the item's text. */
  content: number;
  /** The bullet, or the character after the number. */
  delimiter: string;
  /** Only in ordered lists. */
  next?: number;
}

/** A list item, as read from its first line. */
export interface Item {
  /** Its list, as it is after this item. */
  level: ListLevel;
  /** The same list as it was before this item, unless the item starts it. */
  continued?: ListLevel;
  /** The lists it is nested in, outermost first. */
  parents: readonly ListLevel[];
  /** Characters before its number or bullet. */
  marker: number;
  /** Characters before its text. */
  content: number;
  /** The number as written, and the correct one. */
  number?: { written: string; right: number };
}

const itemStart = /^([ \t]*)([-*+]|(\d{1,9})([.)]))([ \t]+)(?=\S)/;

/** Reads a line as a list item below `lists`. An item without text does not count yet. */
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

/** The lists that contain a block with this indentation. */
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
