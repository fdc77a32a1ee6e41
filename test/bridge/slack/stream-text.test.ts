import { array, assert, constantFrom, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/bridge/slack/render.ts';
import { renderStream, streamStart } from '../../../src/bridge/slack/streams.ts';

/** What is sent, piece by piece, the last of it at the end. */
function stream(pieces: readonly string[]): string[] {
  let text = streamStart;
  const sent = pieces.map((piece) => {
    const { rendered, next } = renderStream(text, piece);
    text = next;
    return rendered;
  });
  return [...sent, renderStream(text, '', { ended: true }).rendered];
}

function cut(text: string, at: readonly number[]): string[] {
  const cuts = [0, ...at.map((each) => each % (text.length + 1)), text.length];
  const ends = cuts.toSorted((a, b) => a - b);
  return ends.slice(1).map((end, index) => text.slice(ends[index], end));
}

const fragments = [
  '# Title\n\n',
  '- [x] done\n  - [ ] nested\n',
  '1. one\n2. two\n',
  '> quoted > twice\n> > deeper\n',
  '- > in a list\n',
  '```html\n<b> <!channel>\n``\n```\n',
  '~~~\n<@U012AB3CD>\n~~~\n',
  '> ```\n> a < b\n> ```\n',
  '| a | b |\n|---|---|\n| `x|y` | <br> |\n',
  '\n| a | b |\n|---|---|\n| a<br />b<BR> | `<br>` |\n| c',
  `| ${'w<br />'.repeat(90)} |`,
  '<br />',
  `\n\n|${'w|'.repeat(21)}\n|${'---|'.repeat(21)}\n| <b> \`c\` |\n`,
  `\nw${'|'.repeat(21)}\n`,
  'plain words, and more. ',
  'un deux 三つの言葉です。',
  '**bold text** ',
  'a `<!here>` code ``x <`> y`` ',
  '[label](https://x.example/?a=1&b=2) ',
  '[a](<https://x.example/a b>) ',
  '<https://x.example|shown here> <https://x.example/> ',
  '![a chart](https://x.example/c.png) ![](https://x.example/d.png) ',
  'at https://x.example/$a_b$/@here now ',
  '<!channel> <@U012AB3CD> <!subteam^S012> ',
  '@here ada@here.example (@channel) ',
  'where \\(x_1 < y\\) and $E = mc^2$, or $$\\alpha$$ ',
  '\\[\n\\frac{a}{b}\n\\]\n',
  '$$\nx < y\n$$\n',
  'costs $5, or $6 and \\$7. ',
  '[1] [2][3] ',
  '😀👩‍👩‍👧 ',
  '\n',
  '\n\n',
];

const markdown = array(constantFrom(...fragments), { maxLength: 12 }).map((parts) =>
  parts.join(''),
);
const cuts = array(nat(), { maxLength: 30 });

describe('the text of a stream', () => {
  test('is the whole as it is rendered at once, wherever it was cut', () => {
    assert(
      property(markdown, cuts, (text, at) => {
        expect(stream(cut(text, at)).join('')).toBe(renderMarkdown(text));
      }),
      { numRuns: 500 },
    );
  });

  test('comes one character at a time as well', () => {
    assert(
      property(markdown, (text) => {
        expect(stream(text.split('')).join('')).toBe(renderMarkdown(text));
      }),
      { numRuns: 100 },
    );
  });

  test('lets no ping through, whatever it is made of and wherever it was cut', () => {
    const noise = array(
      constantFrom(...Array.from('`~<>!@|$\\()[] \nab'), '<!channel>', '<@U012AB3CD>', '```'),
      {
        maxLength: 60,
      },
    ).map((parts) => parts.join(''));
    assert(
      property(noise, cuts, (text, at) => {
        expect(stream(cut(text, at)).join('')).not.toMatch(/<(?:!channel|@U012AB3CD)>/);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['a word at once', ['Hel'], ['Hel', '']],
    ['a list item when it has words', ['- ', 'Hi'], ['', '- Hi', '']],
    [
      'a link when it is whole',
      ['see [the', ' docs](https://x.example', ') now'],
      ['see ', '', '[the docs](https://x.example) now', ''],
    ],
    ['code when it is whole', ['run `npm', ' start` now'], ['run ', '`npm start` now', '']],
    [
      'fenced code line by line',
      ['```js\nlet a', ' = 1;\n', '```\n'],
      ['```js\nlet a', ' = 1;\n', '```\n', ''],
    ],
    ['a mention when it is none', ['hi @he', 'y you'], ['hi ', '@hey you', '']],
    ['a formula when it is whole', ['$$\nx', '\n$$', '\nso'], ['', '', '```\nx\n```\nso', '']],
  ])('shows %s', (_, pieces, sent) => {
    expect(stream(pieces)).toEqual(sent);
  });

  test.each(['1'.repeat(5_000), '- '.repeat(5_000), '`'.repeat(5_000), '$a'.repeat(5_000)])(
    'takes no longer where nothing begins that seems to: %#',
    (text) => expect(stream([text, ' so']).join('')).toBe(renderMarkdown(`${text} so`)),
  );

  test('is not held back forever when unclosed', () => {
    const [sent = ''] = stream([`see [this ${'word '.repeat(200)}`]);
    expect(sent.length).toBeGreaterThan(400);
  });
});
