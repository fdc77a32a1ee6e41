import MarkdownIt from 'markdown-it';
import { z } from 'zod';
import type { Block } from './block.ts';
import {
  button,
  choosers,
  feedbackButtons,
  fileInput,
  iconButton,
  image,
  inputs,
  overflow,
  plainText,
  textObject,
} from './elements.ts';
import { complaints, SlackError } from './slack-error.ts';

const block = <Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) => z.strictObject({ type: z.literal(type), block_id: z.string().max(255).optional(), ...shape });
const open = <Type extends string>(type: Type) =>
  z.looseObject({ type: z.literal(type), block_id: z.string().max(255).optional() });

const section = block('section', {
  text: textObject(3_000).optional(),
  fields: z.array(textObject(2_000)).min(1).max(10).optional(),
  accessory: z.discriminatedUnion('type', [...choosers, button, overflow, image]).optional(),
  expand: z.boolean().optional(),
}).refine(({ text, fields }) => text !== undefined || fields !== undefined, {
  message: 'must define either text or fields',
});

const input = {
  label: plainText(2_000),
  hint: plainText(2_000).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
};
const inputElements = [...choosers, ...inputs] as const;

const everywhere = [
  section,
  block('header', { text: plainText(150), level: z.number().int().min(1).max(6).optional() }),
  block('divider', {}),
  block('context', {
    elements: z
      .array(z.discriminatedUnion('type', [...textObject(2_000).options, image]))
      .min(1)
      .max(10),
  }),
  block('actions', {
    elements: z
      .array(z.discriminatedUnion('type', [...choosers, button, overflow]))
      .min(1)
      .max(25),
  }),
  open('image'),
  open('rich_text'),
  open('video'),
] as const;

const inMessages = z.discriminatedUnion('type', [
  ...everywhere,
  block('input', { ...input, element: z.discriminatedUnion('type', inputElements) }),
  block('markdown', { text: z.string().min(1) }),
  block('context_actions', {
    elements: z
      .array(z.discriminatedUnion('type', [feedbackButtons, iconButton]))
      .min(1)
      .max(5),
  }),
  open('table'),
  open('data_table'),
  open('file'),
  open('task_card'),
  open('plan'),
  open('alert'),
  open('card'),
  open('carousel'),
  open('container'),
]);

const inModals = z.discriminatedUnion('type', [
  ...everywhere,
  block('input', {
    ...input,
    element: z.discriminatedUnion('type', [...inputElements, fileInput]),
  }),
]);

/** The blocks that a modal can contain. */
export const modalBlocks = z.array(inModals).max(100);
const maxBlocks = 50;
const messageBlocks = z.array(inMessages).max(maxBlocks);

/** Max characters of all markdown blocks of one message. */
export const maxMarkdownLength = 12_000;
/** The length from which Slack answers `msg_blocks_too_long`: all texts of all blocks. */
const maxTextLength = 13_200;

/**
 * Checks the blocks of a message against Block Kit's reference.
 * @throws {SlackError} `invalid_blocks_format`, `invalid_blocks` or `msg_blocks_too_long`, with
 * messages that point at the field
 */
export function parseMessageBlocks(value: unknown): Block[] {
  if (!Array.isArray(value)) {
    throw new SlackError('invalid_blocks_format', [
      '[ERROR] must be an array [json-pointer:/blocks]',
    ]);
  }
  const found = complaints(messageBlocks, value, '/blocks');
  const blocks = value as Block[];
  if (found.length === 0) found.push(...sameIds(blocks, '/blocks'));
  if (found.length > 0) throw new SlackError('invalid_blocks', found);

  const markdown = blocks.filter(({ type }) => type === 'markdown');
  assertLength(markdown, maxMarkdownLength, 'markdown blocks');
  assertLength(blocks, maxTextLength, 'blocks');
  assertExpandable(blocks);
  return blocks;
}

/** Complaints about duplicate ids: block ids in one message or view, action ids in a block. */
export function sameIds(blocks: Block[], pointer: string): string[] {
  const seen = new Set<string>();
  return blocks.flatMap(({ block_id: id }, index) => {
    if (id === undefined) return [];
    if (!seen.has(id)) return seen.add(id) && [];
    return [`[ERROR] block_id ${id} already exists [json-pointer:${pointer}/${index}/block_id]`];
  });
}

function assertLength(blocks: Block[], limit: number, name: string): void {
  const length = blocks.reduce((sum, block) => sum + textLength(block), 0);
  if (length <= limit) return;
  throw new SlackError('msg_blocks_too_long', [
    `[ERROR] the ${name} have ${length} characters, at most ${limit} are allowed [json-pointer:/blocks]`,
  ]);
}

function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + textLength(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) =>
      sum + (key === 'text' && typeof item === 'string' ? item.length : textLength(item)),
    0,
  );
}

/** Slack's limits on tables: docs.slack.dev/reference/block-kit/blocks/table-block. */
const maxRows = 100;
const maxColumns = 20;
/** Of all tables of a message. */
const maxTableLength = 10_000;

/** A block that Slack makes of a part of a markdown block, as far as its limits need it. */
interface Expanded {
  type: string;
  /** Only of tables: the texts of the cells, row by row. */
  rows?: string[][];
}

// Blocks only, and those that Slack's markdown block has: the page leaves out the same.
const parser = new MarkdownIt({ html: false });
parser.disable(['code', 'lheading', 'reference', 'html_block']);

/**
 * What Slack makes of a markdown block: every paragraph, heading, list, quote, table, rule and piece
 * of code becomes a block of its own. It publishes no rule: this is the strictest of what was
 * reported (archestra-ai/archestra#4980, metabase/metabase#79908).
 */
function expandMarkdown(text: string): Expanded[] {
  const expanded: Expanded[] = [];
  const tokens: ReturnType<typeof parser.parse> = [];
  parser.block.parse(text, parser, {}, tokens);
  let cells: string[] | undefined;
  for (const { type, level, nesting, content } of tokens) {
    if (level === 0 && nesting >= 0) expanded.push({ type: type.replace(/_open$/, '') });
    const last = expanded.at(-1);
    if (!last) continue;
    if (type === 'table_open') last.rows = [];
    if (type === 'tr_open') last.rows?.push((cells = []));
    if (type === 'inline' && last.rows) cells?.push(content);
  }
  return expanded;
}

/**
 * Checks what becomes of a message's blocks once its markdown blocks are expanded.
 * @throws {SlackError} `invalid_blocks`
 */
export function assertExpandable(blocks: readonly Block[]): void {
  const expanded = blocks.flatMap((block): Expanded[] =>
    block.type === 'markdown' ? expandMarkdown(String(block['text'])) : [{ type: block.type }],
  );
  if (expanded.length > maxBlocks) refuse(`no more than ${maxBlocks} items allowed`, '/blocks');
  let length = 0;
  for (const [index, { rows = [] }] of expanded.entries()) {
    const pointer = `/blocks/${index}/rows`;
    if (rows.length > maxRows) refuse(`no more than ${maxRows} items allowed`, pointer);
    if (rows.some((row) => row.length > maxColumns)) {
      refuse(`no more than ${maxColumns} items allowed`, `${pointer}/0`);
    }
    // An empty cell has a space.
    length += rows.flat().reduce((sum, cell) => sum + Math.max(1, cell.length), 0);
    if (length > maxTableLength) {
      refuse(`the tables have more than ${maxTableLength} characters`, pointer);
    }
  }
}

function refuse(message: string, pointer: string): never {
  throw new SlackError('invalid_blocks', [`[ERROR] ${message} [json-pointer:${pointer}]`]);
}
