import { expect, test } from 'vitest';
import {
  maxEntries,
  maxUnpackedBytes,
  openArchive,
} from '../../../src/service/ingestion/archive.ts';
import { toZip } from '../../fixtures/documents/zip.ts';

test('gives an entry’s text, of either encoding of XML, and nothing for one that is not there', async () => {
  const archive = await openArchive(
    toZip({
      'a.xml': '\ufeffGrüße',
      'b.xml': Buffer.from('\ufeffGrüße', 'utf16le'),
    }),
  );
  expect(await archive.text('a.xml')).toBe('Grüße');
  expect(await archive.text('b.xml')).toBe('Grüße');
  expect(await archive.text('c.xml')).toBe('');
  expect([archive.has('a.xml'), archive.has('c.xml')]).toEqual([true, false]);
});

const page = Buffer.alloc(1024 * 1024 - 100, 'some words that pack well ');

test.each([
  [
    'many entries',
    Array.from({ length: maxEntries + 1 }, (_, index) => ({ name: `${index}`, content: '' })),
    /more than 10000 entries/,
  ],
  [
    'entries that unpack to too much',
    Array.from({ length: 300 }, (_, index) => ({ name: `${index}`, content: page })),
    /unpacks to 300(?:\.\d)? MB/,
  ],
  [
    'entries that unpack to far more than they are',
    [{ name: 'a', content: Buffer.alloc(50_000_000) }],
    /unpacks to 10\d\d times its size/,
  ],
  [
    'a size that no file has',
    [{ name: 'a', content: '', declaredSize: maxUnpackedBytes + 1 }],
    /unpacks to [\d,.]+ [MG]B/,
  ],
])('refuses %s', async (_name, entries, message) => {
  await expect(openArchive(toZip(entries))).rejects.toMatchObject({
    problem: { code: 'archive_too_large' },
    message: expect.stringMatching(message),
  });
});

test('stops where an entry unpacks to more than it says', async () => {
  const bytes = toZip([{ name: 'a', content: Buffer.alloc(5_000_000), declaredSize: 100 }]);
  const archive = await openArchive(bytes);
  await expect(archive.text('a')).rejects.toMatchObject({ problem: { code: 'archive_damaged' } });
});

test('counts what is unpacked, however often one entry is read', async () => {
  const content = Buffer.alloc(
    30_000_000,
    Array.from({ length: 900 }, (_, index) => index % 251).toString(),
  );
  const archive = await openArchive(toZip([{ name: 'a', content }]));
  const readAll = async () => {
    for (let times = 0; times < 9; times++) for await (const _ of archive.pieces('a'));
  };
  await expect(readAll()).rejects.toMatchObject({ problem: { code: 'archive_too_large' } });
});

test('refuses names that lead out of the archive', async () => {
  await expect(openArchive(toZip({ '../../etc/passwd': 'x' }))).rejects.toMatchObject({
    problem: { code: 'archive_damaged' },
  });
});
