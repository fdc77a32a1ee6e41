const fenceLine = /^[ \t]*(?:`{3,}|~{3,})/;

/**
 * Restores the fences of an excerpt whose passage starts or ends inside code. A fence right below a
 * line closes that line's code; one after a blank line or at the top opens code.
 */
export function withWholeFences(excerpt: string): string {
  const lines = excerpt.split('\n');
  const fences = lines.flatMap((line, index) => (fenceLine.test(line) ? [index] : []));
  const [first] = fences;
  if (first === undefined || fences.length % 2 === 0) return excerpt;
  const mark = fenceLine.exec(lines[first] ?? '')?.[0].trim() ?? '```';
  const closes = first > 0 && lines[first - 1]?.trim() !== '';
  return closes ? `${mark}\n${excerpt}` : `${excerpt}\n${mark}`;
}
