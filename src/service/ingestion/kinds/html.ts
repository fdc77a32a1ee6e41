import { Parser } from 'htmlparser2';
import { sum } from '../../../shared/primitives/iterables.ts';
import { type Draft, IngestionError } from '../document.ts';
import { createOutline } from './outline.ts';
import { createTable, type Table, toSpan } from './tables.ts';

const minMainLength = 200;

/**
 * Parses an HTML page: its main content (`main`, `article`) if marked; otherwise everything except
 * navigation, header, footer and hidden elements.
 * @throws {IngestionError} when its elements are nested too deeply
 */
export function fromHtml(html: string): Draft {
  const page = createPage();
  const parser = new Parser({
    onopentag: page.open,
    onclosetag: page.close,
    ontext: page.text,
  });
  parser.write(html);
  parser.end();

  const outline = createOutline();
  for (const { level, text } of toContent(page.parts())) {
    if (level > 0) outline.heading(level, text);
    else if (text.startsWith('```')) outline.block(text);
    else outline.paragraph(text);
  }
  return outline.draft(page.title());
}

function toContent(parts: PagePart[]): PagePart[] {
  const lengthIn = (region: Region): number =>
    sum(parts.map((part) => (part.region === region ? part.text.length : 0)));
  if (lengthIn('main') >= Math.max(minMainLength, lengthIn('body') / 4)) {
    return parts.filter((part) => part.region === 'main');
  }
  const content = parts.filter((part) => part.region !== 'around' && !isLinkList(part));
  return content.some((part) => part.level === 0) ? content : parts;
}

function isLinkList(part: PagePart): boolean {
  return part.region === 'body' && part.links >= 3 && part.linked > part.text.length * 0.7;
}

/** A heading (level 1 to 6) or a block (level 0) of a page. */
interface PagePart {
  level: number;
  text: string;
  region: Region;
  /** How many of its characters are link text, and how many links it has. */
  linked: number;
  links: number;
}

const blockElements = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header hr html legend main nav ol p section summary table ul'.split(
    ' ',
  ),
);
const codeElements = new Set(['code', 'kbd', 'samp', 'tt']);
const headingPattern = /^h[1-6]$/u;
/** Elements that may have their text in a button, which shows what is below. */
const openerPattern = /^(?:h[1-6]|summary)$/u;

/** Parsing time grows with the square of the depth. */
const maxDepth = 5000;

/**
 * Collects a page's parts from its tags as they are parsed. Text is collected until an element ends
 * it; then it becomes a list item, a table cell or its own block.
 * @throws {IngestionError} from `open`, when elements are nested too deeply
 */
