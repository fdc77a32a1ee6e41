import { Parser } from 'htmlparser2';
import { type Draft, maxBlockLength } from '../document.ts';
import { createOutline } from './outline.ts';
import { toTableBlocks } from './tables.ts';

const frontMatterPattern = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/u;
const frontMatterTitlePattern = /^title:(.+)/mu;

const fencePattern = /^ {0,3}(`{3,}|~{3,})/u;
const headingPattern = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/u;
const headingEndPattern = /(?:^|[ \t])#+$/u;
const underlinePattern = /^ {0,3}(=+|-{2,}|~{4,})[ \t]*$/u;
const rulePattern = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|~{10,}[ \t]*)$/u;
const itemPattern = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s(.*)/su;
/** The target of links with a label, alone on its line. */
const definitionPattern =
  /^ {0,3}\[(?!\^)[^\]]+\]:[ \t]*(?:<[^<>]*>|\S+)(?:[ \t]+(?:".*"|'.*'|\(.*\)))?[ \t]*$/u;
const footnotePattern = /^ {0,3}\[\^[^\]]+\]:/u;
const quotePattern = /^ {0,3}> ?/u;

/**
 * Parses Markdown into headings, paragraphs, lists, quotes, code and tables; front matter only
 * provides the title.
 */
export function fromMarkdown(source: string): Draft {
  const frontMatter = frontMatterPattern.exec(source);
  const titleLine = frontMatterTitlePattern.exec(frontMatter?.[1] ?? '')?.[1] ?? '';
  const title = titleLine.trim().replace(/^["']|["']$/gu, '');
  const body = withoutComments(source.slice(frontMatter?.[0].length ?? 0));
  const outline = createOutline();
  const lines = createLines(body.split('\n'));

  while (!lines.done()) {
    const line = lines.peek();
    const heading = headingPattern.exec(line);
    if (line.trim() === '' || rulePattern.test(line) || definitionPattern.test(line)) {
      lines.take();
    } else if (fencePattern.test(line)) {
      outline.block(takeCode(lines));
    } else if (heading) {
      lines.take();
      const text = (heading[2] ?? '').trim().replace(headingEndPattern, '');
      outline.heading(heading[1]?.length ?? 1, toInlineText(text));
    } else if (line.includes('|') && isTableRule(lines.peek(1))) {
      for (const text of toTableBlocks(takeTable(lines))) outline.block(text);
    } else if (itemPattern.test(line)) {
      outline.block(takeList(lines));
    } else {
      const paragraph = takeParagraph(lines);
      const underline = underlinePattern.exec(lines.peek());
      if (underline && !lines.done() && isUnderlined(paragraph, underline[1] ?? '')) {
        lines.take();
        outline.heading(underline[1]?.startsWith('=') ? 1 : 2, toInlineText(paragraph));
      } else {
        outline.paragraph(toInlineText(paragraph));
      }
    }
  }
  return outline.draft(title);
}

/** Removes comments, except within code; an unclosed one is text. */
function withoutComments(text: string): string {
  const lastClose = text.lastIndexOf('-->');
  let kept = '';
  let end = 0;
  let start = 0;
  let before = '';
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    if (start > lastClose) break;
    const isTitle = before !== '' && isUnderlined(before, line.trim());
    const isRule = rulePattern.test(line) || (isTitle && underlinePattern.test(line));
    if (fence !== undefined) {
      if (isFenceEnd(line, fence)) fence = undefined;
    } else if (end <= start && !isRule) fence = fencePattern.exec(line.trimStart())?.[1];
    before = line.trim();
    const opens = fence === undefined && line.includes('<!--') ? findOpens(line) : [];
    for (const open of opens.map((at) => start + at)) {
      if (open < end || open > lastClose) continue;
      kept += text.slice(end, open);
      end = text.indexOf('-->', open) + '-->'.length;
    }
    start += line.length + 1;
  }
  return kept + text.slice(end);
}

/** Where comments begin in a line, code spans left out. */
function findOpens(line: string): number[] {
  const spans = [...codeSpans(line)].toReversed();
  return Array.from(line.matchAll(/<!--/gu), ({ index }) => index).filter((index) => {
    while ((spans.at(-1)?.end ?? Infinity) <= index) spans.pop();
    return (spans.at(-1)?.start ?? Infinity) > index;
  });
}

function isFenceEnd(line: string, fence: string): boolean {
  return line.trim().startsWith(fence) && /^[`~]+$/u.test(line.trim());
}

