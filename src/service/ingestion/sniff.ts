import { extname } from 'node:path';
import type { RefusedKind } from '../../shared/problems/problem.ts';
import { decodeText } from './decode.ts';

/** File types that are text. */
type TextKind = 'text' | 'markdown' | 'html' | 'csv' | 'json' | 'rtf' | 'eml';

/** All readable types. For archives, their entries tell the exact type. */
export type FileKind = TextKind | 'pdf' | 'archived';

/** The result: a readable type, or an unsupported one. */
export type Sniffed = { kind: FileKind } | { refused: RefusedKind };

/** What a file's sender says about it. */
export interface Named {
  /** Its original name; never a path to open. */
  fileName: string;
  /** As declared. Text takes its charset from it, unless it has a byte order mark. */
  contentType?: string;
}

/** The first bytes of unsupported types, as Latin-1; `?` matches any byte. */
const refusedSignatures: [RefusedKind, string[]][] = [
  ['split_archive', ['PK\x05\x06', 'PK\x07\x08']],
  ['old_office', ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1']],
  [
    'image',
    [
      '\x89PNG',
      '\xff\xd8\xff',
      'GIF8',
      'BM????\0\0\0\0',
      'II*\0',
      'MM\0*',
      'RIFF????WEBP',
      '????ftypavif',
      '????ftypheic',
      '????ftypmif1',
    ],
  ],
  [
    'sound',
    [
      'ID3\x02',
      'ID3\x03',
      'ID3\x04',
      'OggS\0',
      'fLaC\0',
      'RIFF????WAVE',
      '\xff\xfb',
      '\xff\xf3',
      '\xff\xf2',
    ],
  ],
  ['video', ['????ftyp', '\x1aE\xdf\xa3', 'RIFF????AVI ']],
  [
    'compressed',
    ['\x1f\x8b', 'BZh?1AY&SY', '7z\xbc\xaf\x27\x1c', '\xfd7zXZ\0', '\x28\xb5\x2f\xfd', 'Rar!'],
  ],
  ['program', ['\x7fELF', 'MZ\x90\0', '\xca\xfe\xba\xbe', '\xcf\xfa\xed\xfe', '\0asm']],
  ['database', ['SQLite format 3\0']],
];

const sniffedBytes = 16_384;
/** Of a mail, in characters. */
const maxHead = 8192;
const mailHeaderPattern =
  /^(?:from|to|subject|date|message-id|mime-version|received|return-path|delivered-to|content-type|x-[\w-]+|dkim-signature)\s*:/iu;
const markdownPatterns = [
  /^#{1,6} \S/mu,
  /^(?:```|~~~(?!~))/mu,
  /\[[^[\]\n]+\]\([^()\s]+[()\s]/u,
  /^[ \t]*(?:\|[ \t]*)?:?-{3,}:?[ \t]*\|/mu,
  /\*\*\S[^*\n]*\*\*/u,
  /^[ \t]*[-*] \S/mu,
];

const markdownNames = [['.md', '.markdown', '.mdx', '.mkd'], /markdown/iu] as const;
/** Not "[1] a footnote", nor "[[a link]]". */
const jsonBeginPattern =
  /^(?:\{\s*"|(?:\[\s*){1,3}(?:[{"]|(?:true|false|null|-?\d[\d.e+-]*)\s*[,\]]\s*[^\s\p{L}]))/u;

/**
 * Detects a file's type from its first bytes. Its name and declared type count only if the text is
 * ambiguous: Markdown or plain text, a table or prose with commas.
 */
export function sniff(head: Uint8Array, named: Named): Sniffed {
  const bytes = head.subarray(0, sniffedBytes);
  if (beginsWith(bytes, '%PDF-')) return { kind: 'pdf' };
  if (beginsWith(bytes, 'PK\x03\x04')) return { kind: 'archived' };
  const known = refusedSignatures.find(([, signatures]) =>
    signatures.some((signature) => beginsWith(bytes, signature)),
  );
  if (known) return { refused: known[0] };
  if (isBinary(bytes)) return { refused: 'binary' };

  const text = decodeText(bytes, named.contentType).trimStart();
  if (/<(?:urlset|sitemapindex)[\s>]/u.test(text)) return { refused: 'sitemap' };
  if (text.startsWith('{\\rtf')) return { kind: 'rtf' };
  if (isHtml(text)) return { kind: 'html' };
  if (isMail(text)) return { kind: 'eml' };
  if (/^[[{]/u.test(text) && isJson(text, named)) return { kind: 'json' };
  if (isTable(text, named)) return { kind: 'csv' };
  return { kind: isMarkdown(text, named) ? 'markdown' : 'text' };
}

function beginsWith(bytes: Uint8Array, signature: string): boolean {
  return Array.from(signature, (character, index) => [character, bytes[index]] as const).every(
    ([character, byte]) => character === '?' || character.charCodeAt(0) === byte,
  );
}

function isBinary(bytes: Uint8Array): boolean {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (wide) return false;
  const controls = bytes.filter(
    (byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32),
  );
  return bytes.includes(0) || controls.length > bytes.length / 50;
}

function isHtml(text: string): boolean {
  const begin = text.replace(/^(?:<\?xml[^>]*>|<!--[\s\S]*?-->|\s)+/u, '');
  if (/^<(?:!doctype\s+html|html|head|body)\b/iu.test(begin)) return true;
  return (
    /^<(?:div|p|h[1-6]|main|article|section|table|ul|ol|title|meta|script|style)\b/iu.test(begin) &&
    /<\/\w+>/u.test(begin)
  );
}

function isMail(text: string): boolean {
  const [head = ''] = text.split('\n\n', 1);
  // Of long headers, the last line may be cut.
  const whole = head.length > maxHead ? head.slice(0, head.lastIndexOf('\n', maxHead)) : head;
  const lines = whole.split('\n');
  const headers = lines.filter((line) => mailHeaderPattern.test(line)).length;
  return headers >= 3 && lines.every((line) => /^(?:[\w-]+\s*:|[ \t]|From )/u.test(line));
}

function isJson(text: string, named: Named): boolean {
  return (
    isNamed(named, ['.json', '.jsonl', '.ndjson'], /json/iu) ||
    (!isNamed(named, ...markdownNames) && jsonBeginPattern.test(text))
  );
}

/** Rows with the same number of the same separator, in a file named like a table. */
function isTable(text: string, named: Named): boolean {
  if (!isNamed(named, ['.csv', '.tsv', '.tab'], /csv|tab-separated/iu)) return false;
  return [',', ';', '\t', '|'].some((separator) => text.split('\n', 1)[0]?.includes(separator));
}

function isMarkdown(text: string, named: Named): boolean {
  if (isNamed(named, ...markdownNames)) return true;
  return markdownPatterns.filter((sign) => sign.test(text)).length >= 2;
}

function isNamed(named: Named, extensions: readonly string[], type: RegExp): boolean {
  return (
    extensions.includes(extname(named.fileName).toLowerCase()) || type.test(named.contentType ?? '')
  );
}
