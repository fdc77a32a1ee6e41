import { isUtf8 } from 'node:buffer';
import { decodeText } from '../decode.ts';
import { type Draft, IngestionError } from '../document.ts';
import { fromHtml } from './html.ts';
import { fromText } from './text.ts';

const maxDepth = 10;
const maxParts = 200;
const maxMails = 10_000;
/** The line before each mail of a mailbox; its headers come next. */
const mailboxPattern = /^From .*\n(?=[\w-]+:)/mu;
const encodedWordPattern = /=\?([\w.*-]+)\?([bq])\?([^?]*)\?=/giu;
const encodedWordsPattern = /=\?[\w.*-]+\?[bq]\?[^?]*\?=(?:\s*=\?[\w.*-]+\?[bq]\?[^?]*\?=)*/giu;

/** One may have 70 characters; with tens of thousands, it would be no regular expression. */
const boundaryPattern = /boundary\s*=\s*(?:"([^"]{1,1000})"|([^\s;]{1,1000}))/iu;

/** Its texts have a character for each byte, until they are decoded in their own charset. */
interface Part {
  headers: Map<string, string>;
  body: string;
}

/**
 * An email, or each of a mailbox under its subject.
 * @throws {IngestionError} when a mailbox has too many
 */
export function fromEml(bytes: Uint8Array): Draft {
  const source = Buffer.from(bytes)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/u, '')
    .replace(/\r\n?/gu, '\n')
    .trimStart();
  const mails = source.startsWith('From ')
    ? source.split(mailboxPattern).filter(Boolean)
    : [source];
  if (mails.length > maxMails) {
    const params = { unit: 'entries', count: maxMails } as const;
    throw new IngestionError({ code: 'archive_too_large', params });
  }
  const drafts = mails.map(readMail);
  if (drafts[0] && drafts.length === 1) return drafts[0];
  const blocks = drafts.flatMap(({ title, blocks }) =>
    blocks.map((block) => ({ ...block, headings: [title, ...block.headings].filter(Boolean) })),
  );
  return { title: '', blocks };
}

/** A mail's subject, sender, recipients and date, and its text, preferably the plain one. */
function readMail(source: string): Draft {
  const mail = toPart(source);
  const subject = toHeader(mail, 'subject');
  const about = ['from', 'to', 'date']
    .map((name) => [name, toHeader(mail, name)] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name[0]?.toUpperCase()}${name.slice(1)}: ${value}`)
    .join('\n');
  const content = toContent(mail, { depth: 0, parts: 0 });
  return {
    title: subject,
    blocks: [{ text: about, headings: [] }, ...content],
  };
}

/** A part may have no headers: it begins with the line that ends them. */
function toPart(source: string): Part {
  const text = `\n${source}`;
  const end = text.search(/\n[ \t]*\n/u);
  const head = end === -1 ? text : text.slice(0, end);
  const headers = new Map<string, string>();
  for (const line of head.replace(/\n[ \t]+/gu, ' ').split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trimStart());
  }
  return { headers, body: end === -1 ? '' : text.slice(end).replace(/^\n[ \t]*\n/u, '') };
}

/** The texts of a part. Attachments are left out, because they are added as separate sources. */
function toContent(part: Part, seen: { depth: number; parts: number }): Draft['blocks'] {
  seen.parts += 1;
  if (seen.depth > maxDepth || seen.parts > maxParts) return [];
  if (/^attachment/iu.test(part.headers.get('content-disposition') ?? '')) return [];
  const type = part.headers.get('content-type') ?? 'text/plain';
  const boundary = boundaryPattern.exec(type);
  if (/^multipart\//iu.test(type) && boundary) {
    const parts = toParts(part.body, boundary[1] ?? boundary[2] ?? '');
    const inner = { ...seen, depth: seen.depth + 1 };
    const contents = parts.map((part) => toContent(part, inner));
    seen.parts = inner.parts;
    if (!/^multipart\/alternative/iu.test(type)) return contents.flat();
    return contents.find((content) => content.some(({ text }) => text.trim() !== '')) ?? [];
  }
  if (/^text\/html/iu.test(type)) return fromHtml(decodeBody(part)).blocks;
  return /^text\//iu.test(type) ? fromText(decodeBody(part)).blocks : [];
}

function toParts(body: string, boundary: string): Part[] {
  return `\n${body}`
    .split(new RegExp(`\n--${RegExp.escape(boundary)}(?=(?:--)?[ \\t]*(?:\n|$))`, 'u'))
    .slice(1, maxParts)
    .filter((text) => !text.startsWith('--'))
    .map((text) => toPart(text.replace(/^[^\n]*\n/u, '')));
}

function toHeader({ headers }: Part, name: string): string {
  return decodeWords(decode(headers.get(name) ?? '', headers.get('content-type'))).trim();
}

function decodeBody(part: Part): string {
  const encoding = part.headers.get('content-transfer-encoding')?.trim().toLowerCase() ?? '';
  const type = part.headers.get('content-type');
  if (encoding === 'base64') return decodeText(Buffer.from(part.body, 'base64'), type);
  if (encoding === 'quoted-printable') return decodeText(fromQuotedPrintable(part.body), type);
  return decode(part.body, type);
}

/** Valid UTF-8 is nothing else, whatever the mail says, except where it escapes as in ISO-2022-JP. */
function decode(text: string, type: string | undefined): string {
  const bytes = Buffer.from(text, 'latin1');
  return decodeText(bytes, isUtf8(bytes) && !text.includes('\x1b') ? 'charset=utf-8' : type);
}

function fromQuotedPrintable(text: string): Buffer {
  const decoded = text
    .replace(/=[ \t]*\n/gu, '')
    .replace(/=([\da-f]{2})/giu, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(decoded, 'latin1');
}

/**
 * "=?utf-8?q?Gr=C3=BC=C3=9Fe?=" → "Grüße" (RFC 2047). Mailers cut characters between words, so adjacent
 * words of a charset are decoded together, but for those with escapes (ISO-2022-JP), which are whole.
 */
function decodeWords(header: string): string {
  return header.replace(encodedWordsPattern, (words) => {
    const runs: { charset: string; bytes: Buffer[] }[] = [];
    for (const [, charset = '', encoding, text = ''] of words.matchAll(encodedWordPattern)) {
      const bytes = /b/iu.test(encoding ?? '')
        ? Buffer.from(text, 'base64')
        : fromQuotedPrintable(Buffer.from(text.replaceAll('_', ' ')).toString('latin1'));
      const last = runs.at(-1);
      const isRest = last?.charset === charset.toLowerCase() && !bytes.includes(0x1b);
      if (isRest) last.bytes.push(bytes);
      else runs.push({ charset: charset.toLowerCase(), bytes: [bytes] });
    }
    return runs
      .map(({ charset, bytes }) => decodeText(Buffer.concat(bytes), `charset=${charset}`))
      .join('');
  });
}
