import { dirname } from 'node:path/posix';
import type { Archive } from '../archive.ts';
import type { Draft } from '../document.ts';
import { readOfficeTitle, readRelations, readXml, type XmlHandlers } from '../xml.ts';
import { createFlow, createOutline, type ParagraphRole } from './outline.ts';
import { toSpan } from './tables.ts';

/** A text box's fallback for other readers, text and properties before a change, and pronunciations. */
const skippedElements = new Set(['Fallback', 'moveFrom', 'pPrChange', 'rt', 'tcPrChange']);
const breakTexts: Record<string, string> = { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' };

const notesPattern = /\/(?:foot|end)notes$/u;

/**
 * A Word document: its text with headings, lists and tables, then its footnotes and endnotes.
 * Tracked deletions, headers, footers and field codes are left out.
 *
 * @param main the name of its main part
 */
export async function fromDocx(archive: Archive, main: string): Promise<Draft> {
  const toRole = await readRoles(archive, `${dirname(main)}/`);
  const outline = createOutline();
  const flow = createFlow(outline);
  const paragraphs: ParagraphProperties[] = [];
  let isText = false;
  let inProperties = false;
  let skipped = 0;

  const handlers: XmlHandlers = {
    open({ name, attributes }) {
      if (skippedElements.has(name)) skipped += 1;
      if (skipped > 0) return;
      if (name === 'p') {
        paragraphs.push({});
        flow.openParagraph();
      } else if (name === 'pPr') inProperties = true;
      else if (inProperties) setProperty(paragraphs.at(-1) ?? {}, name, attributes);
      else if (name === 't') isText = true;
      else if (name === 'tbl') flow.openTable();
      else if (name === 'tr') flow.openRow();
      else if (name === 'tc') flow.openCell();
      else if (name === 'gridSpan') flow.merge({ columns: toSpan(attributes['val']) });
      else if (name === 'vMerge') flow.merge({ isContinued: attributes['val'] !== 'restart' });
      else if (breakTexts[name] !== undefined) flow.text(breakTexts[name]);
    },
    text(text) {
      if (isText && skipped === 0) flow.text(text);
    },
    close(name) {
      if (skippedElements.has(name)) skipped -= 1;
      if (skipped > 0 || skippedElements.has(name)) return;
      if (name === 'p') flow.closeParagraph(toRole(paragraphs.pop() ?? {}));
      else if (name === 'pPr') inProperties = false;
      else if (name === 't') isText = false;
      else if (name === 'tc') flow.closeCell();
      else if (name === 'tbl') flow.closeTable();
    },
  };

  await readXml(archive.pieces(main), handlers);
  flow.end();
  for (const { target, type } of (await readRelations(archive, main)).values()) {
    if (!notesPattern.test(type)) continue;
    outline.leaveHeadings(1);
    await readXml(archive.pieces(target), handlers);
    flow.end();
  }
  return outline.draft(await readOfficeTitle(archive));
}

/** The properties of a paragraph, from itself or its style. */
interface ParagraphProperties {
  style?: string;
  /** 0 for the top heading to 8; 9 is text. */
  outlineLevel?: number;
  /** Its list ("0" for none), and its depth in the list. */
  list?: string;
  depth?: number;
}

interface Style extends ParagraphProperties {
  name: string;
}

const maxInheritanceDepth = 20;
const textLevel = 9;

/** Sets a property of a paragraph or style from an element in its `pPr`. */
function setProperty(
  properties: ParagraphProperties,
  name: string,
  { val = '' }: Record<string, string>,
): void {
  if (name === 'pStyle' || name === 'basedOn') properties.style = val;
  else if (name === 'outlineLvl') properties.outlineLevel = Number(val);
  else if (name === 'numId') properties.list = val;
  else if (name === 'ilvl') properties.depth = Number(val);
}

/**
 * Reads the styles and lists of a Word document, and returns a function for a paragraph's role.
 *
 * @param folder the folder of the document's parts, such as "word/"
 */
async function readRoles(
  archive: Archive,
  folder: string,
): Promise<(own: ParagraphProperties) => ParagraphRole> {
  const styles = await readStyles(archive, `${folder}styles.xml`);
  const isNumbered = await readNumbering(archive, `${folder}numbering.xml`);
  const counters = new Map<string, number[]>();

  function resolve(own: ParagraphProperties): { properties: ParagraphProperties; names: string[] } {
    const lineage = [own];
    const names: string[] = [];
    let style = styles.get(own.style ?? '');
    for (let step = 0; style !== undefined && step < maxInheritanceDepth; step++) {
      names.push(style.name);
      const { style: basedOn, ...inherited } = style;
      lineage.unshift(inherited);
      style = styles.get(basedOn ?? '');
    }
    const properties: ParagraphProperties = Object.assign({}, ...lineage);
    return { properties, names };
  }

  function toMarker(list: string, depth: number): string {
    if (!isNumbered(list, depth)) return '-';
    const counts = (counters.get(list) ?? []).slice(0, depth + 1);
    const next = (counts[depth] ?? 0) + 1;
    counts[depth] = next;
    counters.set(list, counts);
    return `${next}.`;
  }

  return (own) => {
    const { properties, names } = resolve(own);
    if (names.some((name) => /^title$/iu.test(name))) return { as: 'heading', level: 0 };
    const named = names.map((name) => /^heading (\d)$/iu.exec(name)?.[1]).find(Boolean);
    if (named !== undefined) return { as: 'heading', level: Number(named) };
    const { outlineLevel = textLevel, list = '0', depth = 0 } = properties;
    if (outlineLevel < textLevel) return { as: 'heading', level: outlineLevel + 1 };
    if (list === '0') return { as: 'text' };
    return { as: 'item', depth, marker: toMarker(list, depth) };
  };
}

async function readStyles(archive: Archive, path: string): Promise<Map<string, Style>> {
  const styles = new Map<string, Style>();
  let style: Style = { name: '' };
  await readXml(archive.pieces(path), {
    open: ({ name, attributes }) => {
      if (name === 'style') {
        style = { name: '' };
        styles.set(attributes['styleId'] ?? '', style);
      } else if (name === 'name') style.name = attributes['val'] ?? '';
      else setProperty(style, name, attributes);
    },
  });
  return styles;
}

/** Whether the items of a list are numbered at a depth, rather than bulleted. */
async function readNumbering(
  archive: Archive,
  path: string,
): Promise<(list: string, depth: number) => boolean> {
  const formats = new Map<string, string[]>();
  const kinds = new Map<string, string>();
  let format: string[] = [];
  let list = '';
  let level = 0;
  await readXml(archive.pieces(path), {
    open: ({ name, attributes: { val = '', ...attributes } }) => {
      if (name === 'abstractNum') {
        format = [];
        formats.set(attributes['abstractNumId'] ?? '', format);
      } else if (name === 'lvl') level = Number(attributes['ilvl'] ?? 0);
      else if (name === 'numFmt' && level <= textLevel) format[level] = val;
      else if (name === 'num') list = attributes['numId'] ?? '';
      else if (name === 'abstractNumId') kinds.set(list, val);
    },
  });
  return (list, depth) =>
    !['bullet', 'none', undefined].includes(formats.get(kinds.get(list) ?? '')?.[depth]);
}
