import { expect, test } from 'vitest';
import { parseJsonAnswer } from '../../src/service/after-turn/prompts.ts';
import { toRefusalError } from '../../src/service/model/answer-errors.ts';
import { adaptForm, usualForm } from '../../src/service/model/chat-request.ts';
import { createReasoningFilter } from '../../src/service/model/completion.ts';
import { withWholeFences } from '../../src/service/answer/excerpt.ts';
import { defuse } from '../../src/service/answer/fence.ts';
import { createMarkerFilter } from '../../src/service/answer/markers.ts';
import { fillIn, toTyped } from '../../src/service/answer/variables.ts';
import { decodeText } from '../../src/service/ingestion/decode.ts';
import { type Draft, IngestionError, toDocument } from '../../src/service/ingestion/document.ts';
import { fromArchived } from '../../src/service/ingestion/kinds/archived.ts';
import { fromCsv } from '../../src/service/ingestion/kinds/csv.ts';
import { fromEml } from '../../src/service/ingestion/kinds/eml.ts';
import { fromHtml } from '../../src/service/ingestion/kinds/html.ts';
import { fromMarkdown } from '../../src/service/ingestion/kinds/markdown.ts';
import { fromRtf } from '../../src/service/ingestion/kinds/rtf.ts';
import { fromText } from '../../src/service/ingestion/kinds/text.ts';
import { toPassages } from '../../src/service/ingestion/passages.ts';
import { isAllowedByRobots } from '../../src/service/ingestion/robots.ts';
import { sniff } from '../../src/service/ingestion/sniff.ts';
import { toEndpoint } from '../../src/service/model/model-endpoint.ts';
import { hasShape, toAsked } from '../../src/service/retrieval/question.ts';
import { tokenize } from '../../src/service/retrieval/tokenize.ts';
import type { AgentRecord } from '../../src/service/store/agent-store.ts';
import { toZip } from '../fixtures/documents/zip.ts';
import { growthOf, inProportion } from '../fixtures/growth.ts';
import { expectLinear } from '../fixtures/hostile/text.ts';

const toBytes = (text: string) => new TextEncoder().encode(text);
const agent = { settings: { variables: [] as unknown[] } } as AgentRecord;

/** Everything that meets text from a file, a page, a question, a model or a prompt, and its own delimiters. */
const scanners: [string, (text: string) => unknown, string[]][] = [
  [
    'sniffing a text',
    (text) => sniff(toBytes(text), { fileName: 'a.txt' }),
    ['\n', '\n-', '](', '{"'],
  ],
  ['sniffing a page', (text) => sniff(toBytes(text), { fileName: 'a' }), ['<!--', '<?xml', '</']],
  [
    'decoding',
    (text) => decodeText(toBytes(text)),
    ['<meta ', '<meta charset=', '<?xml encoding', '\r'],
  ],
  [
    'reading text',
    readsAs(fromText),
    [
      '\n',
      '\n \n',
      '. ',
      'Dr. ',
      '\u2028',
      'a\n  ',
      '-a   b\n',
      '\na    ',
      '\n\t',
      '~~~~\n',
      'a\n~~~~\n',
    ],
  ],
  [
    'reading Markdown',
    readsAs(fromMarkdown),
    ['\n', '- \t', '~~', '__', '<!--', '</a', '](', '| ', '\\|', '[a]: b " '],
  ],
  [
    'reading front matter',
    readsAs((text) => fromMarkdown(`---\ntitle: ${text}`)),
    ['\n---  ', '\t'],
  ],
  ['reading its title', readsAs((text) => fromMarkdown(`---\ntitle: ${text}\n---\n`)), ['\t', '"']],
  ['reading a list', readsAs((text) => fromMarkdown(`- ${text}`)), ['\t', '\u2028', '- ', '\n- ']],
  ['reading HTML', readsAs(fromHtml), ['<p>', '<h1>#', '<code>', '<!--', '&', '<td>', '<li>']],
  [
    'reading merged cells in HTML',
    readsAs((text) => fromHtml(`<table><tr><td rowspan=999>${text}`)),
    ['<td colspan=999>', '<tr><td>a', '<tr><td rowspan=999 colspan=9>a<td>b'],
  ],
  [
    'reading code in HTML',
    readsAs((text) => fromHtml(`<pre>${text}</pre>`)),
    ['\n', '\t', '<code>'],
  ],
  [
    'reading a heading in HTML',
    readsAs((text) => fromHtml(`<h1>${text}</h1>`)),
    ['\u00a0', '¶', '#'],
  ],
  ['reading CSV', readsAs(fromCsv), ['"', ',', '\n', '",']],
  ['reading RTF', readsAs(fromRtf), ['\\', '{', '\\a', "\\'", '{\\title ']],
  [
    'reading mail',
    readsAs((text) => fromEml(toBytes(text))),
    ['\n', '=?', '=?a?q?', ': ', '\n ', '--'],
  ],
  [
    'reading a mailbox',
    readsAs((text) => fromEml(toBytes(`From a\nTo: ${text}`))),
    ['\nFrom ', '\nFrom a\nTo:', '\nFrom a\nTo', '\n\nFrom a\nTo: b'],
  ],
  [
    'reading robots.txt',
    (text) => isAllowedByRobots(text, 'a', new URL('https://a.example/')),
    ['\n', ':', '#', 'user-agent: a\n', 'user-agent:*\nallow:*\n'],
  ],
  ['tokenizing', tokenize, ['+', '](', '你', 'の', '\u0301']],
  ['telling what is asked', toAsked, ['what ', 's', 'how ', 'wie ']],
  ['finding a date', (text) => hasShape('time', text), ['1', '1:']],
  ['finding a name', (text) => hasShape('person', text), ['A', ' Aa', ', ']],
  ['filtering markers', filtersMarkers, ['[1', '[1.1,', '【', '1.1;', ' [']],
  ['filtering markers after [1', (text) => filtersMarkers(`[1${text}`), ['. ', ', ', '1']],
  ['filtering reasoning', filtersReasoning, ['<think>', '</think', '<']],
  [
    'defusing',
    defuse,
    ['[', '[1', '[1.', '<', '<|', '<|a', '</', '#', '\n#', '\n### System ', '\n**', 'System', ' '],
  ],
  ['filling in variables', (text) => fillIn(text, agent, new Map()), ['{{', '{{ ', '}}', '{']],
  ['filling in a variable', (text) => fillIn(`{{${text}`, agent, new Map()), ['\t', '}']],
  ['reading a value', (text) => toTyped('boolean', text), ['\t', '1']],
  ['closing fences', withWholeFences, ['```\n', '\n~~~']],
  ['reading an answer in JSON', parseJsonAnswer, ['{', '}', '{"a":']],
  [
    'reading a refusal',
    (detail) => toRefusalError({ status: 400, detail }, 'a'),
    ['context', 'model', 'exceed'],
  ],
  [
    'adapting to a refusal',
    (detail) => adaptForm(usualForm, {}, { status: 400, detail }),
    ['stream ', 'system ', '"param"', '"param":"'],
  ],
  [
    'naming an endpoint',
    (text) => toEndpoint(`https://a.example/${text}`, 'b'),
    ['/', '/embeddings'],
  ],
];

