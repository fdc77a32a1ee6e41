/** The part of a line that matters here. */
interface Line {
  text: string;
  fence?: object;
  formula?: FormulaLine;
}

/** A line's part in a formula that spans several lines. */
export interface FormulaLine {
  /** `\[` or `$$`, on all lines of it. */
  mark: string;
  /** The text before its first mark. */
  indent: string;
  part: 'open' | 'inside' | 'close';
}

const opening = /^([ \t]*)(\\\[|\$\$)(.*)$/;
const closings: Record<string, string> = { '\\[': '\\]', $$: '$$' };

/**
 * Longer formulas are left as they are, and so are those with an empty line, which LaTeX does not
 * accept.
 */
const maxLines = 40;

/**
 * Reads lines one after another: when the last one ends a formula, marks all lines of it. An
 * unfinished formula is marked only on its first line.
 */
export function createFormulaReader(): (lines: Line[], isLast: boolean) => void {
  /** The index of the line that opened a formula, by its mark. */
  const begun = new Map<string, number>();

  function forget(lines: readonly Line[]): void {
    for (const index of begun.values()) unmark(lines[index]);
    begun.clear();
  }

  /** Whether the line ends an open formula. */
  function readEnd(lines: readonly Line[], line: Line): boolean {
    for (const [mark, index] of begun) {
      if (line.text.includes(closings[mark] ?? '')) {
        const whole = lines.slice(index);
        const formula = whole[0]?.formula;
        forget(lines);
        if (formula) markLines(whole, formula);
        return true;
      }
      if (lines.length - index < maxLines) continue;
      unmark(lines[index]);
      begun.delete(mark);
    }
    return false;
  }

  return (lines, isLast) => {
    const line = lines.at(-1);
    const match = line && opening.exec(line.text);
    if (!line || (begun.size === 0 && !match)) return;
    const isBroken = line.text === '' && !isLast;
    if (line.fence || line.text.includes('`') || isBroken) return forget(lines);
    if (readEnd(lines, line) || !match) return;
    const [, indent = '', mark = '', first = ''] = match;
    if (first.includes(closings[mark] ?? '') || begun.has(mark)) return;
    begun.set(mark, lines.length - 1);
    line.formula = { mark, indent, part: 'open' };
  };
}

function unmark(line: Line | undefined): void {
  if (line) line.formula = undefined;
}

function markLines(lines: readonly Line[], formula: FormulaLine): void {
  for (const [index, line] of lines.entries()) {
    const part = index === 0 ? 'open' : index === lines.length - 1 ? 'close' : 'inside';
    line.formula = { ...formula, part };
  }
}

/** Whether the formula that a line opens has an end: the line below it is inside or its last. */
export function isWholeFormula(line: Line, below: Line | undefined): boolean {
  return (
    line.formula?.part === 'open' && below?.formula !== undefined && below.formula.part !== 'open'
  );
}

/** A line of a formula as code: its marks become fences. */
export function fenceFormulaLine({ text, formula }: Line): string[] {
  const { mark = '', indent = '', part } = formula ?? {};
  if (part === 'inside') return [text];
  if (part === 'open') {
    const first = text.slice(indent.length + mark.length).trim();
    return [`${indent}\`\`\``, ...(first ? [indent + first] : [])];
  }
  const closing = closings[mark] ?? '';
  const at = text.indexOf(closing);
  const last = text.slice(0, at) + text.slice(at + closing.length).trimEnd();
  return [...(last.trim() ? [last] : []), `${indent}\`\`\``];
}
