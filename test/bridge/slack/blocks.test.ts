import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitMarkdown } from '../conversation/markdown/pieces.ts';
import type { Button } from '../../../src/bridge/conversation/thread.ts';
import { createPacer } from '../../../src/bridge/conversation/reply/pacer.ts';
import { Reply } from '../../../src/bridge/conversation/reply/reply.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { parseMessageBlocks } from '../../../src/sandbox/slack/block-validation.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { fitsBlocks, surelyFits } from '../../../src/bridge/slack/block-limits.ts';
import {
  messageLimits,
  renderInSections,
  renderMessage,
} from '../../../src/bridge/slack/message.ts';
import { renderSections } from '../../../src/bridge/slack/mrkdwn.ts';
import { renderMarkdown } from '../../../src/bridge/slack/render.ts';
import { corpus } from '../conversation/markdown/corpus.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

const turn = 'turn-1';
const buttons: Button[] = (['retry', 'passages', 'helpful', 'unhelpful'] as const).map(
  (action) => ({ action, label: action, turn }),
);
const footer = '[1] Handbook';
const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join('');
const table = (rows: number, columns = 2, cell = 'x') => {
  const row = (text: string) => `|${`${text}|`.repeat(columns)}\n`;
  return `${row('h')}${row('---')}${many(rows - 1, () => row(cell))}\n`;
};

/** The blocks that Slack gets for a text, message by message; rejects as Slack does. */
function messagesOf(markdown: string) {
  return splitMarkdown(markdown, messageLimits).map((piece) =>
    parseMessageBlocks(renderMessage({ markdown: piece, footer, buttons }).blocks),
  );
}

describe('what fits into one message of Slack', () => {
  test.each([
    ['paragraphs', many(120, (index) => `Paragraph ${index}.\n\n`), 3],
    ['headings', many(60, (index) => `## Heading ${index}\n`), 2],
    ['headings with text', many(60, (index) => `## Heading ${index}\nText.\n`), 3],
    ['tables', many(60, () => table(2)), 2],
    ['lists', many(60, (index) => `- item ${index}\n\n***\n`), 3],
    ['numbers with flat bullets', many(60, (index) => `${index + 1}. one\n  - two\n`), 3],
    ['empty headings', 'text\n#\n'.repeat(60), 3],
    ['empty quotes', '# title\n>\n'.repeat(60), 3],
    ['rows', table(250), 3],
    ['long cells', table(120, 2, 'word '.repeat(20)), 3],
    ['rows of tables that nothing separates', '<br>\n| a | b |\n|--|--|\n'.repeat(60), 3],
    ['columns', table(3, 30), 1],
    ['columns in many rows', table(300, 25), 2],
  ])('is split in time where it has many %s', (_, text, messages) => {
    expect(messagesOf(text)).toHaveLength(messages);
  });

  test('is not split where it is short, whatever it is made of', () => {
    for (const [, text] of corpus) expect(messagesOf(text)).toHaveLength(1);
  });

  // prettier-ignore
  const parts = [
    'Some text.', '## Title', '**Bold**\ntext', '- a\n- b', '1. a\n   - b\n2. c', '1. a\n  - b\n2. c',
    '- a\n\n  more\n\n- b', '> quoted\n> - list', '---', '```js\ncode\n\n# no title\n```', 'a\n***',
    '| a | b |\n|---|---|\n| c | d |', 'text\n| a | b |\n|---|---|\n| c | d |\ntail', '$$\nx\n$$',
  ];

  test('is split in time whatever it is made of', () => {
    const texts = array(constantFrom(...parts), { minLength: 60, maxLength: 120 });
    assert(
      property(texts, (all) => {
        messagesOf(all.join('\n\n'));
      }),
      { numRuns: 8 },
    );
  });

  test('is taken to be short only where it fits', () => {
    const wide = table(2, 22).trim();
    const texts = array(constantFrom(...parts, wide, '<', '[', '#', '+ ', '```'), {
      maxLength: 40,
    });
    assert(
      property(texts, constantFrom('\n', '\n\n', ''), (all, between) => {
        const text = all.join(between);
        return !surelyFits(text) || fitsBlocks(renderMarkdown(text));
      }),
      { numRuns: 300 },
    );
    const signs = '<'.repeat(2_375);
    expect(surelyFits(signs)).toBe(true);
    expect(messagesOf(signs)).toHaveLength(1);
  });
});

