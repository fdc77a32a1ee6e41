import { describe, expect, test } from 'vitest';
import type { Draft } from '../../../src/service/ingestion/document.ts';
import { fromCsv } from '../../../src/service/ingestion/kinds/csv.ts';
import { fromEml } from '../../../src/service/ingestion/kinds/eml.ts';
import { fromHtml } from '../../../src/service/ingestion/kinds/html.ts';
import { fromJson } from '../../../src/service/ingestion/kinds/json.ts';
import { fromMarkdown } from '../../../src/service/ingestion/kinds/markdown.ts';
import { fromRtf } from '../../../src/service/ingestion/kinds/rtf.ts';
import { fromText } from '../../../src/service/ingestion/kinds/text.ts';

/** Each block with its headings before it, as "A › B | text". */
function read(draft: Draft): string[] {
  return draft.blocks.map(({ headings, text }) => [...headings, text].join(' | '));
}

describe('Markdown', () => {
  test('gives paragraphs under their headings, of both ways to write them', () => {
    const draft = fromMarkdown(
      '# Handbook\nHello\nworld.\n\n## Rooms ##\nThere are two.\n\nOther\n-----\nText.\n\n# Next\nEnd.',
    );
    expect(draft.title).toBe('Handbook');
    expect(read(draft)).toEqual([
      'Handbook | Hello world.',
      'Handbook | Rooms | There are two.',
      'Handbook | Other | Text.',
      'Next | End.',
    ]);
  });

  test('takes only the title from front matter', () => {
    const draft = fromMarkdown('---\ntitle: "Cats"\ntags: [a]\n---\nMeow.');
    expect(draft).toEqual({ title: 'Cats', blocks: [{ text: 'Meow.', headings: [] }] });
  });

  test('keeps steps with their code, and joins lines that were only wrapped', () => {
    const draft = fromMarkdown(
      '1. Install\n   it:\n\n   ```sh\n   npm ci\n   # not a heading\n   ```\n2. Start it.\n   - on a server\n\nDone.',
    );
    expect(read(draft)).toEqual([
      '1. Install it:\n   ```sh\n   npm ci\n   # not a heading\n   ```\n2. Start it.\n   - on a server',
      'Done.',
    ]);
  });

  test('keeps code as it is, and closes a fence that is left open', () => {
    expect(read(fromMarkdown('```js\nconst a = "**b**";\n```'))).toEqual([
      '```js\nconst a = "**b**";\n```',
    ]);
    expect(read(fromMarkdown('~~~\nlost'))).toEqual(['~~~\nlost\n~~~']);
    expect(read(fromMarkdown('Run:\n~~~~\nls\n~~~~'))).toEqual(['Run:', '~~~\nls\n~~~']);
  });

  test('keeps comments within code, and removes others', () => {
    const text =
      'A comment begins with `<!--` and ends with `-->`. <!-- a `tick\n\nand more --> It hides.\n\n```html\n<!-- menu -->\n<nav>\n```\n\n<!--\n```\n-->\nEnd <!-- open';
    expect(read(fromMarkdown(text))).toEqual([
      'A comment begins with `<!--` and ends with `-->`. It hides.',
      '```html\n<!-- menu -->\n<nav>\n```',
      'End <!-- open',
    ]);
  });

  test('takes a ruler of tildes for no code', () => {
    const text =
      'Rooms\n~~~~~\nThere are <!-- a\n~~~~\n--> two.\n\n~~~~~~~~~~~~\n\nNext.<!-- b -->\n';
    expect(read(fromMarkdown(text))).toEqual(['Rooms | There are two.', 'Rooms | Next.']);
  });

  test('gives a table row by row', () => {
    expect(
      read(fromMarkdown('| Name | Meaning |\n|---|:-:|\n| `A\\|B` | one |\n| C |  |')),
    ).toEqual(['Name, Meaning:\n- `A|B`: one\n- C']);
    expect(
      read(fromMarkdown('Name | Default | Meaning\n--- | --- | ---\nPORT | 3000 | where')),
    ).toEqual(['Name, Default, Meaning:\n- PORT – Default: 3000; Meaning: where']);
  });

  test.each([
    ['**bold**, *slanted*, __bold__ and ~~gone~~', 'bold, slanted, bold and gone'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    [
      'see [the guide](docs/guide.md) or [web](https://a.example "Title")',
      'see the guide or [web](https://a.example)',
    ],
    ['![badge](x.png) text <br> more &amp; <b>bold</b>', 'text more & bold'],
    ['use `a **b** <c>` here', 'use `a **b** <c>` here'],
    ['<https://a.example/b> \\*star\\*', 'https://a.example/b *star*'],
    ['before <!-- hidden\n\n --> after', 'before after'],
    ['POST /session/<uuid>/message', 'POST /session/<uuid>/message'],
  ])('reads %s', (markdown, text) => {
    expect(read(fromMarkdown(markdown))).toEqual([text]);
  });

  test('reads footnotes and what looks like the target of a link, and leaves out real targets', () => {
    const text = [
      'It costs 5 €[^1].',
      '',
      '[^1]: The price rises in 2027.',
      '[^2]: Soon.',
      '',
      '[Note]: Closed on Mondays.',
      '',
      '[a]: https://a.example/b',
      "  [b]: <b c.md> 'Title'",
      '[c]: c.md "A "quoted" title" ',
      '[//]: # (a comment)',
    ].join('\n');
    expect(read(fromMarkdown(text))).toEqual([
      'It costs 5 €[^1].',
      '[^1]: The price rises in 2027.',
      '[^2]: Soon.',
      '[Note]: Closed on Mondays.',
    ]);
  });

  test('keeps the words of a heading without text below it', () => {
    expect(read(fromMarkdown('# A\n## B\n## C\ntext'))).toEqual(['A | B', 'A | C | text']);
  });
});

describe('HTML', () => {
  const page = (body: string): string =>
    `<!doctype html><title>The &lt;page&gt;</title><body>${body}</body>`;
  const filler = `<p>${'Words that fill the page. '.repeat(20)}</p>`;

  test('gives the main content of the page, not what surrounds it', () => {
    const draft = fromHtml(
      page(
        `<header><h1>Site</h1></header><nav><a href="/">Home</a></nav><main><h1>Cats</h1>${filler}<p>Meow.</p></main><aside>Ads</aside><footer>©</footer><script>x()</script>`,
      ),
    );
    expect(draft.title).toBe('The <page>');
    expect(read(draft).at(-1)).toBe('Cats | Meow.');
    expect(JSON.stringify(draft)).not.toMatch(/Home|Ads|©|Site|x\(\)/u);
  });

  test('without a main part, leaves out navigation, lists of links and what is hidden', () => {
    const links =
      '<ul><li><a href=1>One link</a><li><a href=2>Two links</a><li><a href=3>More</a></ul>';
    const draft = fromHtml(
      page(`<div class="sidebar">Menu</div>${links}<p hidden>Secret</p><p>Meow.</p>`),
    );
    expect(read(draft)).toEqual(['Meow.']);
  });

  test('gives the navigation of a page that has nothing else', () => {
    expect(read(fromHtml(page('<nav><p>Opening hours: 9 to 5</p></nav>')))).toEqual([
      'Opening hours: 9 to 5',
    ]);
  });

  test('reads lists, steps with code, definitions, line breaks and preformatted text', () => {
    const draft = fromHtml(
      page(
        '<ul><li>a<ul><li>b</ul><li>c</ul><ol start=3><li><p>Run</p><pre>npm ci\nnpm start</pre><li>Wait</ol><dl><dt>Port<dd>3000</dl><p>One<br>two <code>x</code> &eacute;</p><pre>\n a\n  b\n</pre>',
      ),
    );
    expect(read(draft)).toEqual([
      '- a\n  - b\n- c',
      '3. Run\n  ```\n  npm ci\n  npm start\n  ```\n4. Wait',
      '- Port: 3000',
      'One\ntwo `x` é',
      '```\n a\n  b\n```',
    ]);
  });

  test('tells a table of values from one that lays out the page', () => {
    expect(read(fromHtml(page('<table><tr><th>Key<th>Value<tr><td>Port<td>3000</table>')))).toEqual(
      ['Key, Value:\n- Port: 3000'],
    );
    expect(
      read(
        fromHtml(page('<table><tr><td>One paragraph.</td></tr><tr><td>Another.</td></tr></table>')),
      ),
    ).toEqual(['One paragraph.', 'Another.']);
  });

  test('gives the text of a list item under the item’s own heading', () => {
    const people =
      '<ul><li><h3>Anna</h3><p>CEO</p></li><li><h3>Bert</h3><p>CTO</p></li></ul><h2>Next</h2>End.';
    expect(read(fromHtml(page(people)))).toEqual(['Anna | - CEO', 'Bert | - CTO', 'Next | End.']);
    const cell =
      '<table><tr><th>Who<th>What<tr><td>Team<td><ul><li>a<li><h4>Bert</h4>b</ul></table>';
    expect(read(fromHtml(page(cell)))).toEqual(['Who, What:\n- Team: - a Bert - b']);
  });

  test('gives a table within a list after the steps above it, with its columns', () => {
    const steps =
      '<ol><li>Open it<ul><li>wide</ul><li>Set this:<table><tr><th>Key<th>Value<tr><td>Port<td><ul><li>80<li>443</ul></table>as shown<li>Close it</ol>';
    expect(read(fromHtml(page(steps)))).toEqual([
      '1. Open it\n  - wide\n2. Set this:',
      'Key, Value:\n- Port: - 80 - 443',
      '  as shown\n3. Close it',
    ]);
  });

  test('reads the questions that open an accordion, and no other buttons', () => {
    const questions =
      '<h2 class="accordion-header"><button class="accordion-button">Do you ship abroad?</button></h2><div>Yes.<button>Copy</button></div>' +
      '<details><summary><button>Is it free?</button></summary>It is.</details>' +
      'Ask us.<button aria-expanded="false">When are you open?</button><div>Always.</div>' +
      '<div hidden><button aria-expanded="true">Secret</button></div>';
    const others =
      '<h2>Rooms <button>Copy</button></h2>Two.<button aria-expanded="false" aria-haspopup="menu">More</button>';
    expect(read(fromHtml(page(others)))).toEqual(['Rooms | Two.']);
    expect(read(fromHtml(page(questions)))).toEqual([
      'Do you ship abroad? | Yes.',
      'Do you ship abroad? | Is it free?',
      'Do you ship abroad? | It is.',
      'Do you ship abroad? | Ask us.',
      'Do you ship abroad? | When are you open?',
      'Do you ship abroad? | Always.',
    ]);
  });

  test('gives each value of a table with merged cells under its own column', () => {
    const shifts =
      '<table><tr><th colspan=4>Shifts<tr><th>Day<th>Shift<th>Hours<th>Pay' +
      '<tr><td rowspan=2>Monday<td>Early<td>6-14<td>14<tr><td>Late<td>14-22<td rowspan=2>15' +
      '<tr><td>Sunday<td colspan=2>closed<tr><td colspan=4>Holidays<tr></table>';
    expect(read(fromHtml(page(shifts)))).toEqual([
      'Shifts',
      'Day, Shift, Hours, Pay:\n- Monday – Shift: Early; Hours: 6-14; Pay: 14\n- Monday – Shift: Late; Hours: 14-22; Pay: 15\n- Sunday – Shift: closed; Hours: closed; Pay: 15\n- Holidays',
    ]);
  });

  test('repeats no more of merged cells than the table is long', () => {
    const hostile = '<tr><td rowspan=65000 colspan=99999>a<td>b'.repeat(1000);
    const text = read(fromHtml(page(`<table>${hostile}</table>`))).join('\n');
    expect(text).toContain('a: a');
    expect(text.length).toBeLessThan(1_000_000);
    const layout = `<table><tr><td colspan=9>${filler}${filler}<td>b</table>`;
    expect(read(fromHtml(page(layout)))).toHaveLength(2);
  });

  test('may be nested deeply, but not without end', () => {
    expect(read(fromHtml(page(`${'<div>'.repeat(4000)}deep`)))).toEqual(['deep']);
    expect(() => fromHtml(page('<div>'.repeat(100_000)))).toThrow(
      'The page is nested more than 5000 elements deep.',
    );
  });
});

describe('plain text', () => {
  test('joins the lines of a wrapped paragraph, and leaves lists and short lines', () => {
    const wrapped = 'This line is long enough that it was surely wrapped by\nits editor.';
    expect(read(fromText(`${wrapped}\n\n\nTo do:\n- one\n- two`))).toEqual([
      wrapped.replace('\n', ' '),
      'To do:\n- one\n- two',
    ]);
  });

  test('joins lines that are indented alike, and words that were hyphenated', () => {
    const text = [
      '       The  lock  is  held  until the command ends, which may take a dis‐',
      '       turbing time, or until somebody removes the royalty-',
      '       free lock.',
      '',
      '  The first line of a paragraph may be indented further than',
      'the rest.',
    ].join('\n');
    expect(read(fromText(text))).toEqual([
      'The lock is held until the command ends, which may take a disturbing time, or until somebody removes the royalty-free lock.',
      'The first line of a paragraph may be indented further than the rest.',
    ]);
  });

  test('joins lines of Chinese without a space', () => {
    const line = '图书馆九点到五点开门，'.repeat(6);
    expect(read(fromText(`${line}\n周日不开。\n`))).toEqual([`${line}周日不开。`]);
    expect(read(fromText(`${line}\n周日 不开。\n`))).toEqual([`${line} 周日 不开。`]);
  });

  test('leaves lines of code and of columns as they are', () => {
    const code = '    const first = readFirst(source, offset, length);\n    return first;';
    const columns = `${'a'.padEnd(30)}${'b'.padEnd(30)}c\n${'d'.padEnd(30)}${'e'.padEnd(30)}f`;
    const fenced = '```\n    a\n\n  b\n```';
    expect(read(fromText(code))).toEqual([code.replaceAll('    ', '')]);
    expect(read(fromText(columns))).toEqual([columns]);
    expect(read(fromText(`One.\n${fenced}\nTwo.`))).toEqual(['One.', fenced, 'Two.']);
  });

  test('gives a definition with its term, above it or beside it', () => {
    const manual = [
      'OPTIONS',
      '       -n, --nb',
      '       --nonblock',
      '              Fail rather than wait.',
      '',
      '       -w seconds',
      '              Wait for so long.',
      '',
      '       0      The command could be run, and whatever it had to do was',
      '              done.',
      '       126    It could not.',
    ].join('\n');
    expect(read(fromText(manual))).toEqual([
      'OPTIONS | - `-n, --nb, --nonblock`: Fail rather than wait.',
      'OPTIONS | - `-w seconds`: Wait for so long.',
      'OPTIONS | - 0: The command could be run, and whatever it had to do was done.\n- 126: It could not.',
    ]);
  });

  test('gives a definition of several paragraphs under its term, until the indentation ends', () => {
    const text = 'CALLS\n  open\n    Opens it.\n\n    Fails if it is open.\n\n  It ends.\n\nNotes.';
    expect(read(fromText(text))).toEqual([
      'CALLS | open | Opens it.',
      'CALLS | open | Fails if it is open.',
      'CALLS | It ends.',
      'Notes.',
    ]);
  });

  test('takes an underlined line for a heading, and other rulers for nothing', () => {
    const text = 'Guide\n=====\n\nRooms\n~~~~~\nTwo.\n\n----------\n\nEnd.';
    expect(read(fromText(text))).toEqual(['Guide | Rooms | Two.', 'Guide | Rooms | End.']);
  });

  test('takes no sentence, and nothing that leads to what is indented, for a term', () => {
    expect(read(fromText('Run this:\n    make\n\nThen wait.\n    sleep'))).toEqual([
      'Run this:\n    make',
      'Then wait.\n    sleep',
    ]);
  });

  test('cuts a line without end between words, or between characters where there are none', () => {
    const words = fromText('word '.repeat(10_000)).blocks;
    expect(words.length).toBeGreaterThan(1);
    expect(words.every(({ text }) => text.length <= 20_001)).toBe(true);
    const emoji = fromText('😀'.repeat(30_000)).blocks.map(({ text }) => text);
    expect(emoji.join('')).toBe('😀'.repeat(30_000));
    expect(emoji.every((text) => text.isWellFormed())).toBe(true);
  });
});

describe('CSV', () => {
  test('names each value by its column', () => {
    expect(
      read(
        fromCsv('City;Country;People\nRouen;"France; north";112 000\n\n"a ""b""";"two\nlines";1'),
      ),
    ).toEqual([
      'City, Country, People:\n- Rouen – Country: France; north; People: 112 000\n- a "b" – Country: two lines; People: 1',
    ]);
  });

  test.each([
    ['sep=;\nName;Fee\nTea, green;3,80'],
    ['SEP=\t\nName\tFee\nTea, green\t3,80'],
    ['"sep=;"\nName;Fee\nTea, green;3,80'],
    ['\n\nName;Fee\nTea, green;3,80'],
  ])('reads %j by the separator that it names, or that its first row has', (text) => {
    expect(read(fromCsv(text))).toEqual(['Name, Fee:\n- Tea, green: 3,80']);
  });

  test('takes no separator from within quotes', () => {
    expect(read(fromCsv('"Name, first, last";Age\n"Doe, J, X";30'))).toEqual([
      'Name, first, last, Age:\n- Doe, J, X: 30',
    ]);
  });

  test('takes separators from between quotes that are no cell’s', () => {
    expect(read(fromCsv('TV 42";TV 55"\n1,5;2,5'))).toEqual(['TV 42", TV 55":\n- 1,5: 2,5']);
    expect(read(fromCsv('"a ""x"", y, z";b\n1;2'))).toEqual(['a "x", y, z, b:\n- 1: 2']);
  });

  test('reads a quote that is never closed', () => {
    expect(read(fromCsv('a,b\n1,"2\n3,4'))).toEqual(['a, b:\n- 1: "2\n- 3: 4']);
  });

  test('cuts long tables into blocks, none of which loses its columns', () => {
    const rows = Array.from({ length: 250 }, (_, index) => `${index},x,y`).join('\n');
    const blocks = fromCsv(`n,a,b\n${rows}`).blocks;
    expect(blocks).toHaveLength(3);
    expect(blocks[2]?.text).toMatch(/^n, a, b:\n- 200 – a: x; b: y\n/u);
  });
});

describe('JSON', () => {
  test('gives a line for each value, under its path', () => {
    expect(
      fromJson(
        '{"name":"cfg","server":{"port":3000,"hosts":["a","b"],"none":null},"users":[{"id":1}]}',
      ),
    ).toEqual({
      title: 'cfg',
      blocks: ['name: cfg', 'server.port: 3000\nserver.hosts: a, b', 'users.1.id: 1'].map(
        (text) => ({ text, headings: [] }),
      ),
    });
  });

  test('gives numbers with all their digits, as they are written', () => {
    const json = '{"id":9007199254740993,"prices":[3.80,1E2],"far":1e400,"count":5}';
    expect(read(fromJson(json))).toEqual([
      'id: 9007199254740993',
      'prices: 3.80, 1E2',
      'far: 1e400',
      'count: 5',
    ]);
    expect(read(fromJson('{"id":1234567890123456789}\n{"id":2.50}'))).toEqual([
      'id: 1234567890123456789',
      'id: 2.50',
    ]);
  });

  test('reads JSON Lines', () => {
    expect(read(fromJson('{"a":1}\n\n{"a":2}\n'))).toEqual(['a: 1', 'a: 2']);
  });

  test('refuses what is broken or nested without end, and says so', () => {
    expect(() => fromJson('{"a":')).toThrow(/^The file is not valid JSON: /u);
    for (const depth of [50, 100_000]) {
      const json = `${'['.repeat(depth)}{}${']'.repeat(depth)}`;
      const problem = 'The JSON is nested more than 30 levels deep.';
      expect(() => fromJson(json)).toThrow(problem);
      expect(() => fromJson(`{"a":1}\n${json}`)).toThrow(problem);
    }
  });
});

describe('RTF', () => {
  test('gives the words without formatting', () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title My letter}{\author Me}}{\*\generator Word;}\f0\b Gr\'fc\'dfe\b0  to \u8364?100.\par Second \{one\}\~here\line line.}`;
    expect(fromRtf(rtf)).toEqual({
      title: 'My letter',
      blocks: [
        { text: 'Grüße to €100.', headings: [] },
        { text: 'Second {one} here\nline.', headings: [] },
      ],
    });
  });

  const fonts = String.raw`{\fonttbl{\f0\fnil Calibri;}{\f1\fnil\fcharset204 Calibri;}{\f2\fnil\fcharset128 MS Gothic;}}`;

  test.each([
    [
      'of a Western text',
      String.raw`\ansicpg1252${fonts}\f1 \'cf\'f0\'e8\'e2\'e5\'f2, \f0 caf\'e9`,
      'Привет, café',
    ],
    [
      'that is the default',
      String.raw`\ansicpg1252\deff1${fonts}\'cf\'f0{\f0\'e9}\'e8\f0\'e9\plain\'e2`,
      'Прéиéв',
    ],
    ['of a group', String.raw`\ansicpg1252${fonts}{\f2\'93\'fa{\b\'96\'7b}} \'e9`, '日本 é'],
    [
      'whose characters have a letter',
      String.raw`\ansicpg1252${fonts}\f2\'83e\'83X\'83g`,
      'テスト',
    ],
    [
      'whose characters are cut by a line end or have a backslash or brace',
      `\\ansicpg1252${fonts}\\f2\\'93\n\\'fa\\'83\\\\\\'83\\{`,
      '日ソボ',
    ],
    [
      'that is Western in a Chinese document, such as that of bullets',
      String.raw`\ansicpg936{\fonttbl\f0\fcharset0 Arial;\f1\fcharset2 Symbol;\f2\fcharset134 SimSun;}\f1\'b7\f0 caf\'e9teria don\'92t \f2\'c4\'e3`,
      '·caféteria don’t 你',
    ],
    [
      'of which a reader with Unicode needs none',
      String.raw`\ansicpg932${fonts}\f2\uc2\u26085\'93\'fa!`,
      '日!',
    ],
  ])('reads letters in the charset of a font %s', (_which, rtf, text) => {
    expect(read(fromRtf(`{\\rtf1\\ansi${rtf}\\par}`))).toEqual([text]);
  });

  test.each([
    [String.raw`\ansi\ansicpg932\'93\'fa\'96\'7b`, '日本'],
    [String.raw`\ansi\ansicpg936\'c4\'e3\'ba\'c3`, '你好'],
    [String.raw`\ansi\ansicpg949\'c7\'d1`, '한'],
    [String.raw`\mac Gr\'9f\'a7e`, 'Grüße'],
    [String.raw`\ansi\ansicpg12345 caf\'e9`, 'café'],
  ])('reads letters in the charset of the document: %s', (rtf, text) => {
    expect(read(fromRtf(`{\\rtf1${rtf}\\par}`))).toEqual([text]);
  });
});

