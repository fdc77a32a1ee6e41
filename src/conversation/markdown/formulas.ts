/** A formula over several lines, as its own paragraph of LaTeX. */
export type Formula =
  /** The index behind its last line, and its lines as fenced code. */
  | { end: number; rendered: string[] }
  /** The text ends before it does. */
  | 'unfinished';

const opening = /^([ \t]*)(\\\[|\$\$)(.*)$/;
const closings: Record<string, string> = { '\\[': '\\]', $$: '$$' };

/** Longer ones are left as they are; so is one with an empty line in it, which LaTeX does not take. */
const mostLines = 40;

/** The formula that begins at a line, or undefined where none does. */
export function readFormula(lines: readonly string[], index: number): Formula | undefined {
  const [, indent = '', mark = '', first = ''] = opening.exec(lines[index] ?? '') ?? [];
  const closing = closings[mark];
  if (closing === undefined || first.includes(closing) || first.includes('`')) return undefined;
  const content = first.trim() ? [indent + first.trim()] : [];
  for (let end = index + 1; end < index + mostLines; end += 1) {
    const line = lines[end];
    if (line === undefined) return 'unfinished';
    if (line.includes('`')) return undefined;
    const closed = line.indexOf(closing);
    if (closed >= 0) {
      const last = line.slice(0, closed) + line.slice(closed + closing.length).trimEnd();
      if (last.trim()) content.push(last);
      const fence = `${indent}\`\`\``;
      return { end: end + 1, rendered: [fence, ...content, fence] };
    }
    if (line.trim() === '' && end < lines.length - 1) return undefined;
    content.push(line);
  }
  return undefined;
}
