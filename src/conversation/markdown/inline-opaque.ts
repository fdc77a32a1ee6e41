/** Where an opaque stretch ends; without an end where it is still open when the text ends. */
export interface Opaque {
  kind: 'escape' | 'code' | 'math' | 'address' | 'tag';
  end?: number;
  /** What closes it: only of code. */
  mark: string;
  /** Where it begins behind its mark. */
  content: number;
}

const dollars = /\$(?!\s)(?:\\.|[^$\\\n])+(?<!\s)\$(?!\d)/y;
const halfDollars = /^\$(?![\s\d]).*[\\^_{}=]/;
const angled = /<(?:https?:\/\/|mailto:)[^\s<>]*>/y;
const halfAngled = /<(?:https?:|mailto:)[^\s<>]*$/y;
const tag = /<[/@#!a-z][^<>\n]{0,200}>/iy;
const bareAddress = /https?:\/\/[^\s<>|[\]`，。；：！？、（）「」『』【】《》]+/y;
const afterAddress = /[*_~.,;:!?'"]+$/;
const longestRun = 8;

/**
 * The stretch beginning at `at` whose inside is no Markdown: an escaped character, a code span,
 * LaTeX, an address, a tag. Undefined where none begins there.
 */
export function findOpaque(text: string, at: number): Opaque | undefined {
  switch (text.charAt(at)) {
    case '\\':
      return findEscape(text, at);
    case '`':
      return findCode(text, at);
    case '$':
      return findDollars(text, at);
    case '<':
      return findAngled(text, at);
    case 'h':
      return findBareAddress(text, at);
    default:
      return undefined;
  }
}

function findEscape(text: string, at: number): Opaque {
  const next = text[at + 1];
  if (next === '(') return findMath(text, at, '\\)');
  if (next === '[') return findMath(text, at, '\\]');
  return { kind: 'escape', end: Math.min(at + 2, text.length), mark: '', content: at + 1 };
}

function findMath(text: string, at: number, closing: string): Opaque {
  const end = text.indexOf(closing, at + 2);
  const math: Opaque = { kind: 'math', mark: '', content: at + 2 };
  return end === -1 ? math : { ...math, end: end + 2 };
}

function findCode(text: string, at: number): Opaque {
  const content = endOfRun(text, at);
  const mark = text.slice(at, content);
  for (let found = text.indexOf(mark, content); found !== -1;) {
    const end = endOfRun(text, found);
    if (end - found === mark.length) return { kind: 'code', end, mark, content };
    found = text.indexOf(mark, end);
  }
  if (mark.length > longestRun) return { kind: 'escape', end: content, mark: '', content };
  return { kind: 'code', mark, content };
}

function endOfRun(text: string, start: number): number {
  let end = start;
  while (text[end] === '`') end += 1;
  return end;
}

function findDollars(text: string, at: number): Opaque | undefined {
  if (text.startsWith('$$', at)) return findMath(text, at, '$$');
  const end = matchAt(dollars, text, at);
  if (end !== undefined) return { kind: 'math', end, mark: '', content: at + 1 };
  if (text.includes('$', at + 1) || text.includes('\n', at)) return undefined;
  if (!halfDollars.test(text.slice(at))) return undefined;
  return { kind: 'math', mark: '', content: at + 1 };
}

function findAngled(text: string, at: number): Opaque | undefined {
  const end = matchAt(angled, text, at);
  if (end !== undefined) return { kind: 'address', end, mark: '', content: at + 1 };
  const tagEnd = matchAt(tag, text, at);
  if (tagEnd !== undefined) return { kind: 'tag', end: tagEnd, mark: '', content: at + 1 };
  if (matchAt(halfAngled, text, at) === undefined) return undefined;
  return { kind: 'address', mark: '', content: at + 1 };
}

function findBareAddress(text: string, at: number): Opaque | undefined {
  const end = matchAt(bareAddress, text, at);
  if (end === undefined) return undefined;
  let address = text.slice(at, end).replace(afterAddress, '');
  if (address.endsWith(')') && !address.includes('(')) {
    address = address.slice(0, address.indexOf(')'));
  }
  return { kind: 'address', end: at + address.length, mark: '', content: at };
}

function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
