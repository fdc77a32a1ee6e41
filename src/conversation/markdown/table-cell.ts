const verbatim = /(`+[^`]+`+|\$[^$]+\$)/;
const link = /(!?)\[([^\]]*)\]\(([^()\s]*(?:\([^()\s]*\))*[^()\s]*)(?:\s+"[^"]*")?\)/g;
const strong = /(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g;
const emphasis = /(?<![\p{L}\p{N}*_\\])([*_])(?=\S)([^*_]+)(?<=\S)\1(?![\p{L}\p{N}*_])/gu;
const escaped = /\\([\\`*_{}[\]()#+.!|~<>-])/g;

/**
 * A table's cell as plain text, a line for each `<br>`: marks of emphasis, strike and code are left
 * out, LaTeX stays, links become their text. `links` are the links as they were written.
 */
export function renderCell(cell: string): { lines: string[]; links: string[] } {
  const links: string[] = [];
  const unlinked = cell.replaceAll(link, (whole, image: string, text: string) => {
    if (image === '') links.push(whole);
    return text;
  });
  const parts = unlinked.split(verbatim).map((part, index) => {
    if (index % 2 === 0) return renderMarked(part);
    return part.startsWith('`') ? part.replaceAll(/^`+|`+$/g, '').trim() : part;
  });
  const lines = parts
    .join('')
    .replaceAll('\\|', '|')
    .split(/\s*<br\s*\/?>\s*/i);
  return { lines, links };
}

function renderMarked(text: string): string {
  return text.replaceAll(strong, '$2').replaceAll(emphasis, '$2').replaceAll(escaped, '$1');
}
