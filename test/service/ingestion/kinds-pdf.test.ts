import { describe, expect, test } from 'vitest';
import { fromPdf, maxPages } from '../../../src/service/ingestion/kinds/pdf.ts';
import { toNamedEncodingPdf, toPdf } from '../../fixtures/documents/pdf.ts';

async function read(bytes: Uint8Array) {
  const { title, blocks } = await fromPdf(bytes);
  return {
    title,
    blocks: blocks.map(({ headings, page, text }) => [page, ...headings, text].join(' | ')),
  };
}

describe('PDF', () => {
  test('gives paragraphs with their page, larger lines as headings, and hyphenated words whole', async () => {
    const pdf = toPdf(
      [
        [
          { text: 'The Lighthouse', size: 24 },
          '',
          { text: 'Visiting', size: 16 },
          '',
          'The lighthouse opens at nine in the morning, every day of the sum-',
          'mer. Tickets cost four euros.',
          '',
          'Children pay nothing.',
        ],
        ['Dogs may come too.'],
      ],
      { title: 'Microsoft Word - guide.docx' },
    );
    expect(await read(pdf)).toEqual({
      title: 'guide',
      blocks: [
        '1 | The Lighthouse | Visiting | The lighthouse opens at nine in the morning, every day of the summer. Tickets cost four euros.',
        '1 | The Lighthouse | Visiting | Children pay nothing.',
        '2 | The Lighthouse | Visiting | Dogs may come too.',
      ],
    });
  });

  test('takes its first heading as the title if it has none', async () => {
    const pdf = toPdf([[{ text: 'Rules', size: 20 }, '', 'One rule only, and a long line of it.']]);
    expect((await read(pdf)).title).toBe('Rules');
  });

  test('takes the largest text of its first page as the title, not the address above it', async () => {
    const pdf = toPdf([
      [
        { text: 'Museum of Clocks, 12 High Street', size: 14 },
        { text: 'clocks@museum.example', size: 26 },
        '',
        { text: 'The Handbook', size: 24 },
        '',
        { text: 'of the Tower', size: 24 },
        '',
        'The tower opens at nine in the morning, every day of the year.',
      ],
    ]);
    expect((await read(pdf)).title).toBe('The Handbook of the Tower');
  });

  test('joins the lines of a language without spaces between words as they are', async () => {
    const characters = Object.fromEntries(
      Array.from('abcdefghij', (letter, index) => [letter, '图书馆九点到五开，门'[index] ?? '']),
    );
    const pdf = toPdf([['abcd', 'efghij', 'abX', 'abc']], { characters });
    expect((await read(pdf)).blocks).toEqual(['1 | 图书馆九点到五开，门图书X 图书馆']);
  });

  test('leaves out the text at the edges of every page', async () => {
    const pages = Array.from({ length: 6 }, (_, index) => [
      'My Company Handbook',
      '',
      `Text of the page with the letter ${'abcdef'[index]}.`,
      '',
      `Page ${index + 1} of 6`,
    ]);
    const { blocks } = await read(toPdf(pages));
    expect(blocks).toEqual(
      Array.from(
        'abcdef',
        (letter, index) => `${index + 1} | Text of the page with the letter ${letter}.`,
      ),
    );
  });
});

describe('a PDF is refused', () => {
  const locked = `/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`;
  test.each([
    ['with a password', toPdf([['x']], { trailer: locked }), /protected by a password/],
    ['of pictures only', toPdf([[], []]), /only images.*OCR/],
    [
      'of too many pages',
      toPdf(Array.from({ length: maxPages + 1 }, () => [])),
      /2001 pages, up to 2000/,
    ],
    [
      'with Chinese in a named encoding',
      toNamedEncodingPdf('UniGB-UCS2-H', 'GB1', '706f5854'),
      /table that the file does not include \(UniGB-UCS2-H\)\. Print it to a new PDF/,
    ],
    [
      'with Japanese in a named encoding',
      toNamedEncodingPdf('90ms-RKSJ-H', 'Japan1', '8bdb8e9e'),
      /\(90ms-RKSJ-H\)/,
    ],
    [
      'with Korean by the numbers of its glyphs',
      toNamedEncodingPdf('Identity-H', 'Korea1', '0d2c0d2d'),
      /\(Adobe-Korea1-UCS2\)/,
    ],
    [
      'whose fonts tell no letters',
      toNamedEncodingPdf('Identity-H', 'Identity', '0037004b00480003004f0052004b'),
      /its fonts don’t say which characters they draw/,
    ],
    ['that is none', Buffer.from('%PDF-1.7\nhello'), /PDF is damaged/],
  ])('%s', async (_name, bytes, message) => {
    await expect(fromPdf(bytes)).rejects.toMatchObject({
      name: 'IngestionError',
      message: expect.stringMatching(message),
    });
  });
});
