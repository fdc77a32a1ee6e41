import { type Draft, maxTitleLength } from '../document.ts';
import { fromText } from './text.ts';

const tokenPattern = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z0-9'])|([{}])|([^\\{}\n]+)/giu;

/** Groups without text: font and style tables, pictures, field codes. */
const skippedGroups = new Set(
  'fonttbl colortbl stylesheet listtable listoverridetable info pict object themedata colorschememapping datastore latentstyles generator filetbl revtbl rsidtbl xmlnstbl fldinst header headerl headerr headerf footer footerl footerr footerf bkmkstart bkmkend'.split(
    ' ',
  ),
);
const textByWord: Record<string, string> = {
  par: '\n\n',
  line: '\n',
  sect: '\n\n',
  page: '\n\n',
  tab: '\t',
  cell: ' | ',
  row: '\n',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
};

/** Code pages that encodings are not named after. */
const encodings: Record<number, string> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};
/** By the charset of a font. The others have the code page of the document. */
const codePages: Record<number, number> = {
  0: 1252,
  // Symbols, such as bullets.
  2: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

interface Group {
  hidden: boolean;
  /** Absent: the default one. */
  font?: number;
  /** Number of fallback characters after a \u character, for readers without Unicode. */
  fallback: number;
}

/** Rich text: its words and paragraphs, without formatting. */
export function fromRtf(source: string): Draft {
  const groups: Group[] = [];
  let group: Group = { hidden: false, fallback: 1 };
  let text = '';
  let skip = 0;
  let codePage = 1252;
  let defaultFont = 0;
  const fonts = new Map<number, number>();
  /** Those of a character may come one by one. Each is a character here. */
  let bytes = '';
  const decoders = new Map<number, InstanceType<typeof TextDecoder>>();

  function add(piece: string): void {
    const kept = piece.slice(Math.min(skip, piece.length));
    skip -= piece.length - kept.length;
    if (!group.hidden) text += kept;
  }

  /** @param after plain text, which may begin with the rest of a character */
  function addBytes(after = ''): string {
    if (bytes === '') return after;
    const rest = /^[\0-\x7f]?/u.exec(after)?.[0] ?? '';
    const page = fonts.get(group.font ?? defaultFont) ?? codePage;
    const decoder = decoders.get(page) ?? toDecoder(page);
    decoders.set(page, decoder);
    if (!group.hidden) text += decoder.decode(Buffer.from(bytes + rest, 'latin1'));
    bytes = '';
    return after.slice(rest.length);
  }

  for (const [, word, number, hex, symbol, brace, plain] of source.matchAll(tokenPattern)) {
    if (hex !== undefined) {
      if (skip > 0) skip -= 1;
      else bytes += String.fromCharCode(Number.parseInt(hex, 16));
      continue;
    }
    const literal = /^[\\{}]$/u.exec(symbol ?? '')?.[0] ?? plain;
    if (literal !== undefined) {
      add(addBytes(literal));
      continue;
    }
    addBytes();
    if (brace === '{') {
      groups.push(group);
      const { hidden, fallback, font } = group;
      group = { hidden, fallback, font };
      skip = 0;
    } else if (brace === '}') {
      group = groups.pop() ?? group;
      skip = 0;
    } else if (symbol === '*') group.hidden = true;
    else if (symbol === '~') add(' ');
    else if (symbol === '-') add('');
    else if (symbol !== undefined) add(symbol.trim() === '' ? '\n\n' : symbol);
    else if (word === 'u' && number !== undefined) {
      skip = 0;
      add(String.fromCharCode(Number(number) & 0xff_ff));
      skip = group.hidden ? 0 : group.fallback;
    } else if (word === 'uc') group.fallback = Number(number ?? 1);
    else if (word === 'ansicpg') codePage = Number(number);
    else if (word === 'mac') codePage = 10000;
    else if (word === 'deff') defaultFont = Number(number);
    else if (word === 'f') group.font = Number(number);
    else if (word === 'plain') group.font = undefined;
    else if (word === 'fcharset') {
      const page = codePages[Number(number)];
      if (page !== undefined) fonts.set(group.font ?? 0, page);
    } else if (word !== undefined && skippedGroups.has(word)) group.hidden = true;
    else if (word !== undefined && textByWord[word] !== undefined) add(textByWord[word]);
  }
  addBytes();
  return { ...fromText(text), title: toTitle(source) };
}

function toTitle(source: string): string {
  const info = source.indexOf('{\\info');
  const title = info === -1 ? -1 : source.indexOf('{\\title ', info);
  if (title === -1) return '';
  return (
    /^\{\\title ([^{}\\]*)\}/u.exec(source.slice(title, title + maxTitleLength))?.[1]?.trim() ?? ''
  );
}

function toDecoder(codePage: number): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encodings[codePage] ?? `windows-${codePage}`);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
