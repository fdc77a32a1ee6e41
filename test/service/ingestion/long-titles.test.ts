import { expect, test } from 'vitest';
import { toRefusal } from '../../../src/service/answer/answer-texts.ts';
import { type Draft, maxTitleLength, toDocument } from '../../../src/service/ingestion/document.ts';
import { fromArchived } from '../../../src/service/ingestion/kinds/archived.ts';
import { fromHtml } from '../../../src/service/ingestion/kinds/html.ts';
import { fromMarkdown } from '../../../src/service/ingestion/kinds/markdown.ts';
import { toPassages } from '../../../src/service/ingestion/passages.ts';
import type { Hit } from '../../../src/service/retrieval/retrieve.ts';
import { p, toDocx } from '../../fixtures/documents/office.ts';

const long = 'word '.repeat(20_000).trim();
const text = '<p>Lamps are lit at dusk.</p>'.repeat(5_000);
const style = '<w:pStyle w:val="h"/>';

test.each<[string, () => Draft | Promise<Draft>]>([
  ['a page', () => fromHtml(`<title>${long}</title><h1>${long}</h1>${text}`)],
  ['Markdown', () => fromMarkdown(`---\ntitle: ${long}\n---\n# ${long}\n\nLamps are lit.`)],
  [
    'a Word document',
    () =>
      fromArchived(
        toDocx(p(long, style) + p('Lamps.'), { title: long, styles: { h: 'heading 1' } }),
      ),
  ],
])('%s has short titles and headings, and keeps their words', async (_, read) => {
  const document = toDocument(await read());
  expect(document.title).toMatch(/^word word .*…$/u);
  expect(document.title.length).toBeLessThanOrEqual(maxTitleLength);

  const passages = toPassages(document);
  const headings = passages.flatMap((passage) => passage.headings);
  expect(headings.length).toBeGreaterThan(0);
  expect(Math.max(...headings.map(({ length }) => length))).toBeLessThanOrEqual(maxTitleLength);
  const words = passages.map((passage) => passage.text).join(' ');
  expect(words.match(/word/gu)?.length).toBeGreaterThanOrEqual(20_000);
});

test('a heading of usual length stays whole, and is no text', () => {
  const heading = 'a'.repeat(maxTitleLength);
  const { blocks } = toDocument(fromHtml(`<h1>${heading}</h1><p>Lamps.</p>`));
  expect(blocks).toMatchObject([{ text: 'Lamps.', headings: [heading] }]);
});

test('a refusal quotes the beginning of a long title', () => {
  const source = { uuid: 'a', title: long, file_name: 'a.html', type: 'file' };
  const hit = {
    coverage: 0.3,
    passage: { source, headings: [long, `x${long}`] },
  } as unknown as Hit;
  expect(toRefusal('lamps', [hit])).toMatch(/“word .*…” \(xword .*…\)/u);
  expect(toRefusal('lamps', [hit]).length).toBeLessThan(500);
});