function createPage() {
  const parts: PagePart[] = [];
  const regions: Region[] = [];
  let lists: { ordered: boolean; next: number }[] = [];
  const tables: Table[] = [];
  /** The lists that each table stands in. */
  const around: (typeof lists)[] = [];
  let items: string[] = [];
  /** The prefix of the next list item or definition. */
  let prefix = '';
  let buffer = '';
  let linked = 0;
  let links = 0;
  let linkStart = 0;
  let preformatted = 0;
  let openers = 0;
  let inTitle = false;
  let title = '';

  const region = (): Region => regions.at(-1) ?? 'body';

  /** Adds a part; within a table cell it becomes the cell's text, because a table is one block. */
  function add(level: number, text: string): void {
    if (text.trim() === '') return;
    const table = tables.at(-1);
    if (table?.inCell()) table.text(text);
    else parts.push({ level, text, region: region(), linked, links });
    linked = 0;
    links = 0;
  }

  function takeText(): string {
    const text = preformatted > 0 ? buffer : tidy(buffer);
    buffer = '';
    return text;
  }

  function flush(): void {
    const text = takeText();
    if (text === '') return;
    if (lists.length > 0) items.push(prefix + text);
    else add(0, prefix + text);
    prefix = '  '.repeat(lists.length);
  }

  /** Adds the items so far, which come before a heading or a table within the list. */
  function addItems(): void {
    flush();
    add(0, items.join('\n'));
    items = [];
  }

  function openList(ordered: boolean, start = '1'): void {
    flush();
    lists.push({ ordered, next: Number.parseInt(start, 10) || 1 });
  }

  function closeList(): void {
    flush();
    lists.pop();
    prefix = '  '.repeat(lists.length);
    if (lists.length === 0) addItems();
  }

  function openItem(): void {
    flush();
    const list = lists.at(-1);
    const marker = list?.ordered ? `${list.next++}.` : '-';
    prefix = `${'  '.repeat(Math.max(0, lists.length - 1))}${marker} `;
  }

  function closeCode(): void {
    const code = buffer.replace(/^\n/u, '').trimEnd();
    buffer = '';
    preformatted = Math.max(0, preformatted - 1);
    if (code === '') return;
    const fence = code.includes('```') ? '~~~' : '```';
    const fenced = `${fence}\n${code}\n${fence}`;
    if (lists.length > 0) items.push(fenced.replace(/^/gmu, '  '.repeat(lists.length)));
    else add(0, fenced);
  }

  function closeTerm(): void {
    const term = takeText();
    prefix = term === '' ? '' : `- ${term}: `;
  }

  function openCell({ colspan, rowspan }: Record<string, string>): void {
    tables.at(-1)?.openCell({ columns: toSpan(colspan), rows: toSpan(rowspan) });
  }

  function closeCell(): void {
    flush();
    tables.at(-1)?.closeCell();
  }

  /** Whether a button is the title of what it shows; one beside a heading's text copies or edits. */
  function isOpener(attributes: Record<string, string>): boolean {
    if ('aria-expanded' in attributes) return !('aria-haspopup' in attributes);
    return openers > 0 && buffer.trim() === '';
  }

  function openTable(): void {
    addItems();
    if (lists.length > 0) prefix = '';
    around.push(lists);
    lists = [];
    tables.push(createTable());
  }

  function closeTable(): void {
    flush();
    lists = around.pop() ?? [];
    prefix = '  '.repeat(lists.length);
    for (const text of tables.pop()?.blocks() ?? []) add(0, text);
  }

  const opened: Record<string, (attributes: Record<string, string>) => void> = {
    title: () => (inTitle = title === ''),
    br: () => (buffer += '\n'),
    a: () => (linkStart = buffer.length),
    ul: () => openList(false),
    ol: (attributes) => openList(true, attributes.start),
    li: openItem,
    tr: () => tables.at(-1)?.openRow(),
    td: openCell,
    th: openCell,
    table: openTable,
    pre: () => {
      flush();
      preformatted += 1;
    },
  };

  const closed: Record<string, () => void> = {
    title: () => (inTitle = false),
    a: () => {
      linked += Math.max(0, buffer.length - linkStart);
      links += 1;
    },
    ul: closeList,
    ol: closeList,
    li: flush,
    dt: closeTerm,
    pre: closeCode,
    table: closeTable,
    td: closeCell,
    th: closeCell,
  };

  return {
    open(name: string, attributes: Record<string, string>): void {
      if (regions.length >= maxDepth) {
        const params = { max: maxDepth };
        throw new IngestionError({ code: 'page_too_deep', params });
      }
      const isShown = name === 'button' && isOpener(attributes);
      regions.push(toRegion(isShown ? 'div' : name, attributes, region()));
      if (region() === 'hidden') return;
      if (openerPattern.test(name)) openers += 1;
      const handle = opened[name];
      if (handle) handle(attributes);
      else if (codeElements.has(name) && preformatted === 0) buffer += '`';
      else if (headingPattern.test(name)) addItems();
      else if (blockElements.has(name) || (isShown && openers === 0)) flush();
    },
    close(name: string): void {
      if (region() !== 'hidden') {
        const handle = closed[name];
        if (handle) handle();
        else if (codeElements.has(name) && preformatted === 0) buffer = closeSpan(buffer);
        else if (headingPattern.test(name)) add(Number(name.slice(1)), toHeading(takeText()));
        else if (blockElements.has(name) || (name === 'button' && openers === 0)) flush();
        if (openerPattern.test(name)) openers -= 1;
      }
      regions.pop();
    },
    text(data: string): void {
      if (inTitle) title += data;
      else if (region() !== 'hidden') {
        buffer += preformatted > 0 ? data : data.replace(/[\s\u00a0]+/gu, ' ');
      }
    },
    parts(): PagePart[] {
      flush();
      return parts;
    },
    title: (): string => tidy(title),
  };
}

/** Ends a code span; an empty one is removed. */
function closeSpan(buffer: string): string {
  return buffer.endsWith('`') ? buffer.slice(0, -1) : `${buffer}\``;
}

/** A heading without its permalink sign. */
function toHeading(text: string): string {
  return text.replace(/[¶#§]$/u, '').trimEnd();
}

function tidy(text: string): string {
  return text
    .replace(/[ \t\u00a0]+/gu, ' ')
    .replace(/ ?\n ?/gu, '\n')
    .trim();
}

/** The region of a page that an element is in: the main content, what surrounds it, or neither. */
type Region = 'main' | 'body' | 'around' | 'hidden';

const hiddenElements = new Set(
  'script style noscript template svg math canvas iframe object embed audio video select option button textarea input datalist dialog'.split(
    ' ',
  ),
);
const surroundingRoles = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
]);
const surroundingNames = new Set(
  'nav navbar navigation menu sidebar footer site-footer site-header breadcrumb breadcrumbs cookie cookies cookie-banner toc skip-link share social advertisement ads headerlink anchor-link'.split(
    ' ',
  ),
);

/** The region of an element, given the region around it. */
function toRegion(name: string, attributes: Record<string, string>, outer: Region): Region {
  if (outer === 'hidden' || hiddenElements.has(name) || isHidden(name, attributes)) return 'hidden';
  const { role = '' } = attributes;
  if (name === 'nav' || role === 'navigation' || isNamedAround(name, attributes, outer))
    return 'around';
  if (name === 'main' || name === 'article' || role === 'main') return 'main';
  if (name === 'footer') return 'around';
  if (outer === 'body' && (name === 'header' || name === 'aside' || surroundingRoles.has(role))) {
    return 'around';
  }
  return outer;
}

function isHidden(name: string, attributes: Record<string, string>): boolean {
  return (
    'hidden' in attributes ||
    (attributes['aria-hidden'] === 'true' && name !== 'body' && name !== 'html') ||
    /display:\s*none/iu.test(attributes.style ?? '') ||
    (name === 'sup' && /\breference\b/u.test(attributes.class ?? ''))
  );
}

function isNamedAround(name: string, attributes: Record<string, string>, outer: Region): boolean {
  if (outer === 'main' && name !== 'a') return false;
  if (name === 'body' || name === 'html') return false;
  const names = `${attributes.class ?? ''} ${attributes.id ?? ''}`.toLowerCase().split(/\s+/u);
  return names.some((name) => surroundingNames.has(name));
}