/** Tildes below a line that leads to code are a fence; those below a title are about as long. */
function isUnderlined(paragraph: string, line: string): boolean {
  if (!line.startsWith('~')) return true;
  return !paragraph.endsWith(':') && paragraph.length <= line.length + 2;
}

/** Whether a line is the row of dashes below a table's header. */
function isTableRule(line: string): boolean {
  const cells = line
    .trim()
    .replace(/^\||\|$/gu, '')
    .split('|');
  return cells.every((cell) => /^:?-+:?$/u.test(cell.trim()));
}

type Lines = ReturnType<typeof createLines>;

function createLines(lines: string[]) {
  let next = 0;
  return {
    done: () => next >= lines.length,
    /** The line that is `ahead` lines further on; '' past the end. */
    peek: (ahead = 0) => lines[next + ahead] ?? '',
    take: () => lines[next++] ?? '',
  };
}

/**
 * Takes fenced code with its fences, up to the closing one or the end; of tildes, each has three.
 * Indented code counts as a paragraph.
 */
function takeCode(lines: Lines): string {
  const fence = fencePattern.exec(lines.peek())?.[1] ?? '```';
  const mark = fence.startsWith('~') ? '~~~' : fence;
  const taken = [lines.take().replace(fence, mark)];
  while (!lines.done()) {
    const line = lines.take();
    if (isFenceEnd(line, fence)) break;
    taken.push(line);
  }
  return [...taken, mark].join('\n');
}

function takeTable(lines: Lines): string[][] {
  const rows = [toCells(lines.take())];
  lines.take();
  while (!lines.done() && lines.peek().includes('|') && lines.peek().trim() !== '') {
    rows.push(toCells(lines.take()));
  }
  return rows;
}

function toCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/u, '')
    .replace(/(?<!\\)\|$/u, '');
  return inner.split(/(?<!\\)\|/u).map((cell) => toInlineText(cell.replaceAll('\\|', '|')));
}

/** Takes a list with everything indented below its items; wrapped lines are joined. */
function takeList(lines: Lines): string {
  const items: string[] = [];
  while (!lines.done()) {
    const line = lines.peek();
    const item = itemPattern.exec(line);
    const next = lines.peek(1);
    if (line.trim() === '') {
      if (!itemPattern.test(next) && !/^\s{2,}\S/u.test(next)) break;
      lines.take();
    } else if (item && !rulePattern.test(line)) {
      lines.take();
      const [, indent = '', number, text = ''] = item;
      items.push(`${indent}${number === undefined ? '-' : `${number}.`} ${toInlineText(text)}`);
    } else if (fencePattern.test(line.trimStart()) && /^\s/u.test(line)) {
      items.push(takeCode(dedent(lines)).replace(/^/gmu, '   '));
    } else if (headingPattern.test(line) || fencePattern.test(line) || rulePattern.test(line)) {
      break;
    } else {
      items.push(`${items.pop() ?? ''} ${toInlineText(lines.take().trim())}`);
    }
  }
  return items.join('\n');
}

/** The same lines without indentation, for fences below a list item. */
function dedent(lines: Lines): Lines {
  const indent = /^\s*/u.exec(lines.peek())?.[0].length ?? 0;
  const strip = (line: string): string =>
    line.slice(Math.min(indent, line.length - line.trimStart().length));
  return {
    done: lines.done,
    peek: (ahead) => strip(lines.peek(ahead)),
    take: () => strip(lines.take()),
  };
}

const interruptingPatterns = [underlinePattern, itemPattern, rulePattern, footnotePattern];

