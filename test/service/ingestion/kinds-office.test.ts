import { describe, expect, test } from 'vitest';
import type { Draft } from '../../../src/service/ingestion/document.ts';
import { fromArchived } from '../../../src/service/ingestion/kinds/archived.ts';
import {
  p,
  shape,
  toDocx,
  toEpub,
  toOpenDocument,
  toPptx,
  toXlsx,
} from '../../fixtures/documents/office.ts';
import { toZip } from '../../fixtures/documents/zip.ts';

/** Each block with its page and headings before it. */
function read({ blocks }: Draft): string[] {
  return blocks.map(({ headings, page, text }) =>
    [...(page === undefined ? [] : [`${page}`]), ...headings, text].join(' | '),
  );
}

describe('Word', () => {
  const heading = (level: number) => `<w:pStyle w:val="H${level}"/>`;
  const styles = { H1: 'heading 1', H2: 'Heading 2', T: 'Title' };

  test('gives text under its headings, with the title of its properties', async () => {
    const draft = await fromArchived(
      toDocx(
        p('Rooms', heading(1)) + p('There are ') + p('Small', heading(2)) + p('Two &amp; more.'),
        { title: 'Handbook', styles },
      ),
    );
    expect(draft.title).toBe('Handbook');
    expect(read(draft)).toEqual(['Rooms | There are', 'Rooms | Small | Two & more.']);
  });

  test('takes its title from the title paragraph if its properties have none', async () => {
    const draft = await fromArchived(
      toDocx(p('My Book', '<w:pStyle w:val="T"/>') + p('One', heading(1)) + p('Text.'), { styles }),
    );
    expect(draft.title).toBe('My Book');
    expect(read(draft)).toEqual(['My Book | One | Text.']);
  });

  test('counts the steps of a list, and gives bullets to others', async () => {
    const item = (list: number, depth = 0) =>
      `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${list}"/></w:numPr>`;
    const numbering =
      '<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>';
    const draft = await fromArchived(
      toDocx(
        p('Do this:') +
          p('Open', item(1)) +
          p('wide', item(1, 1)) +
          p('Close', item(1)) +
          p('Done', item(0)),
        { numbering },
      ),
    );
    expect(read(draft)).toEqual(['Do this:', '1. Open\n  - wide\n2. Close', 'Done']);
  });

  test('gives a table row by row', async () => {
    const row = (...cells: string[]) =>
      `<w:tr>${cells.map((cell) => `<w:tc>${p(cell)}</w:tc>`).join('')}</w:tr>`;
    const draft = await fromArchived(
      toDocx(`<w:tbl>${row('Name', 'Default', 'Meaning')}${row('PORT', '3000', 'where')}</w:tbl>`),
    );
    expect(read(draft)).toEqual([
      'Name, Default, Meaning:\n- PORT – Default: 3000; Meaning: where',
    ]);
  });

  test('gives each value of a table with merged cells under its own column', async () => {
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}<w:tcPrChange><w:tcPr><w:gridSpan w:val="9"/></w:tcPr></w:tcPrChange></w:tcPr>${p(text)}</w:tc>`;
    const rows = [
      ['Day', 'Shift', 'Hours', 'Pay'].map((text) => cell(text)),
      [
        cell('Monday', '<w:vMerge w:val="restart"/>'),
        ...['Early', '6-14', '14'].map((text) => cell(text)),
      ],
      [cell('', '<w:vMerge/>'), cell('closed', '<w:gridSpan w:val="2"/>'), cell('15')],
    ].map((cells) => `<w:tr>${cells.join('')}</w:tr>`);
    expect(read(await fromArchived(toDocx(`<w:tbl>${rows.join('')}</w:tbl>`)))).toEqual([
      'Day, Shift, Hours, Pay:\n- Monday – Shift: Early; Hours: 6-14; Pay: 14\n- Monday – Shift: closed; Hours: closed; Pay: 15',
    ]);
  });

  test('gives footnotes and endnotes after the text, under the title only', async () => {
    const note = (text: string, type = '') => `<w:footnote ${type}>${p(text)}</w:footnote>`;
    const draft = await fromArchived(
      toDocx(p('Book', '<w:pStyle w:val="T"/>') + p('One', heading(1)) + p('Text.'), {
        styles,
        notes: {
          footnotes: note('', 'w:type="separator"') + note('The price rises.') + note('Soon.'),
          endnotes: note('See the law.'),
        },
      }),
    );
    expect(read(draft)).toEqual([
      'Book | One | Text.',
      'Book | The price rises.',
      'Book | Soon.',
      'Book | See the law.',
    ]);
  });

  test('leaves out deletions, field codes and repeated text', async () => {
    const draft = await fromArchived(
      toDocx(
        '<w:p><w:r><w:t>A</w:t><w:tab/><w:t>b</w:t><w:br/><w:delText>gone</w:delText><w:instrText>PAGE</w:instrText></w:r>' +
          '<w:pPr><w:pStyle w:val="x"/><w:pPrChange><w:pPr><w:pStyle w:val="H1"/></w:pPr></w:pPrChange></w:pPr></w:p>' +
          `<mc:AlternateContent xmlns:mc="m"><mc:Choice>${p('box')}</mc:Choice><mc:Fallback>${p('box')}</mc:Fallback></mc:AlternateContent>`,
        { styles },
      ),
    );
    expect(read(draft)).toEqual(['A\tb', 'box']);
  });

  test('leaves out how a word is pronounced, which stands above it', async () => {
    const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
    const ruby = `<w:ruby><w:rt>${run('とう')}</w:rt><w:rubyBase>${run('東')}</w:rubyBase></w:ruby>`;
    const draft = await fromArchived(toDocx(`<w:p><w:r>${ruby}</w:r>${run('京')}</w:p>`));
    expect(read(draft)).toEqual(['東京']);
  });

  test('reads a text whose move is tracked where it was moved to', async () => {
    const moved = (how: string) =>
      `<w:p><w:pPr><w:rPr><w:${how}/></w:rPr></w:pPr><w:${how}><w:r><w:t>Moved.</w:t></w:r></w:${how}></w:p>`;
    const draft = await fromArchived(toDocx(moved('moveFrom') + p('Stays.') + moved('moveTo')));
    expect(read(draft)).toEqual(['Stays.', 'Moved.']);
  });
});

test('PowerPoint: each slide is a page under its title, with its notes, in the order shown', async () => {
  const draft = await fromArchived(
    toPptx(
      [
        shape('title', 'Plan') + shape('', 'First', '1 deeper', '1 too') + shape('sldNum', '1'),
        shape('', 'No title here'),
      ],
      { title: 'Talk', notes: shape('sldImg', 'x') + shape('body', 'Say hello.') },
    ),
  );
  expect(draft.title).toBe('Talk');
  expect(read(draft)).toEqual(
    [
      '1 | Plan | First',
      '1 | Plan | - deeper\n  - too',
      '1 | Plan | Say hello.',
      '2 | No title here',
    ].map((line) => line.replace('- deeper', '  - deeper')),
  );
});

test('PowerPoint: what is there for other readers is left out', async () => {
  const shapes = `<mc:AlternateContent xmlns:mc="m"><mc:Choice>${shape('', 'Sales')}</mc:Choice><mc:Fallback>${shape('', 'This chart isn’t available in your version of PowerPoint.')}</mc:Fallback></mc:AlternateContent>`;
  const draft = await fromArchived(toPptx([shapes + shape('', 'End')]));
  expect(read(draft)).toEqual(['1 | Sales', '1 | End']);
});

test('Excel: each sheet is a table under its name, with dates as dates', async () => {
  const draft = await fromArchived(
    toXlsx(
      {
        Prices:
          '<row><c r="B1" t="s"><v>2</v></c></row>' +
          '<row><c r="B3" t="s"><v>0</v></c><c r="C3" t="inlineStr"><is><t>Price</t></is></c><c r="D3" t="str"><v>Since</v></c></row>' +
          '<row><c r="B4" t="s"><v>1</v></c><c r="C4"><v>2.5</v></c><c r="D4" s="1"><v>46082</v></c></row>' +
          '<row><c r="B5" t="b"><v>1</v></c><c r="C5" t="e"><v>#N/A</v></c><c r="D5" s="2"><v>0.395833333</v></c></row>',
        Secret: '<row><c r="A1"><v>1</v></c></row>',
        Empty: '',
      },
      {
        strings: ['Thing', 'Tea', 'Shop &lt;1&gt;'],
        hidden: 'Secret',
        styles:
          '<numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/><numFmt numFmtId="165" formatCode="hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="165"/></cellXfs>',
      },
    ),
  );
  expect(draft.title).toBe('');
  expect(read(draft)).toEqual([
    'Prices | Shop <1>',
    'Prices | Thing, Price, Since:\n- Tea – Price: 2.5; Since: 2026-03-01\n- true – Since: 09:30',
    'Empty',
  ]);
});

test('Excel: characters that XML can’t hold are read as what they are', async () => {
  const rows = {
    Sheet: '<row><c t="s"><v>0</v></c><c t="str"><v>_x005F_x000D_ _x20ac_ A_X1024_</v></c></row>',
  };
  const strings = ['Open_x000D_\nat_x0000_ nine_x000'];
  const draft = await fromArchived(toXlsx(rows, { strings }));
  expect(read(draft)).toEqual(['Sheet | Open at nine_x000 – _x000D_ € A_X1024_']);
});

test('Excel: durations count hours beyond a day', async () => {
  const texts = await readColumn(
    ['[h]:mm', '[mm]:ss', '[Red]h:mm', '[hh]:mm:ss;@'],
    [
      [4, '1.604166667'],
      [3, '1.604166667'],
      [4, '0.99999999999'],
      [5, '4.1666666666666664E-2'],
      [6, '0.395833333'],
      [7, '1.0001157407407408'],
      [7, '-0.5'],
      [2, '46082'],
    ],
  );
  expect(texts).toEqual([
    '38:30',
    '38:30',
    '24:00',
    '1:00',
    '09:30',
    '24:00:10',
    '-12:00',
    '2026-03-01',
  ]);
});

test.each([
  ['xl/SharedStrings.xml', 'sharedStrings.xml'],
  ['texts/all.xml', '../texts/all.xml'],
])('Excel: texts are found in %s', async (stringsPart, stringsTarget) => {
  const rows = { Sheet: '<row><c t="s"><v>0</v></c></row>' };
  const options = { strings: ['At nine.'], stringsPart, stringsTarget };
  expect(read(await fromArchived(toXlsx(rows, options)))).toEqual(['Sheet | At nine.']);
});

test('Excel: a workbook that lacks its texts is damaged', async () => {
  const read = (rows: string) => fromArchived(toXlsx({ Sheet: rows }));
  await expect(read('<row><c t="s"><v>0</v></c></row>')).rejects.toMatchObject({
    problem: { code: 'workbook_without_texts' },
    message: expect.stringContaining('texts of its cells are missing'),
  });
  const { blocks } = await read('<row><c t="s"/><c><v>9</v></c></row>');
  expect(blocks.map(({ text }) => text)).toEqual(['9']);
});

/** The text of a column of Excel's cells, each given as its style and stored value. */
async function readColumn(codes: string[], cells: [style: number, value: string][]) {
  const rows = cells.map(([style, value]) => `<row><c s="${style}"><v>${value}</v></c></row>`);
  const formats = codes.map(
    (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`,
  );
  const custom = codes.map((_, index) => `<xf numFmtId="${164 + index}"/>`);
  const builtIn = [0, 10, 14, 46].map((id) => `<xf numFmtId="${id}"/>`);
  const styles = `<numFmts>${formats.join('')}</numFmts><cellXfs>${[...builtIn, ...custom].join('')}</cellXfs>`;
  const draft = await fromArchived(toXlsx({ Sheet: rows.join('') }, { styles }));
  return draft.blocks.flatMap(({ text }) => text.split('\n'));
}

test('Excel: numbers have the 15 digits that count, and percentages their sign', async () => {
  const texts = await readColumn(
    ['0.0%', '0&quot; %&quot;'],
    [
      [0, '0.57999999999999996'],
      [0, '1200'],
      [0, '-1.5E-3'],
      [1, '0.15'],
      [4, '0.57999999999999996'],
      [4, '-7.4999999999999997E-2'],
      [5, '15'],
    ],
  );
  expect(texts).toEqual(['0.58', '1200', '-0.0015', '15%', '58%', '-7.5%', '15']);
});

test('OpenDocument text: headings, lists, spaces, tables, without what is tracked as deleted', async () => {
  const draft = await fromArchived(
    toOpenDocument(
      'text',
      '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="1">One</text:h><text:p>a<text:s text:c="2"/>b<text:line-break/>c <text:note><text:note-citation>1</text:note-citation></text:note></text:p>' +
        '<text:list><text:list-item><text:p>x</text:p><text:list><text:list-item><text:p>y</text:p></text:list-item></text:list></text:list-item></text:list>' +
        '<table:table><table:table-row><table:table-cell><text:p>Key</text:p></table:table-cell><table:table-cell><text:p>Value</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>k</text:p></table:table-cell><table:table-cell><text:p>v</text:p></table:table-cell></table:table-row></table:table>',
      { title: 'Letter' },
    ),
  );
  expect(draft.title).toBe('Letter');
  expect(read(draft)).toEqual(['One | a  b\nc', 'One | - x\n  - y', 'One | Key, Value:\n- k: v']);
});

test('OpenDocument text: how a word is pronounced is left out', async () => {
  const ruby =
    '<text:ruby><text:ruby-base>東</text:ruby-base><text:ruby-text>とう</text:ruby-text></text:ruby>';
  const draft = await fromArchived(toOpenDocument('text', `<text:p>${ruby}京</text:p>`));
  expect(read(draft)).toEqual(['東京']);
});

test('OpenDocument text: each value of a table with merged cells under its own column', async () => {
  const cell = (text: string, span = '') =>
    `<table:table-cell ${span}><text:p>${text}</text:p></table:table-cell>`;
  const covered = '<table:covered-table-cell/>';
  const rows = [
    ['Day', 'Shift', 'Hours', 'Pay'].map((text) => cell(text)),
    [
      cell('Monday', 'table:number-rows-spanned="2"'),
      ...['Early', '6-14', '14'].map((text) => cell(text)),
    ],
    [covered, cell('closed', 'table:number-columns-spanned="2"'), covered, cell('15')],
  ].map((cells) => `<table:table-row>${cells.join('')}</table:table-row>`);
  const table = `<table:table>${rows.join('')}</table:table>`;
  expect(read(await fromArchived(toOpenDocument('text', table)))).toEqual([
    'Day, Shift, Hours, Pay:\n- Monday – Shift: Early; Hours: 6-14; Pay: 14\n- Monday – Shift: closed; Hours: closed; Pay: 15',
  ]);
});

test('OpenDocument spreadsheets and presentations are read as tables and slides', async () => {
  const cell = (text: string, repeats = '') =>
    `<table:table-cell ${repeats}><text:p>${text}</text:p></table:table-cell>`;
  const sheet = await fromArchived(
    toOpenDocument(
      'spreadsheet',
      `<table:table table:name="S"><table:table-row>${cell('a')}${cell('b')}${cell('c')}<table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row table:number-rows-repeated="1000000">${cell('1')}${cell('2', 'table:number-columns-repeated="2"')}</table:table-row></table:table>`,
    ),
  );
  expect(read(sheet)).toEqual(['S | a, b, c:\n- 1 – b: 2; c: 2']);
  const slides = await fromArchived(
    toOpenDocument(
      'presentation',
      '<draw:page><draw:frame presentation:class="title"><text:p>Plan</text:p></draw:frame><draw:frame><text:p>Hello</text:p></draw:frame></draw:page><draw:page><draw:frame><text:p>Bye</text:p></draw:frame></draw:page>',
    ),
  );
  expect(read(slides)).toEqual(['1 | Plan | Hello', '2 | Bye']);
});

test('EPUB: its chapters under their headings, its entities unknown', async () => {
  const draft = await fromArchived(
    toEpub(
      [
        '<html><head><title>Book</title></head><body><h1>One</h1><p>First &eacute;.</p></body></html>',
        '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><head><title>Part two</title></head><body><p>Second &x;.</p></body></html>',
      ],
      'Book',
    ),
  );
  expect(draft.title).toBe('Book');
  expect(read(draft)).toEqual(['One | First é.', 'Part two | Second &x;.']);
});

describe('what is refused', () => {
  test.each([
    [
      'another archive',
      toZip({ 'a.txt': 'hello' }),
      /^file type not allowed: this is an archive \(add the files in it one by one\)\. Add PDF, Word/,
    ],
    ['a nested archive', toZip({ 'a.zip': toZip({ 'b.txt': 'hello' }) }), /one by one/],
    ['half an archive', toDocx(p('x')).subarray(0, 300), /damaged: it can’t be unpacked/],
    ['broken XML', toDocx('<w:p><w:r></w:p>'), /XML is not valid/],
    ['an entity of the document’s own', toDocx(p('&e;')), /XML is not valid/],
    ['elements nested without end', toDocx('<w:a>'.repeat(1000)), /more than 500 levels/],
    [
      'a locked OpenDocument',
      toOpenDocument('text', '', { manifest: '<manifest:encryption-data/>' }),
      /protected by a password/,
    ],
    [
      'a book with rights',
      toEpub([], 'Book', { 'META-INF/rights.xml': '' }),
      /protected against copying/,
    ],
    ['too many slides', toPptx(Array.from({ length: 2001 }, () => '')), /2001 slides, up to 2000/],
  ])('%s', async (_name, bytes, message) => {
    await expect(fromArchived(bytes)).rejects.toMatchObject({
      name: 'IngestionError',
      message: expect.stringMatching(message),
    });
  });
});
