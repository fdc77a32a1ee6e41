import { expect, test } from 'vitest';
import { type Draft, toDocument } from '../../../src/service/ingestion/document.ts';
import { fromCsv } from '../../../src/service/ingestion/kinds/csv.ts';
import { fromEml } from '../../../src/service/ingestion/kinds/eml.ts';
import { fromHtml } from '../../../src/service/ingestion/kinds/html.ts';
import { fromMarkdown } from '../../../src/service/ingestion/kinds/markdown.ts';
import { fromRtf } from '../../../src/service/ingestion/kinds/rtf.ts';
import { fromText } from '../../../src/service/ingestion/kinds/text.ts';
import { toPassages } from '../../../src/service/ingestion/passages.ts';
import { growthOf, inProportion } from '../../fixtures/growth.ts';

const readers: Record<string, (text: string) => Draft> = {
  fromMarkdown,
  fromHtml,
  fromText,
  fromRtf,
  fromEml,
  fromCsv,
};

const mailHead = 'From: a\nContent-Transfer-Encoding: quoted-printable\n\n';

/** Without end, each of these once kept a reader busy for minutes, or might. */
test.each([
  ...['[', '![', '[]([', '](http:a "', '<http:', '<a ', '**a ', '__a ', '~~a ', '`', '<!--'].map(
    (piece) => ['fromMarkdown', '', piece, ''] as const,
  ),
  ['fromMarkdown', '# ', ' ', 'x'],
  ['fromMarkdown', '|\n', ' ', 'x'],
  ['fromMarkdown', '- ', 'x', ''],
  ['fromMarkdown', '', '- a\n  ```\n  ```\n', ''],
  ['fromHtml', '<p>', '<code>a</code>', ''],
  ['fromHtml', '', '<td>a', ''],
  ['fromText', '', 'A. ', ''],
  ['fromText', '', 'a', ''],
  ['fromText', '', '=\n', ''],
  ['fromRtf', '{\\rtf1', '{\\info', ''],
  ['fromEml', mailHead, '=41a', ''],
  ['fromCsv', 'a,b\n', '\n', ''],
  ['fromCsv', 'a,b\n', '"', ''],
] as const)('%s, %j and then %j without end', (reader, begin, piece, end) => {
  const read = (length: number) => {
    const text = begin + piece.repeat(length / piece.length) + end;
    toPassages(toDocument(readers[reader]?.(text) ?? { title: '', blocks: [] }));
  };
  expect(growthOf(read, 160_000)).toBeLessThan(inProportion);
});
