import { describe, expect, test } from 'vitest';
import { escapeText, renderMarkdown, renderMrkdwn } from '../../../src/bridge/slack/render.ts';

const breaker = '\u200B';

describe('Markdown for Slack', () => {
  test.each(['<!channel>', '<!here|here>', '<@U012AB3CD>', '<#C012AB3CD|help>', '<!subteam^S01>'])(
    'shows %s as text, which pings nobody',
    (ping) => {
      const rendered = renderMarkdown(`Hello ${ping}, there`);
      expect(rendered).not.toMatch(/[<>]/);
      expect(rendered.replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toBe(`Hello ${ping}, there`);
    },
  );

  test.each(['here', 'channel', 'everyone'])('breaks @%s where it would call a group', (group) => {
    expect(renderMarkdown(`Hey @${group}!`)).toBe(`Hey @${breaker}${group}!`);
    expect(renderMarkdown(`ada@${group}.example`)).toBe(`ada@${group}.example`);
    expect(renderMarkdown(`https://x.example/@${group}`)).toBe(`https://x.example/@${group}`);
  });

  test('keeps quotes, nested ones and those in lists', () => {
    const quotes = '> one\n> > two\n- > three\n>four';
    expect(renderMarkdown(quotes)).toBe(quotes);
    expect(renderMarkdown('> a > b')).toBe('> a &gt; b');
  });

  test('leaves code as it is', () => {
    const code = 'If `a < b && c > d`:\n\n```html\n<!DOCTYPE html>\n<b>@here</b>\n```\n``x <`> y``';
    expect(renderMarkdown(code)).toBe(code);
  });

  test('goes on escaping after a fence, and treats an open one as code', () => {
    expect(renderMarkdown('~~~\n```\n<a>\n~~~\n<b>')).toBe('~~~\n```\n<a>\n~~~\n&lt;b&gt;');
    expect(renderMarkdown('  ```\n<a>')).toBe('  ```\n<a>');
    expect(renderMarkdown('> ```\n> <a>\n> ```\n> <b>')).toBe('> ```\n> <a>\n> ```\n> &lt;b&gt;');
  });

  test('breaks a ping within code without a visible change', () => {
    expect(renderMarkdown('`<!channel>`')).toBe(`\`<${breaker}!channel>\``);
    expect(renderMarkdown('```\n<@U012AB3CD>\n```')).toBe(`\`\`\`\n<${breaker}@U012AB3CD>\n\`\`\``);
  });

  test('keeps links and their parameters', () => {
    const links = '[docs](https://x.example/a?b=1&c=2) and https://x.example/?a=1&b=2.';
    expect(renderMarkdown(links)).toBe(links);
    expect(renderMarkdown('<https://x.example/?a=1&b=2>')).toBe('https://x.example/?a=1&b=2');
    expect(renderMarkdown('[a](<https://x.example/a b>)')).toBe('[a](https://x.example/a%20b)');
  });

  test('shows HTML and comparisons as they were written', () => {
    expect(renderMarkdown('a <br> b, 1 < 2')).toBe('a &lt;br&gt; b, 1 &lt; 2');
  });

  test('shows a line break in a table as a space', () => {
    const table = (row: string) => `${row}\n|---|---|\n${row}\n\nc <br>`;
    expect(renderMarkdown(table('| Mon<br>Tue<BR />**Wed**<br/>Thu | `<br>` <b> |'))).toBe(
      table('| Mon Tue **Wed** Thu | `<br>` &lt;b&gt; |').replace('c <br>', 'c &lt;br&gt;'),
    );
  });

  test('keeps an unclosed backtick from hiding a ping', () => {
    expect(renderMarkdown('a ` b <!channel>')).toBe('a ` b &lt;!channel&gt;');
    expect(renderMarkdown('a `` b <!channel> ` c')).toBe('a `` b &lt;!channel&gt; ` c');
  });
});

describe('what Slack’s markdown block has nothing for', () => {
  test.each([
    ['$$ a < b\n+ c $$', '```\na < b\n+ c \n```'],
    ['- then\n  $$\n  x_1\n  $$\n- so', '- then\n  ```\n  x_1\n  ```\n- so'],
    ['\\(<!channel>\\)', `\`<${breaker}!channel>\``],
  ])('a formula stands as code: %j', (formula, code) => {
    expect(renderMarkdown(formula)).toBe(code);
  });

  test('an image is a link to it', () => {
    expect(renderMarkdown('![A <chart>](https://x.example/c.png "Title")')).toBe(
      '[A &lt;chart&gt;](https://x.example/c.png)',
    );
    expect(renderMarkdown('wow![1] `![a](b)`')).toBe('wow![1] `![a](b)`');
  });

  test('lists, tasks, tables and headings stay as they are', () => {
    const text =
      '## A\n\n- a\n  - [x] b\n    1. c\n\n| a | b |\n|:--|--:|\n| 1 | `x` |\n\n---\n***b***';
    expect(renderMarkdown(text)).toBe(text);
  });
});

describe('small print for Slack', () => {
  test('has links and bold text, everything else plain', () => {
    const line = 'Sources: [1] [A & B](https://a.example/?x=1&y=2|3) · **bold** <!here> @here';
    expect(renderMrkdwn(line, 1_000)).toBe(
      `Sources: [1] <https://a.example/?x=1&amp;y=2%7C3|A &amp; B> · *bold* &lt;!here&gt; @${breaker}here`,
    );
  });

  test('is cut between its parts', () => {
    const link = '[Handbook](https://a.example/handbook)';
    const cut = renderMrkdwn(Array(20).fill(link).join(' · '), 100);
    expect(cut.length).toBeLessThanOrEqual(100);
    expect(cut).toMatch(/^(?:<https:\/\/a\.example\/handbook\|Handbook>(?: · )?)+ ?·?…$/);
  });

  test('loses nothing', () => {
    for (const line of [
      'a*b*c [x] (y)',
      '[',
      '**',
      'line one\nline two  end',
      '[a](b) [c](https://d',
    ]) {
      expect(renderMrkdwn(line, 1_000)).toBe(line);
    }
  });
});

test('plain text is escaped', () => {
  expect(escapeText('<@U1> & @channel')).toBe(`&lt;@U1&gt; &amp; @${breaker}channel`);
});
