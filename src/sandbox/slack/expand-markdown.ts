import MarkdownIt from 'markdown-it';
import type { Block } from './block.ts';
import { SlackError } from './slack-error.ts';

/** Slack's limits on tables: docs.slack.dev/reference/block-kit/blocks/table-block. */
const maxRows = 100;
const maxColumns = 20;
/** Of all tables of a message. */
const maxTableLength = 10_000;
const maxBlocks = 50;

/** A block that Slack makes of a part of a markdown block, as far as its limits need it. */
interface Expanded {
  type: string;
  /** Only of tables: the texts of the cells, row by row. */
  rows?: string[][];
}

// Blocks only, and those that Slack's markdown block has: the page leaves out the same.
const parser = new MarkdownIt({ html: false });
parser.disable(['code', 'lheading', 'reference', 'html_block']);
const { block: reader } = parser;

/**
 * What Slack makes of a markdown block: every paragraph, heading, list, quote, table, rule and piece
 * of code becomes a block of its own. It publishes no rule: this is the strictest of what was
 * reported (archestra-ai/archestra#4980, metabase/metabase#79908).
 */
function expandMarkdown(text: string): Expanded[] {
  const expanded: Expanded[] = [];
  let cells: string[] | undefined;
  for (const { type, level, nesting, content } of read(text)) {
    if (level === 0 && nesting >= 0) expanded.push({ type: type.replace(/_open$/, '') });
    const block = expanded.at(-1);
    if (!block) continue;
    if (type === 'table_open') block.rows = [];
    if (type === 'tr_open') block.rows?.push((cells = []));
    if (type === 'inline' && block.rows) cells?.push(content);
  }
  return expanded;
}

function read(text: string) {
  const tokens: ReturnType<typeof parser.parse> = [];
  reader.parse(text, parser, {}, tokens);
  return tokens;
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
