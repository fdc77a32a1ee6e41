import { assert, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLastBreak } from '../../../../src/bridge/conversation/markdown/breakpoints.ts';
import {
  closeMarkdown,
  leaveClosingRoom,
} from '../../../../src/bridge/conversation/markdown/close-markdown.ts';
import {
  createSplitter,
  takeSegment,
} from '../../../../src/bridge/conversation/markdown/split-markdown.ts';
import { splitMarkdown, assertWhole, findOpenFence } from './pieces.ts';
import { atOnce } from '../../../../src/shared/primitives/time.ts';
import { corpus, disorder } from './corpus.ts';

const upTo = (max: number) => ({ fits: (markdown: string) => markdown.length <= max });
/** As platforms measure that escape what could be a mention. */
const escaping = (max: number) => ({
  fits: (markdown: string) => markdown.replaceAll('<', '&lt;').length <= max,
});

describe('the first segment alone', () => {
  test.each(['', 'One.', 'one two three', '- a\n- b\n- c', '```\none\ntwo\nthree\nfour\n```'])(
    'is the one that splitting begins with: %j',
    (markdown) => {
      const all = splitMarkdown(markdown, upTo(12));
      const { segment, isWhole } = atOnce(takeSegment(markdown, upTo(12)));
      expect(segment).toBe(all[0] ?? '');
      expect(isWhole).toBe(all.length < 2);
    },
  );

  test('takes no longer for a text that is much too long', () => {
    const tried: number[] = [];
    const fits = (part: string) => tried.push(part.length) > 0 && part.length <= 1_000;
    atOnce(takeSegment('some words\n'.repeat(10_000), { fits }));
    expect(Math.max(...tried)).toBeLessThan(3_000);
    expect(tried.length).toBeLessThan(30);
  });
});

describe('where a segment is to end', () => {
  test('it ends, and the next one goes on with what it needs', () => {
    const text = 'One.\n\n1. a\n\n1. b\n\n```js\ncode\n```\n\nEnd.';
    const ends = ['1. a', '1. b', '```js', 'End.'].map((part) => text.indexOf(part));
    expect(atOnce(createSplitter(upTo(100))(text, ends))).toEqual([
      'One.',
      '1. a',
      '2. b',
      '```js\ncode\n```',
      'End.',
    ]);
  });

  test('whatever does not fit before is cut as well, and nothing is lost', () => {
    const text = 'First one here. And more.\n\nSecond one.';
    const split = createSplitter(upTo(20));
    expect(atOnce(split(text, [27]))).toEqual(['First one here.', 'And more.', 'Second one.']);
    expect(atOnce(split(`${text} Third.`, [27]))).toEqual([
      'First one here.',
      'And more.',
      'Second one. Third.',
    ]);
  });
});

describe('the last place where a message can end', () => {
  test.each([
    ['One. Two', undefined, 5],
    ['One.\n\nTwo', 6, 6],
    ['One.\n\nTwo. [1.2] Three', 6, 17],
    ['One.\n\n# Two\n\nThree', 6, 6],
    ['It has:\n\n- a', undefined, undefined],
    ['```\none\n\ntwo', undefined, undefined],
    ['```\none\n```\n\ntwo', 13, 13],
    ['', undefined, undefined],
  ])('of %j', (text, paragraph, sentence) => {
    expect(findLastBreak(text, 'paragraphs')).toBe(paragraph);
    expect(findLastBreak(text, 'sentences')).toBe(sentence);
  });
});

describe('where a text is cut', () => {
  test('nowhere while it fits', () => {
    expect(splitMarkdown('One.\n\nTwo.\n', upTo(20))).toEqual(['One.\n\nTwo.']);
    expect(splitMarkdown(' \n\n', upTo(20))).toEqual([]);
  });

  test('between paragraphs, else lines, sentences, words', () => {
    expect(splitMarkdown('First one here.\n\nSecond one.', upTo(22))).toEqual([
      'First one here.',
      'Second one.',
    ]);
    expect(splitMarkdown('- the first\n- the second', upTo(22))).toEqual([
      '- the first',
      '- the second',
    ]);
    expect(splitMarkdown('It is here. It is not.', upTo(20))).toEqual([
      'It is here.',
      'It is not.',
    ]);
    expect(splitMarkdown('one two three four five', upTo(20))).toEqual([
      'one two three four',
      'five',
    ]);
  });

  test('between words that no space parts', () => {
    expect(splitMarkdown('我们需要使用分词器来寻找合适的位置', upTo(12))).toEqual([
      '我们需要使用分词器来寻找',
      '合适的位置',
    ]);
  });

  test('not behind a heading or what leads up to a list', () => {
    expect(splitMarkdown('Some words before.\n\n## Title\n\nText below it.', upTo(35))).toEqual([
      'Some words before.',
      '## Title\n\nText below it.',
    ]);
    const words = 'Some words that go before it and take up most of the room there is.';
    expect(splitMarkdown(`${words} You need:\n- a spoon\n- a fork`, upTo(86))).toEqual([
      words,
      'You need:\n- a spoon\n- a fork',
    ]);
  });

  test.each([
    ['a link', '[the guide to it](https://a.example/x)'],
    ['an image', '![a round thing](https://a.example/x)'],
    ['an address', 'https://a.example/some/where?to=go&or=not'],
    ['a code span', '`npm run check and more of it`'],
    ['bold words', '**so very bold**'],
    ['LaTeX', '$x_1 + x_2 = y$'],
  ])('no cut is inside of %s', (_, whole) => {
    const words = 'Words that go before it and take up most of the room that there is, and more:';
    expect(splitMarkdown(`${words} ${whole} end`, upTo(words.length + 8))).toEqual([
      words,
      `${whole} end`,
    ]);
  });

  test('inside of a link that is longer than a piece', () => {
    const link = `[${'word '.repeat(12)}](https://a.example)`;
    expect(splitMarkdown(link, upTo(40)).join(' ').replaceAll(/\s+/g, ' ')).toBe(
      link.replaceAll(/\s+/g, ' '),
    );
  });

  test('not inside a grapheme cluster, unless one alone is too long', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(splitMarkdown(family.repeat(5), upTo(25))).toEqual([
      family.repeat(2),
      family.repeat(2),
      family,
    ]);
    expect(splitMarkdown(family, upTo(8)).join('')).toBe(family);
  });

  test('where nothing fits, nowhere', () => {
    expect(() => splitMarkdown('word', { fits: () => false })).toThrow(RangeError);
  });
});

