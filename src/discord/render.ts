import { fenceTables } from '../conversation/markdown/fence-tables.ts';
import { readFormula } from '../conversation/markdown/formulas.ts';

/** Takes no room, and breaks what Discord would otherwise read as a mention. */
const breaker = '\u200B';

const fence = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*(`{3,}|~{3,})(.*)$/;
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const deepHeading = /^ {0,3}#{4,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const nestedQuote = /^(?:[ \t]*>){2,}[ \t]?/;
const listItem = /^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?:\[([ xX])\][ \t]+)?/;

/**
 * In this order: a code span, a formula, an image that is a link's text, an image, a link's or a bare
 * address, `__bold__`, `||`, a mention.
 */
const inline = new RegExp(
  [
    /(?<ticks>`+)(?!`).+?(?<!`)\k<ticks>(?!`)/,
    /(?<!\\)\\\((?<round>[^`]{1,500}?)\\\)/,
    /(?<!\\)\\\[(?<square>[^`]{1,500}?)\\\]/,
    /(?<![\\$])\$\$(?<double>[^`$]{1,500})\$\$/,
    /(?<![\\$])\$(?![\s\d$])(?=[^$`]*[\\^_{}=])(?<single>[^$`]{1,500})(?<![\s\\])\$(?![\d$])/,
    /\[!\[(?<badge>[^[\]\n]*)\]\([^()\s]*\)(?=\]\()/,
    /!\[(?<image>[^[\]\n]*)\](?=\([^()\s])/,
    /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*/,
    /\bhttps?:\/\/[^\s<>`[\]]+/,
    /(?<![\w_])__(?=[^\s_])(?<bold>.+?)(?<=[^\s_])__(?![\w_])/,
    /\|\|/,
    /@(?=everyone\b|here\b)/,
    /<(?=@[!&]?\d|#\d|\/[^<>:\n]{1,100}:\d|id:|t:-?\d|a?:\w+:\d)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Most characters of one line of small print. */
const longestPrint = 1_900;

/**
 * Markdown in Discord's dialect (support.discord.com, "Markdown Text 101"), which has no tables,
 * task lists, rules, formulas, images by address, nor headings deeper than the third: those become
 * what it has. What would ping somebody, hide text or call a command reads as it is written. Code
 * stays.
 */
export function renderMarkdown(markdown: string): string {
  const lines = fenceTables(markdown).split('\n');
  const rendered: string[] = [];
  let open: string | undefined;
  for (let index = 0; index < lines.length;) {
    const formula = open === undefined ? readFormula(lines, index) : undefined;
    if (typeof formula === 'object') {
      rendered.push(...formula.rendered);
      index = formula.end;
      continue;
    }
    const line = lines[index] ?? '';
    const next = fenceBehind(line, open);
    rendered.push((open ?? next) === undefined ? renderLine(line) : line);
    open = next;
    index += 1;
  }
  return rendered.join('\n');
}

/** The marks of the fenced code that is open behind a line. */
function fenceBehind(line: string, around: string | undefined): string | undefined {
  const [, marks, rest = ''] = fence.exec(line) ?? [];
  if (marks === undefined) return around;
  if (around !== undefined) return marks.startsWith(around) && !rest.trim() ? undefined : around;
  return marks.startsWith('`') && rest.includes('`') ? undefined : marks;
}

function renderLine(line: string): string {
  if (rule.test(line)) return '──────────';
  const [, heading] = deepHeading.exec(line) ?? [];
  if (heading) return `**${renderInline(heading.replaceAll('**', ''))}**`;
  return renderInline(
    line
      .replace(nestedQuote, '> ')
      .replace(listItem, (_, marker: string, box?: string) => renderItem(marker, box)),
  );
}

/** Nested items are indented by spaces in Discord. */
function renderItem(marker: string, box: string | undefined): string {
  const bullet = marker.replaceAll('\t', '  ').replace('+', '-');
  if (box === undefined) return bullet;
  return `${bullet}${box === ' ' ? '☐' : '☑'} `;
}

function renderInline(text: string): string {
  return text.replace(inline, (match: string, ...rest: unknown[]) =>
    renderConstruct(match, rest.at(-1) as Record<string, string | undefined>),
  );
}

function renderConstruct(match: string, groups: Record<string, string | undefined>): string {
  const { ticks, round, square, double, single, badge, image, bold } = groups;
  const formula = round ?? square ?? double ?? single;
  if (ticks !== undefined) return match;
  if (formula !== undefined) return `\`${formula.trim()}\``;
  if (badge !== undefined) return `[${renderInline(badge) || 'image'}`;
  if (image !== undefined) return `[${renderInline(image) || 'image'}]`;
  if (bold !== undefined) return `**${renderInline(bold)}**`;
  if (match === '||') return String.raw`\|\|`;
  return match === '@' || match === '<' ? match + breaker : match;
}

/** Small print, a line of Discord's each; a line that is too long is broken between its words. */
export function renderSmallPrint(footer: string): string[] {
  return renderMarkdown(footer)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => breakLine(line, longestPrint))
    .map((line) => `-# ${line}`);
}

function breakLine(line: string, most: number): string[] {
  const lines: string[] = [];
  let rest = line.trim();
  while (rest.length > most) {
    const space = Math.max(rest.lastIndexOf(' · ', most), 0) || rest.lastIndexOf(' ', most);
    const end = space > 0 ? space : most;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^[ ·]+/, '');
  }
  return [...lines, rest];
}
