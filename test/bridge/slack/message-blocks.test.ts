import { expect, test } from 'vitest';
import { fitMessage, messageLimits, renderMessage } from '../../../src/bridge/slack/message.ts';

test('a message is a block of Markdown, its small print below, and a text for notifications', () => {
  const message = renderMessage({
    markdown: '## Title\n\n**Hi** [docs](https://x.example), `code`',
    footer: '[1] Handbook',
  });
  expect(message).toEqual({
    text: 'Title Hi docs, code',
    blocks: [
      { type: 'markdown', text: '## Title\n\n**Hi** [docs](https://x.example), `code`' },
      { type: 'context', elements: [{ type: 'mrkdwn', text: '[1] Handbook', verbatim: true }] },
    ],
  });
  expect(renderMessage({ markdown: 'Hi' }).blocks).toHaveLength(1);
});

test('the text for notifications is short and pings nobody', () => {
  const { text } = renderMessage({ markdown: `<!channel> ${'👋 word '.repeat(200)}` });
  expect(text.startsWith('&lt;!channel&gt; 👋 word')).toBe(true);
  expect(text.endsWith('…')).toBe(true);
  expect(text.length).toBeLessThan(500);
  expect(text.isWellFormed()).toBe(true);
});

test('the text for notifications has what was escaped, without its backslashes', () => {
  const markdown =
    '\\*\\*report\\_2026\\.pdf\\*\\* in [a\\_b](https://x.example), `c\\_d` and C:\\temp';
  expect(renderMessage({ markdown }).text).toBe('**report_2026.pdf** in a_b, c\\_d and C:\\temp');
});

test('a message is measured as Slack gets it', () => {
  const filler = 'x'.repeat(11_000 - 'a &lt; b'.length);
  expect(messageLimits.fits(`a < b${filler}`)).toBe(true);
  expect(messageLimits.fits(`a < b${filler}x`)).toBe(false);
  const more = 'x'.repeat(11_000 - '`a < b`'.length);
  expect(messageLimits.fits(`\`a < b\`${more}`)).toBe(true);
  expect(messageLimits.fits(`\`a < b\`${more}x`)).toBe(false);
});

test('the longest Markdown and the longest small print fit into one message', () => {
  const markdown = 'x'.repeat(11_000);
  const { blocks } = renderMessage({ markdown, footer: 'word '.repeat(2_000) });
  const [body, small] = blocks.map((block) => JSON.stringify(block).length);
  expect(body).toBeLessThan(12_000);
  expect(small).toBeLessThan(2_000);
});

test('a result that is too long is cut and says so', async () => {
  const short = 'one\ntwo';
  expect(await fitMessage(short)).toBe(short);
  for (const long of ['a line\n'.repeat(3_000), '<'.repeat(20_000)]) {
    const fitting = await fitMessage(long);
    expect(messageLimits.fits(fitting)).toBe(true);
    expect(fitting).toMatch(/… the rest doesn’t fit into one message\.$/);
    expect(fitting.length).toBeGreaterThan(2_000);
  }
  const code = await fitMessage(`\`\`\`\n${'code\n'.repeat(4_000)}`);
  expect(code).toMatch(/\n```\n\n… the rest/);
});
