import { h } from './dom.js';
import { renderInline } from './inline.js';

const delimiterPattern = /^ *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;

/**
 * Whether a table begins at a line: its heads, and the dashes below them.
 *
 * @param {string[]} lines
 * @param {number} at
 */
export function isTable(lines, at) {
  return (
    lines[at].includes('|') &&
    at + 1 < lines.length &&
    lines[at + 1].includes('-') &&
    delimiterPattern.test(lines[at + 1])
  );
}

/**
 * The table that begins at a line, if one does, and the line behind it.
 *
 * @param {string[]} lines
 * @param {number} at
 * @param {import('./inline.js').Context} context
 */
export function readTable(lines, at, context) {
  if (context.dialect !== 'markdown' || !isTable(lines, at)) return undefined;
  const heads = readCells(lines[at]);
  let next = at + 2;
  const rows = [];
  while (next < lines.length && lines[next].includes('|')) {
    rows.push(readCells(lines[next]));
    next += 1;
  }
  const row = (cells, tag) =>
    h(
      'tr',
      {},
      ...heads.map((_, index) => h(tag, {}, ...renderInline(cells[index] ?? '', context))),
    );
  const table = h(
    'table',
    {},
    h('thead', {}, row(heads, 'th')),
    h('tbody', {}, ...rows.map((cells) => row(cells, 'td'))),
  );
  return { node: h('div', { class: 'table', tabindex: 0 }, table), next };
}

function readCells(line) {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));
}
