/**
 * A construct at an offset that contains no Markdown: an escaped character, a code span, a formula,
 * a URL. `open` if it may continue after the end of the text, `undecided` if that is unknown,
 * `none` if its marks are plain text up to `content`.
 */
export type Leaf = { kind: LeafKind; content: number } & (
  | { state: 'closed'; contentEnd: number; end: number }
  | { state: 'open' | 'undecided' | 'none' }
);

type LeafKind = 'escape' | 'code' | 'formula' | 'address';

/** Searches a text from left to right, with one pass per sign however often it is called. */
export interface Finder {
  /** The offset of the next `sign`, at or after `from`. */
  next(sign: string, from: number): number | undefined;
  /** The start of the next run of backticks as long as the one from `start` to `end`. */
  nextTicks(start: number, end: number): number | undefined;
}

const dollars = /\$(?![\s\d$])(?:\\.|[^$\\`\n]){1,500}(?<![\s\\])\$(?![\d$])/y;
const halfDollars = /\$(?![\s\d])[^$`\n]{0,500}$/y;
const formulaSign = /[\\^_{}=]/;
const dollarRun = /\$+/y;
/** What has a label, as in Slack's own `<https://a.example|label>`, is text. */
const angled = /<(?:https?:\/\/|mailto:)[^\s<>|]+>/iy;
const halfAngled = /<(?:https?:|mailto:)[^\s<>|]*$/iy;
/**
 * Ends at a bracket that closes around it, one that none in the URL opens, and at a pipe, which may end
 * a cell.
 */
const bareAddress =
  /https?:\/\/(?!\))(?:[^\s<>[\]()`|，。；：！？、（）「」『』【】《》]|\|\|)*(?:\((?:[^\s<>[\]`|，。；：！？、（）「」『』【】《》]|\|\|)*)?/iy;
const escapable = /[!-/:-@[-`{-~]/;
const tickRun = /`+/g;
const maxOpenTicks = 8;
const maxFormula = 500;
const maxDisplay = 4000;

export function readLeaf(text: string, at: number, find: Finder): Leaf | undefined {
  switch (text.charAt(at)) {
    case '\\':
      return readEscape(text, at, find);
    case '`':
      return readCode(text, at, find);
    case '$':
      return readDollars(text, at, find);
    case '<':
      return readAngled(text, at);
    case 'h':
    case 'H':
      return readBareAddress(text, at);
    default:
      return undefined;
  }
}

function readEscape(text: string, at: number, find: Finder): Leaf {
  const next = text[at + 1];
  if (next === '(') return readFormula(text, at, find, '\\)');
  if (next === '[') return readFormula(text, at, find, '\\]');
  const end = Math.min(at + 2, text.length);
  // Before other characters, the backslash is shown too.
  const content = escapable.test(next ?? '') ? at + 1 : at;
  return { kind: 'escape', state: 'closed', content, contentEnd: end, end };
}

/** Between marks of two signs. One line may be shorter than several, which stand by themselves. */
function readFormula(text: string, at: number, find: Finder, closing: string): Leaf {
  const content = at + 2;
  const close = find.next(closing, content);
  const contentEnd = close ?? text.length;
  const length = contentEnd - content;
  const tick = find.next('`', content) ?? Infinity;
  const feed = find.next('\n', content) ?? Infinity;
  const tooLong = length > maxDisplay || (length > maxFormula && feed > contentEnd);
  if (tooLong || length === 0 || tick < contentEnd) {
    const state = close === undefined && length === 0 ? 'open' : 'none';
    return { kind: 'formula', state, content };
  }
  if (close === undefined) return { kind: 'formula', state: 'open', content };
  return { kind: 'formula', state: 'closed', content, contentEnd, end: close + 2 };
}

function readDollars(text: string, at: number, find: Finder): Leaf {
  const run = endOfMatch(dollarRun, text, at) ?? at + 1;
  if (run - at === 2) return readFormula(text, at, find, '$$');
  const none: Leaf = { kind: 'formula', state: 'none', content: run };
  if (run - at > 2) return none;
  const end = endOfMatch(dollars, text, at);
  if (end !== undefined) {
    if (!formulaSign.test(text.slice(run, end - 1))) return none;
    return { kind: 'formula', state: 'closed', content: run, contentEnd: end - 1, end };
  }
  if (find.next('$', run) !== undefined || endOfMatch(halfDollars, text, at) === undefined) {
    return none;
  }
  const likely = formulaSign.test(text.slice(run));
  return { kind: 'formula', state: likely ? 'open' : 'undecided', content: run };
}

function readCode(text: string, at: number, find: Finder): Leaf {
  let content = at + 1;
  while (text[content] === '`') content += 1;
  const close = find.nextTicks(at, content);
  if (close !== undefined) {
    const end = close + content - at;
    return { kind: 'code', state: 'closed', content, contentEnd: close, end };
  }
  return { kind: 'code', state: content - at > maxOpenTicks ? 'none' : 'open', content };
}

function readAngled(text: string, at: number): Leaf | undefined {
  const content = at + 1;
  const end = endOfMatch(angled, text, at);
  if (end !== undefined) {
    return { kind: 'address', state: 'closed', content, contentEnd: end - 1, end };
  }
  if (endOfMatch(halfAngled, text, at) === undefined) return undefined;
  return { kind: 'address', state: 'open', content };
}

/** A URL without trailing punctuation. */
function readBareAddress(text: string, at: number): Leaf | undefined {
  if (/\w/.test(text[at - 1] ?? '')) return undefined;
  const matched = endOfMatch(bareAddress, text, at);
  if (matched === undefined) return undefined;
  let end = matched;
  while (`*_~.,;:!?'"`.includes(text[end - 1] ?? ' ')) end -= 1;
  return { kind: 'address', state: 'closed', content: at, contentEnd: end, end };
}

/** A finder for offsets that never decrease between calls. */
export function createFinder(text: string): Finder {
  const found = new Map<string, number>();
  let ticks: Map<number, number[]> | undefined;

  function readTicks(): Map<number, number[]> {
    const byLength = new Map<number, number[]>();
    for (const { 0: run, index } of text.matchAll(tickRun)) {
      const starts = byLength.get(run.length);
      if (starts) starts.push(index);
      else byLength.set(run.length, [index]);
    }
    for (const starts of byLength.values()) starts.reverse();
    return byLength;
  }

  return {
    next(sign, from) {
      let at = found.get(sign) ?? -1;
      if (at < from) {
        at = text.indexOf(sign, from);
        found.set(sign, at === -1 ? Infinity : at);
      }
      return at === -1 || at === Infinity ? undefined : at;
    },
    nextTicks(start, end) {
      ticks ??= readTicks();
      const starts = ticks.get(end - start) ?? [];
      while ((starts.at(-1) ?? Infinity) < end) starts.pop();
      return starts.at(-1);
    },
  };
}

function endOfMatch(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
