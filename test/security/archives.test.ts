import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { IngestionError, toDocument } from '../../src/service/ingestion/document.ts';
import { fromArchived } from '../../src/service/ingestion/kinds/archived.ts';
import { toPassages } from '../../src/service/ingestion/passages.ts';
import { p, toDocx } from '../fixtures/documents/office.ts';
import { toZip, type ZipEntry } from '../fixtures/documents/zip.ts';

const secret = 'what-only-this-file-says';
const folder = mkdtempSync(join(tmpdir(), 'causeway-secret-'));
const file = join(folder, 'secret.txt');
writeFileSync(file, secret);
afterAll(() => rmSync(folder, { recursive: true }));

/** The text of an archive, or why it is refused. */
async function read(bytes: Uint8Array): Promise<string> {
  try {
    const document = toDocument(await fromArchived(bytes));
    return toPassages(document)
      .map(({ text }) => text)
      .join('\n');
  } catch (error) {
    if (error instanceof IngestionError) return `refused: ${error.message}`;
    throw error;
  }
}

const types =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const wordBody = (inner: string) =>
  `<w:document xmlns:w="w"><w:body>${p(inner)}</w:body></w:document>`;
const odtBody = (inner: string) =>
  `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:p>${inner}</text:p></office:text></office:body></office:document-content>`;
const book =
  '<package><manifest><item id="a" href="a" media-type="html"/></manifest><spine><itemref idref="a"/></spine></package>';
const container = (inner: string) => `<container>${inner}<rootfile full-path="p.opf"/></container>`;
const chapter = '<html><body><p>A chapter about lighthouses.</p></body></html>';

/** Where XML is read: archives whose text begins with a prolog and contains a reference. */
const places: Record<string, (prolog: string, inner: string) => Record<string, string>> = {
  'the types of a docx': (prolog, inner) => ({
    '[Content_Types].xml': prolog + types.replace('<Types>', `<Types>${inner}`),
    'word/document.xml': wordBody('A text.'),
  }),
  'the body of a docx': (prolog, inner) => ({
    '[Content_Types].xml': types,
    'word/document.xml': prolog + wordBody(inner),
  }),
  'an OpenDocument text': (prolog, inner) => ({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': prolog + odtBody(inner),
  }),
  'the container of a book': (prolog, inner) => ({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': prolog + container(inner),
    'p.opf': book,
    a: chapter,
  }),
  'a chapter of a book': (prolog, inner) => ({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': container(''),
    'p.opf': book,
    a: prolog + chapter.replace('A chapter', `A chapter ${inner}`),
  }),
};

const laughs = ['<!ENTITY a0 "ha ha ha ha ha">'];
for (let level = 1; level < 12; level += 1) {
  laughs.push(`<!ENTITY a${level} "${`&a${level - 1};`.repeat(10)}">`);
}

const attacks: Record<string, [prolog: string, inner: string]> = {
  'a file': [`<!DOCTYPE x [<!ENTITY e SYSTEM "file://${file}">]>`, '&e;'],
  'a file by its path': [`<!DOCTYPE x [<!ENTITY e SYSTEM "${file}">]>`, '&e;'],
  'a file with a public name': [`<!DOCTYPE x [<!ENTITY e PUBLIC "x" "file://${file}">]>`, '&e;'],
  'a file in a parameter': [`<!DOCTYPE x [<!ENTITY % e SYSTEM "file://${file}"> %e;]>`, 'text'],
  'an outer document type': [`<!DOCTYPE x SYSTEM "file://${file}">`, 'text'],
  'a page': ['<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:9/">]>', '&e;'],
  'a billion laughs': [`<!DOCTYPE x [${laughs.join('')}]>`, '&a11;'],
  'an entity that names itself': ['<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]>', '&a;'],
  'one long entity, often': [
    `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(50_000)}">]>`,
    '&a;'.repeat(20_000),
  ],
  'an inclusion': [
    '',
    `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file://${file}" parse="text"/>text`,
  ],
  'a style sheet': [`<?xml-stylesheet type="text/xsl" href="file://${file}"?>`, 'text'],
  'an unknown entity': ['', '&nothing;'],
  'a character that is none': ['', '&#x110000;&#0;&#xd800;'],
  'another encoding': ['<?xml version="1.0" encoding="UTF-7"?>', '+ADw-script+AD4-'],
  'a comment without end': ['', '<!-- '],
  'a section without end': ['', '<![CDATA['],
  'elements without end': ['', '<w:p>'.repeat(20_000)],
  'attributes without end': ['', `<w:t ${'a="b" '.repeat(20_000)}>`],
  'an attribute twice': ['', '<w:t a="1" a="2">x</w:t>'],
};