/** Takes lines up to the end of the paragraph; a very long one is split into parts. */
function takeParagraph(lines: Lines): string {
  const taken: string[] = [];
  let characters = 0;
  while (!lines.done() && characters < maxBlockLength) {
    const line = lines.peek();
    const ends =
      line.trim() === '' ||
      headingPattern.test(line) ||
      fencePattern.test(line) ||
      (taken.length > 0 && interruptingPatterns.some((pattern) => pattern.test(line)));
    if (ends) break;
    const text = lines.take().replace(quotePattern, '');
    characters += text.length;
    taken.push(
      text.endsWith('  ') || text.endsWith('\\')
        ? `${text.trim().replace(/\\$/u, '')}\n`
        : `${text.trim()} `,
    );
  }
  return taken.join('').trim();
}

/*
 * Each pattern stops at the character it starts with, so that the time is linear in the length of any
 * text.
 */
const imagePattern = /!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])/gu;
const relativeLinkPattern = /\[([^[\]]*)\](?:\((?!https?:)[^()]*\)|\[[^[\]]*\])/gu;
const linkTitlePattern = /(\]\(https?:[^\s()]+) +["'][^"'()]*["']\)/gu;
const emptyLinkPattern = /\[ *\]\([^()]*\)/gu;
const autolinkPattern = /<(https?:[^<>\s]+)>/gu;
const tagPattern =
  /<\/?(?:a|abbr|b|big|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|s|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video)\b[^<>]*>/giu;
const strongPattern = /\*\*(?=\S)((?:(?!\*\*)[^])+)(?<=\S)\*\*/gu;
const strongUnderscorePattern = /__(?=\S)((?:(?!__)[^])+)(?<=\S)__/gu;
const emphasisPattern = /(?<![\p{L}\p{N}*\\])\*(?=[^\s*])([^*\n]+)(?<=\S)\*(?![\p{L}\p{N}*])/gu;
const emphasisUnderscorePattern =
  /(?<![\p{L}\p{N}_\\])_(?=[^\s_])([^_\n]+)(?<=\S)_(?![\p{L}\p{N}_])/gu;
const strikethroughPattern = /~~(?=\S)((?:(?!~~)[^])+)(?<=\S)~~/gu;
const escapePattern = /\\([!-/:-@[-`{-~])/gu;

/**
 * Converts inline Markdown to readable text: emphasis, images and tags are removed, code spans and
 * web links stay, and a link within its own site becomes its text.
 */
function toInlineText(markdown: string): string {
  let text = '';
  let end = 0;
  for (const span of codeSpans(markdown)) {
    text += withoutMarks(markdown.slice(end, span.start)) + markdown.slice(span.start, span.end);
    end = span.end;
  }
  return (text + withoutMarks(markdown.slice(end))).replace(/[ \t]+/gu, ' ').trim();
}

/** Finds code spans: each from a run of backticks to the next run of the same length. */
function* codeSpans(text: string): Generator<{ start: number; end: number }> {
  const runs = Array.from(text.matchAll(/`+/gu), ({ 0: { length }, index }) => ({ length, index }));
  const nextOfLength = new Map<number, number>();
  const closing: (number | undefined)[] = [];
  for (const [index, run] of [...runs.entries()].toReversed()) {
    closing[index] = nextOfLength.get(run.length);
    nextOfLength.set(run.length, index);
  }
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index];
    const last = runs[closing[index] ?? -1];
    if (!run || !last) continue;
    yield { start: run.index, end: last.index + last.length };
    index = closing[index] ?? index;
  }
}

function withoutMarks(text: string): string {
  return decodeEntities(
    text
      .replace(imagePattern, '')
      .replace(emptyLinkPattern, '')
      .replace(relativeLinkPattern, '$1')
      .replace(linkTitlePattern, '$1)')
      .replace(autolinkPattern, '$1')
      .replace(tagPattern, ' ')
      .replace(strongPattern, '$1')
      .replace(strongUnderscorePattern, '$1')
      .replace(emphasisPattern, '$1')
      .replace(emphasisUnderscorePattern, '$1')
      .replace(strikethroughPattern, '$1')
      .replace(escapePattern, '$1'),
  );
}

/** Decodes HTML character references: "&amp;" → "&". */
function decodeEntities(text: string): string {
  if (!/&[#\w]/u.test(text)) return text;
  let decoded = '';
  const parser = new Parser({ ontext: (data) => (decoded += data) }, { decodeEntities: true });
  parser.end(text.replaceAll('<', '&lt;'));
  return decoded;
}
