export const rowsPerBlock = 100;

/** The rows of a table as texts; a long one is split, each part with the column names. */
export function toTableBlocks(rows: string[][]): string[] {
  const [header = [], ...body] = rows;
  if (body.length === 0) return [toTableText([header])];
  const texts: string[] = [];
  for (let from = 0; from < body.length; from += rowsPerBlock) {
    texts.push(toTableText([header, ...body.slice(from, from + rowsPerBlock)]));
  }
  return texts;
}

/**
 * A table as a list with an item per row, so that a row can be found and quoted alone: "- Port:
 * 3000" for two columns, "- Port – Default: 3000; Meaning: where it listens" for more. The first
 * row has the column names, which introduce the list: "Name, Default, Meaning:".
 */
export function toTableText(rows: string[][]): string {
  const [header = [], ...body] = rows.map((row) =>
    row.map((cell) => cell.replace(/\s+/gu, ' ').trim()),
  );
  const names = header.filter((cell) => cell !== '');
  if (body.length === 0) return names.join(' – ');
  const items = body.map((row) => toRowText(header, row)).filter((line) => line !== '');
  return [...(names.length > 0 ? [`${names.join(', ')}:`] : []), ...items].join('\n');
}

function toRowText(header: string[], row: string[]): string {
  const [name = '', ...rest] = row;
  const [only] = rest;
  if (name !== '' && rest.length === 1) return only === '' ? `- ${name}` : `- ${name}: ${only}`;
  const from = name === '' ? 0 : 1;
  const cells = row.slice(from).flatMap((cell, index) => {
    const label = header[from + index] ?? '';
    if (cell === '') return [];
    return label === '' ? [cell] : [`${label}: ${cell}`];
  });
  if (cells.length === 0) return name === '' ? '' : `- ${name}`;
  return name === '' ? `- ${cells.join('; ')}` : `- ${name} – ${cells.join('; ')}`;
}