test.each(scanners)('%s takes time in proportion to the text', (_, scan, own) => {
  expectLinear(scan, own);
});

const long = 400_000;
const manifest =
  '<package><manifest><item id="a" href="a" media-type="html"/></manifest><spine><itemref idref="a"/></spine></package>';
const declared = (type: string) =>
  `<Types><Override PartName="/x/a.xml" ContentType="application/vnd.${type}"/></Types>`;

/** Within archives, what is matched by a pattern, and what comes of it. */
const archives: Record<string, [entries: Record<string, string>, outcome: object]> = {
  'a chapter’s document types': [
    {
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container><rootfile full-path="p.opf"/></container>',
      'p.opf': manifest,
      a: `<p>One.</p>${'<!DOCTYPE['.repeat(long / 10)}`,
    },
    { blocks: [{ text: 'One.' }] },
  ],
  'a content type': [
    { '[Content_Types].xml': declared('wordprocessingml.'.repeat(long / 17)) },
    { problem: { code: 'document_kind_refused' } },
  ],
  'a format of numbers': [
    {
      '[Content_Types].xml': declared('ms-excel.sheet.main+xml'),
      'x/_rels/a.xml.rels':
        '<Relationships><Relationship Id="b" Type="/worksheet" Target="b.xml"/><Relationship Id="c" Type="/styles" Target="c.xml"/></Relationships>',
      'x/a.xml': '<workbook><sheet name="One" r:id="b"/></workbook>',
      'x/b.xml': '<worksheet><row><c><v>0.5</v></c></row></worksheet>',
      'x/c.xml': `<styleSheet><numFmt numFmtId="200" formatCode="0%${'['.repeat(long)}"/><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
    },
    { blocks: [{ text: expect.stringContaining('50%') }] },
  ],
};

test.each(Object.entries(archives))(
  '%s may repeat itself in an archive',
  async (_, [entries, outcome]) => {
    const before = process.threadCpuUsage();
    const read = await fromArchived(toZip(entries)).catch((error: unknown) => error);
    const { user } = process.threadCpuUsage(before);
    expect(read).toMatchObject(outcome);
    expect(user / 1_000).toBeLessThan(2_000);
  },
);

function readsAs(read: (text: string) => Draft): (text: string) => unknown {
  return (text) => {
    try {
      toPassages(toDocument(read(text)));
    } catch (error) {
      // Such as a page that is nested too deeply.
      if (!(error instanceof IngestionError)) throw error;
    }
  };
}

function filtersMarkers(text: string): void {
  const filter = createMarkerFilter(new Set(['1.1']));
  filter.push(text);
  filter.end();
}

function filtersReasoning(text: string): void {
  const filter = createReasoningFilter();
  filter.push(text);
  filter.end();
}

const kindReaders: Record<string, (text: string) => Draft> = {
  fromMarkdown,
  fromHtml,
  fromText,
  fromRtf,
  fromEml: (text) => fromEml(toBytes(text)),
  fromCsv,
};

const mailHead = 'From: a\nContent-Transfer-Encoding: quoted-printable\n\n';

/** Each of these once kept a reader busy for minutes, or could have. */
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
  ['fromText', '', '```\na\n', ''],
  ['fromText', '', 'a\n  b\n\n', ''],
  ['fromText', '', ' ', 'x'],
  ['fromText', 'a', '   ', 'b\nc'],
  ['fromText', '', `${'a '.repeat(30)}\n`, ''],
  ['fromRtf', '{\\rtf1', '{\\info', ''],
  ['fromEml', mailHead, '=41a', ''],
  ['fromCsv', 'a,b\n', '\n', ''],
  ['fromCsv', 'a,b\n', '"', ''],
] as const)(
  '%s takes time in proportion to %j and then %j without end',
  (reader, begin, piece, end) => {
    const read = (length: number) => {
      const text = begin + piece.repeat(length / piece.length) + end;
      toPassages(toDocument(kindReaders[reader]?.(text) ?? { title: '', blocks: [] }));
    };
    expect(growthOf(read, 160_000)).toBeLessThan(inProportion);
  },
);
