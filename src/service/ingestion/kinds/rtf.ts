import { type Draft, maxTitleLength } from '../document.ts';
import { fromText } from './text.ts';

const tokenPattern =
  /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z0-9'])|([{}])|([^\\{}\n]+)|\n/giu;

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

interface Group {
  hidden: boolean;
  /** Number of fallback characters after a \u character, for readers without Unicode. */
  fallback: number;
}

/** Rich text: its words and paragraphs, without formatting. */
export function fromRtf(source: string): Draft {
  const groups: Group[] = [];
  let group: Group = { hidden: false, fallback: 1 };
  let text = '';
  let skip = 0;
  let charset = new TextDecoder('windows-1252');

  function add(piece: string): void {
    const kept = piece.slice(Math.min(skip, piece.length));
    skip -= piece.length - kept.length;
    if (!group.hidden) text += kept;
  }

  for (const [, word, number, hex, symbol, brace, plain] of source.matchAll(tokenPattern)) {
    if (brace === '{') {
      groups.push(group);
      group = { hidden: group.hidden, fallback: group.fallback };
      skip = 0;
    } else if (brace === '}') {
      group = groups.pop() ?? group;
      skip = 0;
    } else if (plain !== undefined) add(plain);
    else if (hex !== undefined) add(charset.decode(Uint8Array.of(Number.parseInt(hex, 16))));
    else if (symbol === '*') group.hidden = true;
    else if (symbol === '~') add(' ');
    else if (symbol === '-') add('');
    else if (symbol !== undefined) add(symbol.trim() === '' ? '\n\n' : symbol);
    else if (word === 'u' && number !== undefined) {
      skip = 0;
      add(String.fromCharCode(Number(number) & 0xff_ff));
      skip = group.hidden ? 0 : group.fallback;
    } else if (word === 'uc') group.fallback = Number(number ?? 1);
    else if (word === 'ansicpg') charset = toDecoder(number);
    else if (word !== undefined && skippedGroups.has(word)) group.hidden = true;
    else if (word !== undefined && textByWord[word] !== undefined) add(textByWord[word]);
  }
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

function toDecoder(codePage: string | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(`windows-${codePage ?? '1252'}`);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
