import { expect, test } from 'vitest';
import { decodeText } from '../../../src/service/ingestion/decode.ts';
import { sniff } from '../../../src/service/ingestion/sniff.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

test.each([
  ['Just words.', 'a.txt', 'text'],
  ['# Title\n\nSee [this](that).', 'notes', 'markdown'],
  ['Plain words.', 'a.md', 'markdown'],
  ['\n <!-- x --><!DOCTYPE html><p>Hi', 'a.txt', 'html'],
  ['<div><p>Part of a page</p></div>', 'a', 'html'],
  ['a,b\n1,2', 'a.csv', 'csv'],
  ['Dear all, hello', 'a.txt', 'text'],
  ['{"a": 1}', 'a', 'json'],
  ['[[1, 2], [3]]', 'a', 'json'],
  ['[1, 2]', 'a', 'json'],
  ['[link] is how it begins', 'a.txt', 'text'],
  ['[1] is a footnote', 'a.txt', 'text'],
  ['[[a link]] of a wiki', 'a.txt', 'text'],
  ['[{"a": 1}](x)', 'a.md', 'markdown'],
  ['%PDF-1.7', 'a.txt', 'pdf'],
  ['PK\x03\x04....', 'a.md', 'archived'],
  ['{\\rtf1 Hello}', 'a.doc', 'rtf'],
  ['From: a@b.example\nTo: c@d.example\nSubject: x\n\nHi', 'a', 'eml'],
])('the service detects %j named %s as %s', (content, fileName, kind) => {
  expect(sniff(bytes(content), { fileName })).toEqual({ kind });
});

test('the service detects a mail with long headers, wherever their beginning ends', () => {
  const headers = 'From: a@b.example\nTo: c@d.example\nSubject: x\n';
  const long = 'X-Mailer-Information: yes\n'.repeat(1000);
  for (let length = 0; length < 30; length++) {
    const mail = `${headers}X-Id: ${'1'.repeat(length)}\n${long}\nHi`;
    expect(sniff(bytes(mail), { fileName: 'a.eml' })).toEqual({ kind: 'eml' });
  }
});

test('the service detects a mail whose text is one long line', () => {
  const mail = `From: a@b.example\nTo: c@d.example\nSubject: x\n\n${'Hi. '.repeat(3000)}`;
  expect(sniff(bytes(mail), { fileName: 'a.eml' })).toEqual({ kind: 'eml' });
});

test.each([
  ['PK\x05\x06....', 'a.md', 'split_archive'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'a.docx', 'old_office'],
  ['\x89PNG\r\n', 'a.html', 'image'],
  ['\x1f\x8b\x08', 'a.html', 'compressed'],
  ['\x7fELF\x02', 'a.txt', 'program'],
  ['text with a \0 in it', 'a.txt', 'binary'],
  ['<?xml version="1.0"?><urlset><url/></urlset>', 'sitemap.xml', 'sitemap'],
])('the service refuses %j, whatever its name', (content, fileName, refused) => {
  expect(sniff(bytes(content), { fileName, contentType: 'text/plain' })).toEqual({ refused });
});

test.each([
  ['café', Buffer.from('café'), ''],
  ['café', Buffer.from('\ufeffcafé'), 'text/plain; charset=iso-8859-1'],
  ['café', Buffer.from('\ufeffcafé', 'utf16le'), ''],
  ['café', Buffer.from('café', 'latin1'), ''],
  ['café', Buffer.from('café', 'latin1'), 'text/html; charset=utf-8'],
  ['日本', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'text/html; charset=Shift_JIS'],
  ['café', Buffer.from('café'), 'text/html; charset=no-such-thing'],
  ['one\ntwo\nthree', Buffer.from('one\r\ntwo\rthree'), ''],
])('the service reads %j from its bytes', (text, bytes, contentType) => {
  expect(decodeText(bytes, contentType)).toBe(text);
});

const russian = 'Мы открыты с девяти до шести.';

test.each([
  ['a byte that is none of UTF-8', Buffer.concat([Buffer.from(russian), Buffer.of(0xff)])],
  ['its last character cut', Buffer.from(`${russian}я`).subarray(0, -1)],
])('the service reads UTF-8 with %s, whatever a header says', (_fault, bytes) => {
  expect(decodeText(bytes)).toBe(`${russian}\ufffd`);
  expect(decodeText(bytes, 'text/plain; charset=utf-8')).toBe(`${russian}\ufffd`);
});

test('the service reads windows-1252 where a few of its bytes look like UTF-8', () => {
  const bytes = Buffer.from('Ã© and café, crème, naïve', 'latin1');
  expect(decodeText(bytes)).toBe('Ã© and café, crème, naïve');
});

test.each([
  '<?xml version="1.0" encoding="utf-16"?><p>Привет</p>',
  '<meta charset="utf-16le"><p>Привет</p>',
  '<meta charset=unicode><p>Привет</p>',
])('the service reads %s as UTF-8, as its declaration could be read', (page) => {
  expect(decodeText(Buffer.from(page))).toBe(page);
});

test('the service uses the charset from a page’s own meta', () => {
  const page = Buffer.from('<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2', 'latin1');
  expect(decodeText(page)).toContain('Привет');
});
