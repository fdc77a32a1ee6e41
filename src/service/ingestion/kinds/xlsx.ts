import { dirname } from 'node:path/posix';
import type { Archive } from '../archive.ts';
import type { Draft } from '../document.ts';
import { readXml } from '../xml.ts';
import { createOutline } from './headings.ts';
import { readOfficeTitle, readRelations } from './office-parts.ts';
import { readDateStyles, toDateText } from './xlsx-dates.ts';
import { createSheet, toSheetBlocks } from './sheet.ts';

/**
 * A workbook: each sheet is a table under its name, with the last computed values. Hidden sheets
 * are left out.
 *
 * @param main the name of its main part
 */
export async function fromXlsx(archive: Archive, main: string): Promise<Draft> {
  const folder = dirname(main);
  const { sheets, is1904 } = await readWorkbook(archive, main);
  const strings = await readStrings(archive, `${folder}/sharedStrings.xml`);
  const isDate = await readDateStyles(archive, `${folder}/styles.xml`);
  const outline = createOutline();
  const toText = ({ type, style, value }: Cell): string => {
    if (type === 's') return strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'true' : 'false';
    if (type === 'e') return '';
    const isNumber = type === 'n' && value !== '' && Number.isFinite(Number(value));
    return isNumber && isDate(style) ? toDateText(Number(value), is1904) : value;
  };
  for (const { name, part } of sheets) {
    outline.heading(1, name);
    const rows = await readSheet(archive, part, toText);
    for (const text of toSheetBlocks(rows)) outline.block(text);
  }
  const title = await readOfficeTitle(archive);
  return { ...outline.draft(''), title };
}

interface Cell {
  type: string;
  style: number;
  value: string;
}

async function readWorkbook(archive: Archive, main: string) {
  const relations = await readRelations(archive, main);
  const sheets: { name: string; part: string }[] = [];
  let is1904 = false;
  await readXml(archive.pieces(main), {
    open: ({ name, attributes, written }) => {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/u.test(attributes['date1904'] ?? '');
      if (name !== 'sheet' || /hidden/iu.test(attributes['state'] ?? '')) return;
      const [, id = ''] = Object.entries(written).find(([key]) => key.endsWith(':id')) ?? [];
      const part = relations.get(id)?.target;
      if (part !== undefined) sheets.push({ name: attributes['name'] ?? '', part });
    },
  });
  return { sheets, is1904 };
}

/** The shared strings that cells refer to by number, without phonetic text. */
async function readStrings(archive: Archive, part: string): Promise<string[]> {
  const strings: string[] = [];
  let isText = false;
  let inPronunciation = false;
  await readXml(archive.pieces(part), {
    open: ({ name }) => {
      if (name === 'si') strings.push('');
      else if (name === 'rPh') inPronunciation = true;
      else if (name === 't') isText = !inPronunciation;
    },
    text: (text) => {
      if (isText) strings.push((strings.pop() ?? '') + text);
    },
    close: (name) => {
      if (name === 'rPh') inPronunciation = false;
      else if (name === 't') isText = false;
    },
  });
  return strings;
}

async function readSheet(
  archive: Archive,
  part: string,
  toText: (cell: Cell) => string,
): Promise<string[][]> {
  const sheet = createSheet();
  let cell: Cell = { type: 'n', style: 0, value: '' };
  let column: number | undefined;
  let isValue = false;
  await readXml(archive.pieces(part), {
    open: ({ name, attributes: { r, t = 'n', s = '0' } }) => {
      if (name === 'row') sheet.openRow();
      else if (name === 'c') {
        cell = { type: t, style: Number(s), value: '' };
        column = r === undefined ? undefined : toColumn(r);
      } else if (name === 'v' || name === 't') isValue = true;
    },
    text: (text) => {
      if (isValue) cell.value += text;
    },
    close: (name) => {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'c') sheet.cell(toText(cell), column);
    },
  });
  return sheet.rows();
}

/** "C7" → 2 */
function toColumn(reference: string): number {
  const letters = /^[A-Z]{1,3}/u.exec(reference)?.[0] ?? 'A';
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
