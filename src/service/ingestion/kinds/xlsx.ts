import type { Archive } from '../archive.ts';
import { type Draft, IngestionError } from '../document.ts';
import { readOfficeTitle, readRelations, readXml, relationIdOf } from '../xml.ts';
import { createOutline } from './outline.ts';
import { createSheet, toSheetBlocks } from './tables.ts';

/**
 * A workbook: each sheet is a table under its name, with the last computed values. Hidden sheets
 * are left out.
 *
 * @param main the name of its main part
 */
export async function fromXlsx(archive: Archive, main: string): Promise<Draft> {
  const relations = await readRelations(archive, main);
  const partOf = (type: string) =>
    relations.values().find((relation) => relation.type.endsWith(type))?.target ?? '';
  const { sheets, is1904 } = await readWorkbook(archive, main, relations);
  const strings = await readStrings(archive, partOf('/sharedStrings'));
  const formatOf = await readFormats(archive, partOf('/styles'));
  const outline = createOutline();
  const toText = ({ type, style, value }: Cell): string => {
    if (type === 's' && value !== '' && strings.length === 0) {
      throw new IngestionError('workbook_without_texts');
    }
    if (type === 's') return withoutEscapes(strings[Number(value)] ?? '');
    if (type === 'b') return value === '1' ? 'true' : 'false';
    if (type === 'e') return '';
    const isNumber = type === 'n' && value !== '' && Number.isFinite(Number(value));
    if (!isNumber) return withoutEscapes(value);
    const number = Number(value);
    const format = formatOf(style);
    if (format === 'date') return toDateText(number, is1904);
    if (format === 'duration') return toDurationText(number);
    return format === 'percent' ? `${toDigits(number * 100)}%` : toDigits(number);
  };
  for (const { name, part } of sheets) {
    outline.heading(1, name);
    const rows = await readSheet(archive, part, toText);
    for (const text of toSheetBlocks(rows)) outline.block(text);
  }
  const title = await readOfficeTitle(archive);
  return { ...outline.draft(''), title };
}

/**
 * Text with the characters that XML can't hold: "_x000D_" is a line's end, and "_x005F_" an underscore
 * (ECMA-376 part 1, 22.9.2.19). Control characters become spaces.
 */
function withoutEscapes(text: string): string {
  return text.replace(/_x([\da-fA-F]{4})_/gu, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)).replace(/\p{Cc}/u, ' '),
  );
}

interface Cell {
  type: string;
  style: number;
  value: string;
}

async function readWorkbook(
  archive: Archive,
  main: string,
  relations: Awaited<ReturnType<typeof readRelations>>,
) {
  const sheets: { name: string; part: string }[] = [];
  let is1904 = false;
  await readXml(archive.pieces(main), {
    open: (element) => {
      const { name, attributes } = element;
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/u.test(attributes['date1904'] ?? '');
      if (name !== 'sheet' || /hidden/iu.test(attributes['state'] ?? '')) return;
      const part = relations.get(relationIdOf(element))?.target;
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

/** What a cell's style shows a number as. */
type Format = 'number' | 'date' | 'duration' | 'percent';

/** The built-in formats that show dates, times, durations and percentages (ECMA-376 part 1, 18.8.30). */
const builtInDates = [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47];
const builtInDuration = 46;
const builtInPercents = [9, 10];
/** Hours, minutes or seconds in brackets are counted on: 38 hours, not 14 hours of the next day. */
const durationPattern = /\[(?:h+|m+|s+)\]/iu;
const quotedOrBracketedPattern = /"[^"]*"|\\.|\[[^[\]]*\]/gu;

/** Reads the formats of the cell styles. */
async function readFormats(archive: Archive, part: string): Promise<(style: number) => Format> {
  const formats = new Map<number, Format>([
    ...builtInDates.map((id) => [id, 'date'] as const),
    [builtInDuration, 'duration'],
    ...builtInPercents.map((id) => [id, 'percent'] as const),
  ]);
  const styles: number[] = [];
  let inCellFormats = false;
  await readXml(archive.pieces(part), {
    open: ({ name, attributes }) => {
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') {
        const { formatCode = '' } = attributes;
        const code = formatCode.replace(quotedOrBracketedPattern, '');
        if (durationPattern.test(formatCode)) formats.set(id, 'duration');
        else if (/[dhmsy]/iu.test(code)) formats.set(id, 'date');
        else if (code.includes('%')) formats.set(id, 'percent');
      } else if (name === 'cellXfs') inCellFormats = true;
      else if (name === 'xf' && inCellFormats) styles.push(id);
    },
    close: (name) => {
      if (name === 'cellXfs') inCellFormats = false;
    },
  });
  return (style) => formats.get(styles[style] ?? 0) ?? 'number';
}

/** A number with the 15 digits that Excel counts: it stores 0.58 as 0.57999999999999996. */
function toDigits(number: number): string {
  return String(Number(number.toPrecision(15)));
}

const dayMs = 86_400_000;
/** Day 0 of both date systems; the first one counts a 29 February 1900 that never existed. */
const firstDay1900 = Date.UTC(1899, 11, 30);
const firstDay1904 = Date.UTC(1904, 0, 1);

/** "2026-03-01", "2026-03-01 09:30", or "09:30" for a time without a date. */
function toDateText(serial: number, is1904: boolean): string {
  const ms = (is1904 ? firstDay1904 : firstDay1900) + Math.round(serial * dayMs);
  if (serial < 0 || Number.isNaN(new Date(ms).getTime())) return String(serial);
  const [day = '', time = ''] = new Date(ms).toISOString().split('T');
  const clock = time.slice(0, time.startsWith(':00', 5) ? 5 : 8);
  if (serial < 1) return clock;
  return serial % 1 === 0 ? day : `${day} ${clock}`;
}

/** "38:30", or "38:30:05" */
function toDurationText(days: number): string {
  const total = Math.round(Math.abs(days) * (dayMs / 1000));
  if (!Number.isSafeInteger(total)) return String(days);
  const pad = (count: number) => String(count).padStart(2, '0');
  const hours = Math.floor(total / 3600);
  const minutes = pad(Math.floor(total / 60) % 60);
  const seconds = total % 60 === 0 ? '' : `:${pad(total % 60)}`;
  return `${days < 0 ? '-' : ''}${hours}:${minutes}${seconds}`;
}
