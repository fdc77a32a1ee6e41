import { describe, expect, test } from 'vitest';
import { renderMarkdown, renderSmallPrint } from '../../../src/bridge/discord/render.ts';
import { growthOf, inProportion } from '../../fixtures/growth.ts';

const hidden = '\u200B';
/** Three backticks that end no code. */
const broken = `\`${hidden}\`\``;

describe('what Discord lacks', () => {
  test.each([
    ['#### Deep', '**Deep**'],
    ['##### A **bold** one ##', '**A bold one**'],
    ['### Third', '### Third'],
    ['- [ ] open', '- ☐ open'],
    ['  * [x] done', '  * ☑ done'],
    ['1. [X] done', '1. ☑ done'],
    ['+ plus', '- plus'],
    ['---', '──────────'],
    ['* * *', '──────────'],
    ['\\[\n@everyone_1\n\\]', '```\n@everyone_1\n```'],
    [
      '[![Build](https://ci.example/b.svg)](https://ci.example/run)',
      '[Build](https://ci.example/run)',
    ],
    ['[![](https://a.example/b.svg)](https://b.example)', '[image](https://b.example)'],
    ['\t- nested\n\t\t+ deeper', '  - nested\n    - deeper'],
    ['    1. [ ] four deep', '    1. ☐ four deep'],
    ['__bold__ and __two words__', '**bold** and **two words**'],
    ['> > nested', '> nested'],
    ['>>> deep', '> deep'],
  ])('%s becomes %s', (markdown, rendered) => {
    expect(renderMarkdown(markdown)).toBe(rendered);
  });

  test('a table is fenced', () => {
    const rendered = renderMarkdown('| Name | Age |\n| --- | --- |\n| Ada | 36 |');
    expect(rendered).toMatch(/^```\n[^]*Ada[^]*\n```$/);
  });
});

test('the text of an image pings nobody', () => {
  expect(renderMarkdown('![@everyone](https://a.example/b.png)')).toBe(
    `[@${hidden}everyone](https://a.example/b.png)`,
  );
});

describe('what Discord would interpret', () => {
  test.each([
    ['@everyone and @here', `@${hidden}everyone and @${hidden}here`],
    ['<@123> <@!123> <@&5>', `<${hidden}@123> <${hidden}@!123> <${hidden}@&5>`],
    ['<#77> </ask:1>', `<${hidden}#77> <${hidden}/ask:1>`],
    [
      '<t:1700000000:R> <:smile:1> <a:wave:2>',
      `<${hidden}t:1700000000:R> <${hidden}:smile:1> <${hidden}a:wave:2>`,
    ],
    ['a || b || c', String.raw`a \|\| b \|\| c`],
  ])('%s reads as it is written', (markdown, rendered) => {
    expect(renderMarkdown(markdown)).toBe(rendered);
  });
});

describe('fenced code, of which Discord knows only three backticks', () => {
  test.each([
    ['~~~~ js\n#### code\n~~~\n~~~~~ ', '```js\n#### code\n~~~\n```'],
    ['````md\n```js\nx\n```\n````', `\`\`\`md\n${broken}js\nx\n${broken}\n\`\`\``],
    ['```\n````js\n```', `\`\`\`\n\`${hidden}${broken}js\n\`\`\``],
    ['~~~ ```js\nx\n~~~', '```\nx\n```'],
    ['```js title="a.js" {1,3}\nx\n```', '```js\nx\n```'],
    ['- ``` c++ \n  x\n  ```', '- ```c++\n  x\n  ```'],
    ['```{.python}\nx\n```', '```\nx\n```'],
    ['- ~~~\n  x\n  ~~~\n> ````\n> y\n> ````', '- ```\n  x\n  ```\n> ```\n> y\n> ```'],
  ])('%j becomes %j', (markdown, rendered) => {
    expect(renderMarkdown(markdown)).toBe(rendered);
  });

  test('a table with backticks stays whole', () => {
    expect(renderMarkdown('| a |\n|---|\n| x ``` y |')).toBe(
      `\`\`\`\na\n-------\nx ${broken} y\n\`\`\``,
    );
  });
});

describe('what stays', () => {
  test.each([
    '[a link](https://example.com/a_(b)__c__d) and https://example.com/__init__?a||b',
    '<https://example.com>',
    'a <b>tag</b> and 1 < 2 <br>',
    '`__code__ @everyone <@1> || ![x](y)`',
    '```\n#### code\n@everyone <@1> __init__\n- [ ] x\n---\n```',
    '- ```js\n  #### code\n  ```',
    'mail@example.com snake__case__name',
    '-# small',
    '#hashtag',
  ])('%s', (markdown) => {
    expect(renderMarkdown(markdown)).toBe(markdown);
  });

  test('what follows a fence is rendered again', () => {
    expect(renderMarkdown('```\na\n```\n#### b')).toBe('```\na\n```\n**b**');
  });
});

test.each(['__a', '`', '![[', '>', '$x', '\\(', '[![a](', '$$\n', ']((', '- '])(
  'rendering %j without end takes time in proportion to the text',
  (piece) => {
    const render = (length: number) => renderMarkdown(piece.repeat(length / piece.length));
    expect(growthOf(render, 80_000)).toBeLessThan(inProportion);
  },
);

describe('small print', () => {
  test('has a sign before each line', () => {
    expect(renderSmallPrint('Sources: [1] a.md\n\nCut.')).toEqual([
      '-# Sources: [1] a.md',
      '-# Cut.',
    ]);
  });

  test('is broken between sources where a line is too long, and nothing is lost', () => {
    const sources = Array.from(
      { length: 60 },
      (_, index) => `[${index}] [Title](https://example.com/${'x'.repeat(40)})`,
    );
    const lines = renderSmallPrint(sources.join(' · '));
    expect(lines.length).toBeGreaterThan(1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2_000);
    expect(lines.map((line) => line.slice(3)).join(' · ')).toBe(sources.join(' · '));
  });
});