async function openThread(where: 'channel' | 'direct' = 'channel') {
  const parts = new AsyncDisposableStack();
  const served = parts.use(await serveWorkspace());
  const { slack, ada, help } = served;
  const started = parts.use(await startSlack(slack));
  const channel = where === 'direct' ? slack.direct(ada).id : help;
  const { ts } = await slack.say({ user: ada, channel, text: `<@${slack.bot.user}> why?` });
  const { thread } = await started.next();
  const replies = () => slack.messages(channel, ts).slice(1);
  const reply = new Reply({
    thread,
    question: ts,
    turn,
    key: `${turn}.0`,
    texts: english,
    pacer: createPacer(),
    signal: new AbortController().signal,
  });
  return { slack, thread, reply, replies, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

const typesOf = ({ blocks = [] }: { blocks?: { type: string }[] } = {}) =>
  blocks.map(({ type }) => type);

describe('a reply that Slack makes many blocks of', () => {
  test.each(['channel', 'direct'] as const)('is whole in a %s', async (where) => {
    await using open = await openThread(where);
    const paragraphs = Array.from({ length: 100 }, (_, index) => `Paragraph ${index}.`);
    for (const paragraph of paragraphs) open.reply.append(`${paragraph}\n\n`);
    await open.reply.finish({ text: paragraphs.join('\n\n'), footer, buttons });
    const shown = open.replies().map(plainText).join('\n\n');
    expect(shown).toBe(`${paragraphs.join('\n\n')}\n\n${footer}`);
    expect(open.replies().length).toBeGreaterThan(2);
    expect(open.replies().map(typesOf).at(-1)).toContain('actions');
  });
});

describe('blocks that Slack refuses', () => {
  const markdown = '## Title\n\n- **one** [docs](https://a.example/?b=1&c=2)\n- two < `three`';
  const inSections = '*Title*\n\n• *one* <https://a.example/?b=1&amp;c=2|docs>\n• two &lt; `three`';

  test.each(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long'])(
    'with %s are sent as sections at once, and so from then on',
    async (error) => {
      await using open = await openThread();
      const { slack, thread, replies } = open;
      const sent = await thread.post({ markdown: 'Let' });
      slack.faults.inject({ method: 'chat.update', times: 1, error });
      await sent.edit({ markdown, footer });
      expect(replies().map(typesOf)).toEqual([['section', 'context']]);
      expect(replies()[0]?.blocks?.[0]).toMatchObject({
        text: { type: 'mrkdwn', text: inSections },
      });
      await sent.edit({ markdown: `${markdown}.` });
      expect(replies().map(typesOf)).toEqual([['section']]);
      expect(replies()[0]?.edits).toBe(2);
      expect(typesOf((await thread.post({ markdown }), replies()[1]))).toEqual(['markdown']);
    },
  );

  test('are posted as sections at once', async () => {
    await using open = await openThread();
    const { slack, thread, replies } = open;
    slack.faults.inject({ method: 'chat.postMessage', times: 2, error: 'invalid_blocks' });
    await thread.post({ markdown, buttons });
    expect(replies().map(typesOf)).toEqual([['section', 'actions']]);
  });

  test('leave no message half-way: neither edited nor streamed', async () => {
    for (const where of ['channel', 'direct'] as const) {
      await using open = await openThread(where);
      const { slack, reply, replies } = open;
      const isPosted = slack.waitFor(({ kind }) => kind === 'message');
      reply.append('Let me see.');
      await isPosted;
      for (const method of ['chat.update', 'chat.appendStream', 'chat.stopStream']) {
        slack.faults.inject({ method, times: 2, error: 'invalid_blocks' });
      }
      await reply.finish({ text: `Let me see.\n\n${markdown}`, footer, buttons });
      expect(replies().map(plainText)).toEqual([
        'Let me see.\n\n*Title*\n\n• *one* docs\n• two < `three`\n\n[1] Handbook',
      ]);
      expect(typesOf(replies()[0])).not.toContain('markdown');
      expect(JSON.stringify(replies()[0]?.blocks)).not.toContain('"stop');
    }
  });

  test('at which Slack fails as if in trouble are not written again and again', async () => {
    await using open = await openThread();
    const { slack, thread, replies } = open;
    const sent = await thread.post({ markdown: 'Let' });
    slack.faults.inject({ method: 'chat.update', times: 3, error: 'fatal_error' });
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(sent.edit({ markdown })).rejects.toMatchObject({ kind: 'failed' });
    }
    await sent.edit({ markdown });
    expect(replies().map(typesOf)).toEqual([['section']]);
    await sent.edit({ markdown: 'Better.' });
    expect(replies().map(typesOf)).toEqual([['markdown']]);
  });
});

describe('sections', () => {
  const textOf = async (markdown: string) => {
    const { blocks } = await renderInSections({ markdown });
    return blocks.map((block) => (block.type === 'section' ? block.text?.text : block.type));
  };

  test.each([
    ['# A **big** `title` #', '*A big `title`*'],
    [
      '**bold** *italic* __bold__ _italic_ ~~gone~~ ***both***',
      '*bold* _italic_ *bold* _italic_ ~gone~ *_both_*',
    ],
    ['- a\n  - b\n    1. c\n- [x] d\n- [ ] e', '• a\n    • b\n        1. c\n• ☑ d\n• ☐ e'],
    ['7. a\n8. b', '7. a\n8. b'],
    ['> quoted\n> > twice', '> quoted\n> twice'],
    ['a\n\n---\n\nb', 'a\n\n──────────\n\nb'],
    ['`a < b` ``c`d``', '`a &lt; b` `cˋd`'],
    ['```js\nif (a < b && c) {}\n```', '```\nif (a &lt; b &amp;&amp; c) {}\n```'],
    ['~~~~\n```\n~~~~', '```\n`\u200B``\n```'],
    ['~~~\n````\n~~~', '```\n`\u200B`\u200B``\n```'],
    ['[a **b**](https://x.example/?a=1&b=2|3 "t")', '<https://x.example/?a=1&amp;b=2%7C3|a b>'],
    [
      'https://x.example/?a=1&b <https://y.example>',
      '<https://x.example/?a=1&amp;b> <https://y.example>',
    ],
    [
      '[text](#anchor) [](https://x.example) ![chart](https://x.example/c.png)',
      'text <https://x.example> <https://x.example/c.png|chart>',
    ],
    ['[![alt](https://x.example/i.png)](https://x.example)', '<https://x.example|alt>'],
    ['\\*no bold\\* C:\\dir', '*no bold* C:\\dir'],
    ['$$\nx < y\n$$\nand \\(a_1\\)', '```\nx &lt; y\n```\nand `a_1`'],
    ['<!channel> <@U012AB3CD> @here', '&lt;!channel&gt; &lt;@U012AB3CD&gt; @\u200Bhere'],
    ['| a | b |\n|---|--:|\n| **c** | 10 |', '```\na   b\n-  --\nc  10\n```'],
  ])('show %j', async (markdown, text) => {
    expect(await textOf(markdown)).toEqual([text]);
  });

  test('are rendered in steps', () => {
    const steps = [...renderSections('- a\n'.repeat(1_000))];
    expect(steps.length).toBeGreaterThan(10);
  });

  test('are as many as Slack takes, each whole by itself, and cut only where they must be', async () => {
    const code = `\`\`\`html\n${many(150, (index) => `<p>paragraph ${index} & more</p>\n`)}\`\`\``;
    for (const markdown of [
      many(300, (index) => `Sentence ${index} of **many**. `),
      many(100, (index) => `Paragraph ${index}.\n\n`),
      code,
      table(100),
      '&'.repeat(11_000),
      many(11, () => `${'x'.repeat(998)}\n`),
    ]) {
      const { blocks } = await renderInSections({
        markdown,
        footer: 'word '.repeat(1_000),
        buttons,
      });
      expect(parseMessageBlocks(blocks)).toBe(blocks);
    }
    const pieces = await textOf(code);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.every((piece) => /^```\n[^]*\n```$/.test(piece ?? ''))).toBe(true);
    expect(pieces.join('\n')).toContain('paragraph 149 &amp; more');
    expect((await textOf('&'.repeat(11_000))).at(-1)).toMatch(/…$/);
  });
});
