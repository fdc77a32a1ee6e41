import { expect, test } from 'vitest';
import { fromCommand, fromTyped, plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { serveWorkspace } from './serve-workspace.ts';

test('without blocks, a reader sees the text with links as their labels and entities decoded', () => {
  expect(
    plainText({
      text: 'See <https://a.example/?x=1&amp;y=2|the guide> or <https://b.example>: 1 &lt; 2',
    }),
  ).toBe('See the guide or https://b.example: 1 < 2');
});

test('with blocks, a reader sees the blocks instead of the text, and no controls', () => {
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
])('%s is converted to Slack’s format', (typed, sent) => {
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
])('code in Markdown is shown unchanged: %j', (text, read) => {
  expect(plainText({ text: '', blocks: [{ type: 'markdown', text }] })).toBe(read);
});

test('names after a command get their ids, and the rest is escaped', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const { id } = slack.saveUserGroup({ handle: 'editors', users: [] });
  const toSent = (text: string) => fromCommand(text, slack);
  expect(toSent('--to "@ada" #help, @editors.')).toBe(
    `--to "<@${ada}|ada>" <#${help}|help>, <!subteam^${id}|@editors>.`,
  );
  expect(toSent('@here a & b <c> #nowhere me@ada.example #abc123')).toBe(
    '<!here> a &amp; b &lt;c&gt; #nowhere me@ada.example #abc123',
  );
  expect(toSent(`<@${ada}> https://x.example/?a=1&b=2#help`)).toBe(
    `<@${ada}> <https://x.example/?a=1&amp;b=2#help>`,
  );
});