describe('what a piece repeats', () => {
  test('the opening line of fenced code, and a closing one at the end', () => {
    const code = '  ```js n="a"\n  one();\n  two();\n  three();\n  ```\nend';
    expect(splitMarkdown(code, upTo(42))).toEqual([
      '  ```js n="a"\n  one();\n  two();\n  ```',
      '  ```js n="a"\n  three();\n  ```\nend',
    ]);
  });

  test('nothing is repeated that leaves no room to close the code of the last piece', () => {
    const code = `\`\`\`js\n${'one two '.repeat(20)}\n\`\`\``;
    for (let end = 0; end <= code.length; end += 1) {
      const last = splitMarkdown(code.slice(0, end), upTo(40)).at(-1) ?? '';
      expect(closeMarkdown(last).length).toBeLessThanOrEqual(40);
    }
  });

  test('fences as long as they are, with shorter ones inside', () => {
    expect(splitMarkdown('~~~~\n```\nword word\n```\nmore words\n~~~~', upTo(33))).toEqual([
      '~~~~\n```\nword word\n```\n~~~~',
      '~~~~\nmore words\n~~~~',
    ]);
  });

  test('fences in quotes and in list items', () => {
    expect(splitMarkdown('> ```\n> one line\n> two line\n> ```', upTo(26))).toEqual([
      '> ```\n> one line\n> ```',
      '> ```\n> two line\n> ```',
    ]);
    expect(splitMarkdown('- ```\n  one line\n  two line\n  ```', upTo(26))).toEqual([
      '- ```\n  one line\n  ```',
      '  ```\n  two line\n  ```',
    ]);
  });

  test('of an opening line that is too long, only the fence', () => {
    const code = `\`\`\`js ${'x'.repeat(40)}\none line\ntwo line\n\`\`\``;
    expect(splitMarkdown(code, upTo(64))).toEqual([
      `\`\`\`js ${'x'.repeat(40)}\none line\n\`\`\``,
      '```\ntwo line\n```',
    ]);
  });

  test('the header of a table', () => {
    const head = '| a | b |\n|---|--:|\n';
    expect(splitMarkdown(`${head}| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |`, upTo(40))).toEqual([
      `${head}| 1 | 2 |\n| 3 | 4 |`,
      `${head}| 5 | 6 |`,
    ]);
    const bare = 'a | b\n--|--\n';
    expect(splitMarkdown(`${bare}one | two\nsix | ten\n\ntext`, upTo(26))).toEqual([
      `${bare}one | two`,
      `${bare}six | ten`,
      'text',
    ]);
  });

  test('nothing behind a table', () => {
    const [, last] = splitMarkdown('| a | b |\n|--|--|\n| 1 | 2 |\nSome text', upTo(34));
    expect(last).toBe('Some text');
  });
});

describe('lists', () => {
  test('go on with the right number, however they are numbered', () => {
    expect(splitMarkdown('1. one\n2. two\n3. three', upTo(16))).toEqual([
      '1. one\n2. two',
      '3. three',
    ]);
    expect(splitMarkdown('1. one\n1. two\n1. three\n1. four', upTo(18))).toEqual([
      '1. one\n1. two',
      '3. three\n1. four',
    ]);
  });

  test('keep their number behind what an item holds', () => {
    const [, second] = splitMarkdown('1. one\n   - aaaa\n   - bbbb\n1. two', upTo(20));
    expect(second).toBe('   - bbbb\n2. two');
  });

  test('move left where they would become indented code', () => {
    const nested = '- a\n  - b\n    - one item\n    - two item\n    - six item\n  - c';
    expect(splitMarkdown(nested, upTo(44))).toEqual([
      '- a\n  - b\n    - one item\n    - two item',
      '   - six item\n  - c',
    ]);
  });
});

