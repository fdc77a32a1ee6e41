import { h } from './dom.js';
import { renderInline } from './inline.js';
import { renderCode, renderMrkdwn } from './mrkdwn.js';
import { isTable, readTable } from './table.js';

/** @typedef {import('./inline.js').Context} Context */

/**
 * A text as nodes: paragraphs, headings, lists, quotes, tables, code. What is not understood stays
 * text.
 *
 * @param {string} text
 * @param {Context} context
 * @returns {Node[]}
 */
export function renderText(text, context) {
  if (context.dialect === 'plain') return [h('p', {}, ...renderInline(text, context))];
  if (context.dialect === 'mrkdwn') return renderMrkdwn(text, context);
  return renderBlocks(text.split('\n'), context, 0);
}

const fencePattern = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const headingPattern = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const subtextPattern = /^-# (.*)$/;
const rulePattern = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const quotePattern = /^ {0,3}> ?/;
const itemPattern = /^( *)([-*+]|\d{1,9}[.)])( +)(?=\S)/;
const maxDepth = 8;

/** The kinds of blocks, each tried at a line: it takes lines and gives a node, or undefined. */
const blockReaders = [readFence, readHeading, readSmall, readRule, readQuote, readList, readTable];

function renderBlocks(lines, context, depth) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at].trim() === '') {
      at += 1;
      continue;
    }
    const block = findBlock(lines, at, context, depth) ?? readParagraph(lines, at, context, depth);
    nodes.push(block.node);
    at = block.next;
  }
  return nodes;
}

function findBlock(lines, at, context, depth) {
  if (depth > maxDepth) return undefined;
  for (const read of blockReaders) {
    const block = read(lines, at, context, depth);
    if (block) return block;
  }
  return undefined;
}

function readParagraph(lines, at, context, depth) {
  let next = at + 1;
  while (next < lines.length && lines[next].trim() !== '' && !beginsBlock(lines, next, depth))
    next += 1;
  const text = lines.slice(at, next).join('\n');
  return { node: h('p', {}, ...renderInline(text, context)), next };
}

function beginsBlock(lines, at, depth) {
  const line = lines[at];
  if (depth > maxDepth) return false;
  return (
    [fencePattern, headingPattern, subtextPattern, rulePattern, quotePattern, itemPattern].some(
      (pattern) => pattern.test(line),
    ) || isTable(lines, at)
  );
}

function readFence(lines, at, context) {
  const [, marks, info = ''] = fencePattern.exec(lines[at]) ?? [];
  if (!marks || (marks.startsWith('`') && info.includes('`'))) return undefined;
  const closing = new RegExp(`^ {0,3}${marks[0]}{${marks.length},} *$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  return { node: renderCode(lines.slice(at + 1, end).join('\n'), context), next: end + 1 };
}

function readHeading(lines, at, context) {
  const [, marks, text = ''] = headingPattern.exec(lines[at]) ?? [];
  if (!marks) return undefined;
  // The page's own headings are the first two levels.
  const level = Math.min(marks.length + 2, 6);
  return { node: h(`h${level}`, {}, ...renderInline(text, context)), next: at + 1 };
}

function readSmall(lines, at, context) {
  const [, text] = subtextPattern.exec(lines[at]) ?? [];
  if (context.dialect !== 'discord' || text === undefined) return undefined;
  return { node: h('p', { class: 'small' }, ...renderInline(text, context)), next: at + 1 };
}

function readRule(lines, at, { dialect }) {
  return dialect === 'markdown' && rulePattern.test(lines[at])
    ? { node: h('hr'), next: at + 1 }
    : undefined;
}

function readQuote(lines, at, context, depth) {
  let next = at;
  while (next < lines.length && quotePattern.test(lines[next])) next += 1;
  if (next === at) return undefined;
  const inner = lines.slice(at, next).map((line) => line.replace(quotePattern, ''));
  return { node: h('blockquote', {}, ...renderBlocks(inner, context, depth + 1)), next };
}

function readList(lines, at, context, depth) {
  const [, indent, marker] = itemPattern.exec(lines[at]) ?? [];
  if (indent === undefined) return undefined;
  const ordered = /\d/.test(marker);
  const items = [];
  let next = at;
  while (next < lines.length && isSibling(lines[next], indent.length, ordered)) {
    const end = endOfItem(lines, next, indent.length);
    items.push(renderItem(lines.slice(next, end), context, depth));
    const following = skipBlank(lines, end);
    next = isSibling(lines[following] ?? '', indent.length, ordered) ? following : end;
  }
  const start =
    ordered && Number.parseInt(marker, 10) !== 1 ? { start: Number.parseInt(marker, 10) } : {};
  return { node: h(ordered ? 'ol' : 'ul', start, ...items), next };
}

function skipBlank(lines, at) {
  let next = at;
  while (next < lines.length && lines[next].trim() === '') next += 1;
  return next;
}

function isSibling(line, indent, ordered) {
  const [, own, marker] = itemPattern.exec(line) ?? [];
  return own !== undefined && own.length <= indent + 1 && /\d/.test(marker) === ordered;
}

/** An item goes on over lines that are indented deeper, and over blank ones before such. */
function endOfItem(lines, at, indent) {
  let end = at + 1;
  for (let next = end; next < lines.length; next += 1) {
    const line = lines[next];
    if (line.trim() === '') continue;
    if (line.length - line.trimStart().length < indent + 2) break;
    end = next + 1;
  }
  return end;
}

const taskPattern = /^\[([ xX])\] +/;

function renderItem(lines, context, depth) {
  const [first, ...rest] = lines;
  const [head, indent] = itemPattern.exec(first) ?? ['', ''];
  const text = first.slice(head.length);
  const [task, mark] = taskPattern.exec(text) ?? [];
  const inner = [
    task ? text.slice(task.length) : text,
    ...rest.map((line) => outdent(line, indent.length, head.length)),
  ];
  const box = task && `${mark === ' ' ? '☐' : '☑'} `;
  const nodes = renderBlocks(inner, context, depth + 1);
  if (box) nodes[0]?.prepend(box);
  return h('li', { class: task ? 'task' : undefined }, ...nodes);
}

/** Takes the indentation of an item's text off a line, or as much of it as there is. */
function outdent(line, least, most) {
  const depth = line.length - line.trimStart().length;
  return line.slice(Math.min(depth, Math.max(least, most)));
}