describe('mail', () => {
  test('gives the subject, people, date and plain text', () => {
    const mail = [
      'From: =?utf-8?q?J=C3=BCrgen?= <j@a.example>',
      'To: team@a.example',
      'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
      ' =?utf-8?B?IGFsbGU=?=',
      'Date: Tue, 1 Sep 2026 10:00:00 +0000',
      'Content-Type: multipart/mixed; boundary="x"',
      '',
      '--x',
      'Content-Type: multipart/alternative; boundary=y',
      '',
      '--y',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Caf=E9 opens at=',
      ' nine.',
      '--y',
      'Content-Type: text/html',
      '',
      '<p>Café</p>',
      '--y--',
      '--x',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename=secret.txt',
      '',
      'attached',
      '--x--',
    ].join('\n');
    expect(fromEml(Buffer.from(mail))).toEqual({
      title: 'Grüße alle',
      blocks: [
        {
          text: 'From: Jürgen <j@a.example>\nTo: team@a.example\nDate: Tue, 1 Sep 2026 10:00:00 +0000',
          headings: [],
        },
        { text: 'Café opens at nine.', headings: [] },
      ],
    });
  });

  test.each([
    ['windows-1251', [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2], 'Привет'],
    ['koi8-r', [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4], 'Привет'],
    ['ISO-2022-JP', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42], '日本'],
    ['us-ascii', [...Buffer.from('Привет, à')], 'Привет, à'],
    ['utf-16', [...Buffer.from('Hello')], 'Hello'],
  ])('reads parts that are sent as they are in their charset: %s', (charset, bytes, text) => {
    const mail = Buffer.concat([
      Buffer.from('\ufeffSubject: '),
      Buffer.from(bytes),
      Buffer.from(`\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`),
      Buffer.from(bytes),
    ]);
    expect(fromEml(mail)).toMatchObject({ title: text, blocks: [{}, { text }] });
  });

  test('reads a character that is cut between two words of a header', () => {
    const bytes = Buffer.from('日本');
    const [first, rest] = [bytes.subarray(0, 4), bytes.subarray(4)].map((part) =>
      part.toString('base64'),
    );
    const subject = `=?UTF-8?B?${first}?=\n =?utf-8?B?${rest}?= =?iso-8859-1?Q?=E9_?= =?utf-8?q?!?= a`;
    expect(fromEml(Buffer.from(`Subject: ${subject}\n\nHi`)).title).toBe('日本é ! a');
  });

  test('reads adjacent words of a header that are Japanese', () => {
    const word = '=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=';
    const mail = `Subject: ${word}\n ${word} =?iso-2022-jp?q?!?=\n\nHi`;
    expect(fromEml(Buffer.from(mail)).title).toBe('日本日本!');
  });

  const mailbox = (mails: string[]) =>
    Buffer.from(mails.map((mail) => `From a@b Tue Sep  1 10:00:00 2026\n${mail}\n`).join('\n'));

  test('reads each mail of a mailbox under its subject', () => {
    const mails = [
      'From: a@b.example\nSubject: Rooms\n\nFrom here on it is quiet.',
      'From: c@d.example\nSubject: =?utf-8?q?Caf=C3=A9?=\nContent-Type: text/html\n\n<h1>Hours</h1>9 to 5',
    ];
    const draft = fromEml(mailbox(mails));
    expect(draft.title).toBe('');
    expect(read(draft)).toEqual([
      'Rooms | From: a@b.example',
      'Rooms | From here on it is quiet.',
      'Café | From: c@d.example',
      'Café | Hours | 9 to 5',
    ]);
    expect(fromEml(mailbox(mails.slice(0, 1))).title).toBe('Rooms');
    expect(() => fromEml(mailbox(Array(10_001).fill('To: a@b.example')))).toThrow(
      /^The file unpacks to more than 10000 entries/u,
    );
  });

  test('reads a text once where the boundary of its versions begins like that of the mail', () => {
    const mail = [
      'Subject: Hours',
      'Content-Type: multipart/mixed; boundary="b(1"',
      '',
      '--b(1',
      'Content-Type: multipart/alternative; boundary="b(1-2"',
      '',
      '--b(1-2',
      'Content-Type: text/plain',
      '',
      '9 to 5',
      '--b(1-2',
      'Content-Type: text/html',
      '',
      '<p>9 to 5</p>',
      '--b(1-2--',
      '--b(1 ',
      'Content-Type: text/plain',
      '',
      'Bye',
      '--b(1--',
      'Not shown',
    ];
    expect(read(fromEml(Buffer.from(mail.join('\r\n'))))).toEqual(['', '9 to 5', 'Bye']);
  });

  test('reads a part without headers, and a mail below a blank line', () => {
    const parts = ['--b', '', 'Hello', '--b', 'Content-Type: text/plain', '', 'there', '--b--'];
    const mail = ['', 'Subject: Hi', 'Content-Type: multipart/mixed; boundary=b', '', ...parts];
    const draft = fromEml(Buffer.from(mail.join('\n')));
    expect(draft.title).toBe('Hi');
    expect(read(draft)).toEqual(['', 'Hello', 'there']);
  });

  test('finds no parts below a boundary without end', () => {
    const boundary = 'b.'.repeat(50_000);
    const type = `Content-Type: multipart/mixed; boundary="${boundary}"`;
    const mail = `Subject: Hi\nFrom: a@b.example\n${type}\n\n--${boundary}\n\nHello`;
    expect(read(fromEml(Buffer.from(mail)))).toEqual(['From: a@b.example']);
  });

  test('stops at parts that are nested without end', () => {
    let mail = 'Content-Type: text/plain\n\nvery deep';
    for (let depth = 0; depth < 100; depth++) {
      mail = `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n${mail}\n--b${depth}--`;
    }
    const bytes = Buffer.from(`From: a@b.example\n${mail}`);
    expect(read(fromEml(bytes))).toEqual(['From: a@b.example']);
  });
});
