import { expect, test } from 'vitest';
import type { Block } from '../../../src/sandbox/slack/block.ts';
import { parseMessageBlocks } from '../../../src/sandbox/slack/block-validation.ts';
import { SlackError } from '../../../src/sandbox/slack/slack-error.ts';
import { parseView } from '../../../src/sandbox/slack/views.ts';

const text = (length: number) => 'x'.repeat(length);
const plain = (length: number) => ({ type: 'plain_text', text: text(length) });
const mrkdwn = (length: number) => ({ type: 'mrkdwn', text: text(length) });
const button = (length: number, more = {}) => ({ type: 'button', text: plain(length), ...more });
const option = (value: string, length = 5) => ({ text: plain(length), value });
const many = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);
const input = (element: object) => ({ type: 'input', label: plain(5), element });

function refusalOf(parse: () => unknown): { code: string; messages: string[] } {
  try {
    parse();
  } catch (error) {
    if (error instanceof SlackError) return { code: error.code, messages: error.messages };
    throw error;
  }
  throw new Error('The value was not refused.');
}

test('blocks that reach each limit exactly are accepted', () => {
  const fitting: Block[] = [
    { type: 'section', text: mrkdwn(3_000), expand: true },
    { type: 'section', fields: many(10, mrkdwn(50)), accessory: button(75) },
    { type: 'header', text: plain(150) },
    { type: 'divider' },
    { type: 'context', elements: many(10, mrkdwn(20)) },
    { type: 'actions', elements: many(25, button(5)) },
    { type: 'actions', elements: [button(75, { value: text(2_000), url: 'https://example.com' })] },
    { type: 'markdown', text: text(2_000) },
    {
      type: 'context_actions',
      elements: [
        {
          type: 'feedback_buttons',
          action_id: 'feedback',
          positive_button: { text: plain(4), value: 'good' },
          negative_button: { text: plain(3), value: 'bad' },
        },
      ],
    },
    { type: 'actions', elements: [{ type: 'static_select', options: many(100, option('a')) }] },
    { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'a' },
  ];
  expect(parseMessageBlocks(fitting)).toBe(fitting);
  expect(parseMessageBlocks(many(50, { type: 'divider' }))).toHaveLength(50);
  expect(parseMessageBlocks([{ type: 'markdown', text: text(12_000) }])).toHaveLength(1);
});

test.each([
  [many(51, { type: 'divider' }), 'no more than 50 items allowed [json-pointer:/blocks]'],
  [
    [{ type: 'section', text: mrkdwn(3_001) }],
    'must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
  ],
  [[{ type: 'section' }], 'must define either text or fields [json-pointer:/blocks/0]'],
  [
    [{ type: 'header', text: plain(151) }],
    'must be less than 151 characters [json-pointer:/blocks/0/text/text]',
  ],
  [[{ type: 'header', text: mrkdwn(5) }], '[json-pointer:/blocks/0/text/type]'],
  [
    [{ type: 'context', elements: many(11, mrkdwn(1)) }],
    'no more than 10 items allowed [json-pointer:/blocks/0/elements]',
  ],
  [
    [{ type: 'actions', elements: many(26, button(5)) }],
    'no more than 25 items allowed [json-pointer:/blocks/0/elements]',
  ],
  [
    [{ type: 'actions', elements: [button(76)] }],
    'must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]',
  ],
  [
    [{ type: 'actions', elements: [button(5, { value: text(2_001) })] }],
    'must be less than 2001 characters',
  ],
  [
    [{ type: 'actions', elements: [button(5, { colour: 'red' })] }],
    'invalid additional property: colour [json-pointer:/blocks/0/elements/0]',
  ],
  [
    [{ type: 'actions', elements: [{ type: 'lever' }] }],
    'unsupported type: "lever" [json-pointer:/blocks/0/elements/0',
  ],
  [
    [{ type: 'actions', elements: [{ type: 'static_select', options: many(101, option('a')) }] }],
    'no more than 100 items allowed',
  ],
  [
    [{ type: 'actions', elements: [{ type: 'static_select', options: [option(text(151))] }] }],
    'must be less than 151 characters',
  ],
  [[{ type: 'divider' }, { type: 'poem' }], 'unsupported type: "poem" [json-pointer:/blocks/1'],
  [[{ text: mrkdwn(5) }], 'missing required field: type [json-pointer:/blocks/0'],
  [[{ type: 'header' }], 'missing required field: text [json-pointer:/blocks/0]'],
  [
    [
      { type: 'divider', block_id: 'a' },
      { type: 'divider', block_id: 'a' },
    ],
    'block_id a already exists [json-pointer:/blocks/1/block_id]',
  ],
  [[{ type: 'divider', block_id: text(256) }], 'must be less than 256 characters'],
  [[input({ type: 'file_input' })], 'file_input'],
] as [unknown, string][])('blocks that break a rule are refused with “$1”', (blocks, message) => {
  const { code, messages } = refusalOf(() => parseMessageBlocks(blocks));
  expect(code).toBe('invalid_blocks');
  expect(messages.join('\n')).toContain(message);
  expect(messages.every((each) => each.startsWith('[ERROR] '))).toBe(true);
});

