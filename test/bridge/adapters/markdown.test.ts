import { describe, expect, test } from 'vitest';
import { renderMarkdown as renderForDiscord } from '../../../src/bridge/discord/render.ts';
import { renderMarkdown as renderForSlack } from '../../../src/bridge/slack/render.ts';

describe.each([
  ['Slack', renderForSlack],
  ['Discord', renderForDiscord],
])('Markdown for %s', (_platform, renderMarkdown) => {
  test.each([
    [String.raw`so \(a_1 * b_1\) is`, 'so `a_1 * b_1` is'],
    [String.raw`so $\frac{a}{b}$ is`, 'so `\\frac{a}{b}` is'],
    ['so $$x^2$$ is', 'so `x^2` is'],
    [String.raw`\[ x_1 \]`, '`x_1`'],
    ['$$\nx_1 * y_1\n$$\nand', '```\nx_1 * y_1\n```\nand'],
    ['\\[\n\\frac{a}{b}\n\\]', '```\n\\frac{a}{b}\n```'],
    ['so $E = mc^2$, and $$\\alpha_1$$.', 'so `E = mc^2`, and `\\alpha_1`.'],
  ])('shows the formula in %j as code', (markdown, rendered) => {
    expect(renderMarkdown(markdown)).toBe(rendered);
  });

  test.each([
    'it costs $5 and $6_000',
    'from $5 to $10',
    '$HOME and $PATH',
    'a \\$x_1$ b',
    '`$x_1$` and ```\\(x\\)```',
    '```\n$$\nx\n$$\n```',
    '$$\nnever closed',
    '$$\nnot\n\none\n$$',
    'https://x.example/$a_b$/c',
    String.raw`a \( b`,
  ])('finds no formula in %j', (markdown) => {
    expect(renderMarkdown(markdown)).toBe(markdown);
  });

  test.each([
    ['![A cat](https://x.example/c.png "Title")', '[A cat](https://x.example/c.png)'],
    ['![](https://x.example/c.png)', '[image](https://x.example/c.png)'],
  ])('shows the image %s as a link', (markdown, link) => {
    expect(renderMarkdown(markdown)).toBe(link);
  });

  test.each([
    'plain text, *italic*, **bold**, ~~gone~~',
    '[a link](https://example.com/a?b=1&c=2) and https://example.com/?a=1&b=2.',
    '`a < b && c > d`',
    '```html\n<!DOCTYPE html>\n<b>bold</b>\n```\n``x <`> y``',
  ])('leaves %j as it is', (markdown) => {
    expect(renderMarkdown(markdown)).toBe(markdown);
  });
});