describe.each([64, 200, 1000])('pieces of at most %i characters', (max) => {
  const limits = escaping(max);

  test.each(corpus)('fit and hold the whole text: %s', (_, text) => {
    const pieces = splitMarkdown(text, limits);
    for (const piece of pieces) {
      expect(limits.fits(piece)).toBe(true);
      expect(piece.trim()).not.toBe('');
    }
    expect(() => assertWhole(text, pieces)).not.toThrow();
  });

  test.each(corpus)('leave no fence open: %s', (_, text) => {
    for (const piece of splitMarkdown(text, limits)) expect(findOpenFence(piece)).toBeUndefined();
  });
});

test('any text is in its pieces, each of which fits', () => {
  assert(
    property(disorder, integer({ min: 48, max: 160 }), (text, max) => {
      const limits = escaping(max);
      const pieces = splitMarkdown(text, limits);
      for (const piece of pieces) {
        expect(limits.fits(piece)).toBe(true);
        expect(piece.trim()).not.toBe('');
      }
      assertWhole(text, pieces);
    }),
    {
      numRuns: 400,
      examples: [['| g \n- \n| a | b |\n|---|--:|\n| c | d |\n| e | f |word ', 48]],
    },
  );
});

describe('while a text grows', () => {
  /** The prefixes of which a piece, not the last, is none of the whole's. */
  function findUnstable(
    text: string,
    whole: readonly string[],
    split: (prefix: string) => string[],
  ): string[] {
    return Array.from({ length: text.length }, (_, end) => text.slice(0, end)).filter((prefix) =>
      split(prefix)
        .slice(0, -1)
        .some((piece, index) => piece !== whole[index]),
    );
  }

  test.each(corpus)('its pieces stay as they are: %s', (_, text) => {
    const whole = splitMarkdown(text, escaping(200));
    const split = createSplitter(escaping(200));
    expect(findUnstable(text, whole, (prefix) => atOnce(split(prefix)))).toEqual([]);
    const begun = text.slice(0, 400);
    expect(findUnstable(begun, whole, (prefix) => splitMarkdown(prefix, escaping(200)))).toEqual(
      [],
    );
  });

  test.each([
    ['whose closing line comes in parts', 'words\n\n```\none two six\n```\nend of it'],
    ['whose closing line is less indented', 'words\n\n   ```\none two six\n```\nend of it'],
    ['that ends with its quote', 'words\n\n> ```\n> one two six\n\nend of it'],
  ])('whatever the limit, around code %s', (_, text) => {
    const limits = Array.from({ length: 40 }, (_, more) => 24 + more);
    const unstable = limits.filter((max) => {
      const splitAnew = (prefix: string) => splitMarkdown(prefix, escaping(max));
      return findUnstable(text, splitAnew(text), splitAnew).length > 0;
    });
    expect(unstable).toEqual([]);
  });

  test('the pieces of any text stay', () => {
    assert(
      property(disorder, integer({ min: 48, max: 160 }), (text, max) => {
        const splitAnew = (prefix: string) => splitMarkdown(prefix, escaping(max));
        expect(findUnstable(text, splitAnew(text), splitAnew)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('a splitter gives the same result as splitting at once, and starts over with another text', () => {
    assert(
      property(disorder, disorder, integer({ min: 48, max: 160 }), (one, other, max) => {
        const split = createSplitter(escaping(max));
        for (const text of [one.slice(0, one.length / 2), one, other, `${other} and more`]) {
          expect(atOnce(split(text))).toEqual(splitMarkdown(text, escaping(max)));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('a splitter keeps its pieces even where the measure falls', () => {
    const split = createSplitter({
      fits: (markdown) => markdown.endsWith('!') || markdown.length <= 20,
    });
    const [first] = atOnce(split('some words that are too long'));
    expect(atOnce(split('some words that are too long!'))[0]).toBe(first);
  });
});

test('a piece closed for showing fits where its room was taken off', () => {
  assert(
    property(disorder, integer({ min: 100, max: 300 }), (text, max) => {
      const limits = escaping(max);
      for (const piece of splitMarkdown(text, leaveClosingRoom(limits))) {
        expect(limits.fits(closeMarkdown(piece))).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test('splitting takes time in proportion to the text, and a tick to the last piece', () => {
  const measured = { characters: 0 };
  const limits = {
    fits(markdown: string) {
      measured.characters += markdown.length;
      return markdown.length <= 2000;
    },
  };
  const long = corpus.map(([, text]) => text).join('\n\n');
  const text = long.repeat(10);
  splitMarkdown(text, limits);
  expect(measured.characters).toBeLessThan(text.length * 30);

  const split = createSplitter(limits);
  atOnce(split(text));
  measured.characters = 0;
  atOnce(split(`${text} word`));
  expect(measured.characters).toBeLessThan(2 * 2000);
});