test('blocks that are too long together are refused with their length', () => {
  const markdown = many(2, { type: 'markdown', text: text(6_001) });
  expect(refusalOf(() => parseMessageBlocks(markdown))).toMatchObject({
    code: 'msg_blocks_too_long',
    messages: [expect.stringContaining('markdown blocks have 12002 characters, at most 12000')],
  });
  const sections = many(5, { type: 'section', text: mrkdwn(2_800) });
  expect(refusalOf(() => parseMessageBlocks(sections)).code).toBe('msg_blocks_too_long');
});

/** A markdown block of parts, each of which Slack makes a block of its own of. */
const markdown = (...parts: string[]) => ({ type: 'markdown', text: parts.join('\n\n') });
const table = (rows: number, cell = 'x', columns = 2) => {
  const row = (text: string) => `|${`${text}|`.repeat(columns)}`;
  return [row('h'), row('---'), ...many(rows - 1, row(cell))].join('\n');
};

test('a markdown block counts as the blocks that Slack makes of it', () => {
  const parts = ['a\nb', '## c', '- d\n- e\n\n  f', '> g', '---', '```\nh\n\ni\n```', table(2)];
  const fitting = [markdown(...many(7, parts).flat()), { type: 'divider' }];
  expect(parseMessageBlocks(fitting)).toBe(fitting);
  expect(refusalOf(() => parseMessageBlocks([...fitting, { type: 'divider' }]))).toEqual({
    code: 'invalid_blocks',
    messages: ['[ERROR] no more than 50 items allowed [json-pointer:/blocks]'],
  });
});

test('a table in a markdown block has the limits of a table', () => {
  expect(parseMessageBlocks([markdown(table(100), table(2, 'x', 20))])).toHaveLength(1);
  for (const [tables, message] of [
    [table(101), 'no more than 100 items allowed [json-pointer:/blocks/1/rows]'],
    [table(2, 'x', 21), 'no more than 20 items allowed [json-pointer:/blocks/1/rows/0]'],
    [`${table(51, text(50))}\n\n${table(51, text(50))}`, 'more than 10000 characters'],
  ] as const) {
    const refusal = refusalOf(() => parseMessageBlocks([markdown('a', tables)]));
    expect(refusal.code).toBe('invalid_blocks');
    expect(refusal.messages.join()).toContain(message);
  }
});

test('blocks that are not a list have an invalid format', () => {
  expect(refusalOf(() => parseMessageBlocks('{')).code).toBe('invalid_blocks_format');
  expect(refusalOf(() => parseMessageBlocks({ type: 'divider' })).code).toBe(
    'invalid_blocks_format',
  );
});

const modal = (blocks: object[], more = {}) => ({
  type: 'modal',
  title: plain(24),
  submit: plain(24),
  close: plain(24),
  blocks,
  ...more,
});

test('a modal accepts inputs of every kind', () => {
  const view = modal(
    [
      input({ type: 'plain_text_input', action_id: 'a', multiline: true, max_length: 3_000 }),
      input({ type: 'file_input', action_id: 'b', filetypes: ['md'], max_files: 10 }),
      input({ type: 'static_select', options: [option('a')], placeholder: plain(150) }),
      input({ type: 'external_select', min_query_length: 0 }),
      input({ type: 'checkboxes', options: [option('a')] }),
      input({ type: 'radio_buttons', options: [option('a')], initial_option: option('a') }),
      input({ type: 'url_text_input' }),
      ...many(93, { type: 'divider' }),
    ],
    { private_metadata: text(3_000), callback_id: 'upload', notify_on_close: true },
  );
  expect(parseView(view)).toBe(view);
});

test.each([
  [
    modal([], { title: plain(25) }),
    'must be less than 25 characters [json-pointer:/view/title/text]',
  ],
  [
    modal([], { submit: plain(25) }),
    'must be less than 25 characters [json-pointer:/view/submit/text]',
  ],
  [
    modal([], { close: plain(25) }),
    'must be less than 25 characters [json-pointer:/view/close/text]',
  ],
  [modal([], { private_metadata: text(3_001) }), 'must be less than 3001 characters'],
  [
    modal(many(101, { type: 'divider' })),
    'no more than 100 items allowed [json-pointer:/view/blocks]',
  ],
  [modal([{ type: 'markdown', text: 'x' }]), 'unsupported type: "markdown"'],
  [modal([input({ type: 'file_input', max_files: 11 })]), 'must be at most 10'],
  [modal([input({ type: 'file_input', max_files: 0 })]), 'must be at least 1'],
  [
    modal([input({ type: 'plain_text_input' })], { submit: undefined }),
    'missing required field: submit',
  ],
  [{ type: 'modal', blocks: [] }, 'missing required field: title [json-pointer:/view]'],
  [undefined, 'missing required field: view'],
] as [unknown, string][])('a modal that breaks a rule is refused with “$1”', (view, message) => {
  const { code, messages } = refusalOf(() => parseView(view));
  expect(code).toBe('invalid_arguments');
  expect(messages.join('\n')).toContain(message);
});
