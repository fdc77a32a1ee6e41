import { expect, test } from 'vitest';
import type { Source } from '../../../../src/bridge/conversation/chatbot.ts';
import { renderSources } from '../../../../src/bridge/conversation/reply/reply-contents.ts';
import { renderSmallPrint } from '../../../../src/bridge/discord/render.ts';
import { renderMrkdwn } from '../../../../src/bridge/slack/render.ts';
import { texts as german } from '../../../../src/bridge/texts/languages/de.ts';
import { texts as english } from '../../../../src/bridge/texts/languages/en.ts';

const nowMs = Date.UTC(2026, 10, 24);

function cite(title: string, more: Partial<Source> = {}): Source {
  return { marker: '1.1', title, quote: 'A quote.', ...more };
}

test('a source line says the pages, and how old the source is', () => {
  const updatedMs = Date.UTC(2026, 2, 3, 23, 59);
  const handbook = [
    cite('Handbook', { page: 12, updatedMs }),
    cite('Handbook', { page: 3, updatedMs }),
  ];
  const notes = cite('Notes', { updatedMs: Date.UTC(2025, 11, 31) });
  const cited = [...handbook, notes, cite('Other')];
  expect(renderSources(cited, english, nowMs)).toBe(
    'Sources: [1] [2] Handbook, p. 12, 3, updated 3 March · [3] Notes, updated 31 December 2025 · [4] Other',
  );
  expect(renderSources(cited, german, nowMs)).toBe(
    'Quellen: [1] [2] Handbook, S. 12, 3, aktualisiert am 3. März · [3] Notes, aktualisiert am 31. Dezember 2025 · [4] Other',
  );
});

test('a source line names few of many pages, and the year where the present one is unknown', () => {
  const cited = Array.from({ length: 9 }, (_, index) => cite('Handbook', { page: index + 1 }));
  const [first = cite(''), ...rest] = cited;
  const dated = [{ ...first, updatedMs: nowMs }, ...rest];
  expect(renderSources(dated, english)).toMatch(
    /Handbook, p\. 1, 2, 3, 4, 5, updated 24 November 2026$/,
  );
});

test.each([
  ['https://a.example/My file (1).pdf', 'https://a.example/My%20file%20%281%29.pdf'],
  ['https://a.example/My%20file.pdf?a=b c#d', 'https://a.example/My%20file.pdf?a=b%20c#d'],
  ['https://a.example/two\nlines', 'https://a.example/twolines'],
])('the source at “%s” is a link on both platforms', (url, address) => {
  const line = renderSources([cite('Handbook', { url })], english);
  expect(renderSmallPrint(line)).toEqual([`-# Sources: [1] [Handbook](${address})`]);
  expect(renderMrkdwn(line, 1_000)).toBe(`Sources: [1] <${address}|Handbook>`);
});
