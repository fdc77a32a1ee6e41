import type { Archive } from '../archive.ts';
import { readXml } from '../xml.ts';

/** The built-in number formats that show dates and times (ECMA-376 part 1, 18.8.30). */
const builtInDates = [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47];
const quotedOrBracketedPattern = /"[^"]*"|\\.|\[[^[\]]*\]/gu;

/** Reads which cell styles format a number as a date. */
export async function readDateStyles(
  archive: Archive,
  part: string,
): Promise<(style: number) => boolean> {
  const dates = new Set(builtInDates);
  const formats: number[] = [];
  let inCellFormats = false;
  await readXml(archive.pieces(part), {
    open: ({ name, attributes }) => {
      const format = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') {
        const code = (attributes['formatCode'] ?? '').replace(quotedOrBracketedPattern, '');
        if (/[dhmsy]/iu.test(code)) dates.add(format);
      } else if (name === 'cellXfs') inCellFormats = true;
      else if (name === 'xf' && inCellFormats) formats.push(format);
    },
    close: (name) => {
      if (name === 'cellXfs') inCellFormats = false;
    },
  });
  return (style) => dates.has(formats[style] ?? 0);
}

const dayMs = 86_400_000;
/** Day 0 of both date systems; the first one counts a 29 February 1900 that never existed. */
const firstDay1900 = Date.UTC(1899, 11, 30);
const firstDay1904 = Date.UTC(1904, 0, 1);

/** "2026-03-01", "2026-03-01 09:30", or "09:30" for a time without a date. */
export function toDateText(serial: number, is1904: boolean): string {
  const ms = (is1904 ? firstDay1904 : firstDay1900) + Math.round(serial * dayMs);
  if (serial < 0 || Number.isNaN(new Date(ms).getTime())) return String(serial);
  const [day = '', time = ''] = new Date(ms).toISOString().split('T');
  const clock = time.slice(0, time.startsWith(':00', 5) ? 5 : 8);
  if (serial < 1) return clock;
  return serial % 1 === 0 ? day : `${day} ${clock}`;
}
