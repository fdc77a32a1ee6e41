import { expect, test } from 'vitest';
import { plainText, fromTyped } from '../../../src/sandbox/slack/plain-text.ts';

test('without blocks a reader sees the text, links by their words, entities resolved', () => {
  expect(
    plainText({
      text: 'See <https://a.example/?x=1&amp;y=2|the guide> or <https://b.example>: 1 &lt; 2',
    }),
  ).toBe('See the guide or https://b.example: 1 < 2');
});

test('with blocks a reader sees the blocks, not the text, and no controls', () => {
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Answer' } },
    { type: 'markdown', text: '**Bold** &lt;b&gt;' },
    { type: 'divider' },
    {
      type: 'section',
      text: { type: 'mrkdwn', text: 'One' },
      fields: [{ type: 'mrkdwn', text: 'Two' }],
    },
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'Three' }] }],
    },
    {
      type: 'context',
      elements: [
        { type: 'mrkdwn', text: 'a' },
        { type: 'mrkdwn', text: 'b' },
      ],
    },
    { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Stop' } }] },
  ];
  expect(plainText({ text: 'fallback', blocks })).toBe(
    'Answer\n\n**Bold** <b>\n\nOne\nTwo\n\nThree\n\na b',
  );
});

test.each([
  ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
  ['<@U0123ABC> and <#C0123ABC|help>', '<@U0123ABC> and <#C0123ABC|help>'],
  ['see https://a.example/x?y=1&z=2.', 'see <https://a.example/x?y=1&amp;z=2>.'],
  ['(https://a.example/)', '(<https://a.example/>)'],
  ['<!channel>', '&lt;!channel&gt;'],
])('%s is sent as Slack sends it', (typed, sent) => {
  expect(fromTyped(typed)).toBe(sent);
  expect(plainText({ text: fromTyped('a < b & https://a.example/?c&d') })).toBe(
    'a < b & https://a.example/?c&d',
  );
});

test.each([
  ['`/source url <url>` <https://a.example|here>', '`/source url <url>` here'],
  ['```html\n<b> &lt;\n```\n&lt;b&gt;', '```html\n<b> &lt;\n```\n<b>'],
  ['~~~\n<b>', '~~~\n<b>'],
  ['> ```\n> <a>\n> ```\n<@U0123ABC>', '> ```\n> <a>\n> ```\n@U0123ABC'],
  ['a ` b &lt;c&gt;', 'a ` b <c>'],
  ['``a <`> b`` &lt;', '``a <`> b`` <'],
])('in Markdown, what stands in code is as it was written: %j', (text, read) => {
  expect(plainText({ text: '', blocks: [{ type: 'markdown', text }] })).toBe(read);
});