describe.each(Object.entries(places))('XML in %s', (_, toParts) => {
  test.each(Object.entries(attacks))('names %s', async (__, [prolog, inner]) => {
    const text = await read(toZip(toParts(prolog, inner)));
    expect(text).not.toBe('');
    expect(text).not.toContain(secret);
    expect(text.length).toBeLessThan(200_000);
    expect(text).not.toMatch(/ha ha ha ha haha|x{60000}/);
  });
});

const good: ZipEntry[] = [
  { name: '[Content_Types].xml', content: types },
  { name: 'word/document.xml', content: wordBody('A text about lighthouses.') },
];

const symlink = 0o120777;

test.each<[string, ZipEntry[]]>([
  ['that climbs', [{ name: '../../../../tmp/causeway-was-here.txt', content: 'x' }]],
  ['that is absolute', [{ name: '/tmp/causeway-was-here.txt', content: 'x' }]],
  ['that climbs on Windows', [{ name: '..\\..\\causeway-was-here.txt', content: 'x' }]],
  ['that names a drive', [{ name: 'C:/causeway-was-here.txt', content: 'x' }]],
  ['with a zero byte', [{ name: 'a\0.txt', content: 'x' }]],
  ['that is a property of every object', [{ name: '__proto__', content: 'x' }]],
  ['that is a link', [{ name: 'word/header.xml', content: file, mode: symlink }]],
  ['that is a folder', [{ name: 'word/', content: '' }]],
  ['of 60,000 letters', [{ name: 'x'.repeat(60_000), content: 'x' }]],
])('an entry %s is not followed', async (_, more) => {
  const text = await read(toZip([...good, ...more]));
  expect(text).toMatch(/^A text about lighthouses\.$|^refused: The file is damaged/);
});

test('a main part that is a link is read as a path, not as XML', async () => {
  const linked = { name: 'word/document.xml', content: file, mode: symlink };
  const text = await read(toZip([...good.slice(0, 1), linked]));
  expect(text).toMatch(/^refused: The file is damaged/);
});

const blank = (bytes: number) => Buffer.alloc(bytes, ' ');
const mebibyte = 1024 * 1024;

test.each<[string, () => Buffer, RegExp]>([
  ['a bomb', () => toDocx(`<!--${' '.repeat(4 * mebibyte)}-->`), /times its size/],
  [
    'a bomb in parts',
    () =>
      toZip(Array.from({ length: 40 }, (_, n) => ({ name: `${n}`, content: blank(mebibyte / 4) }))),
    /times its size/,
  ],
  [
    'a bomb that says it is small',
    () => toZip([{ name: '[Content_Types].xml', content: blank(4 * mebibyte), declaredSize: 100 }]),
    /damaged/,
  ],
  [
    'an entry that says it is huge',
    () => toZip([{ name: '[Content_Types].xml', content: 'x', declaredSize: 2 ** 32 - 2 }]),
    /unpacks to/,
  ],
  [
    'too many entries',
    () => toZip(Array.from({ length: 10_001 }, (_, n) => ({ name: `${n}`, content: '' }))),
    /more than 10000 entries/,
  ],
  ['archives in archives', () => toZip({ a: toZip({ a: toZip({ a: toZip({}) }) }) }), /archive/],
  ['nothing', () => toZip({}), /archive/],
  ['half of itself', () => toZip(good).subarray(0, -30), /damaged/],
  ['only its end', () => toZip(good).subarray(-22), /damaged/],
  [
    'two archives after each other',
    () => Buffer.concat([toZip({}), toZip(good)]),
    /damaged|archive/,
  ],
])('an archive of %s is refused', async (_, create, reason) => {
  expect(await read(create())).toMatch(reason);
});
