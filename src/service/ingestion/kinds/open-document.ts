import type { Archive } from '../archive.ts';
import { type Draft, IngestionError } from '../document.ts';
import { readFirst, readXml, type XmlElement } from '../xml.ts';
import { createFlow, createOutline, type ParagraphRole } from './outline.ts';
import { createSheet, maxColumns, toSheetBlocks, toSpan } from './tables.ts';

export type OpenDocument = 'text' | 'presentation' | 'spreadsheet';

/** Not part of the text: tracked deletions, comments, footnote marks, pronunciations. */
const skippedElements = new Set([
  'tracked-changes',
  'annotation',
  'note-citation',
  'ruby-text',
  'forms',
  'date',
  'page-number',
]);
const maxSpaces = 100;

/**
 * An OpenDocument file (LibreOffice and others): text with headings, slides as pages, sheets as
 * tables.
 */
export async function fromOpenDocument(archive: Archive, as: OpenDocument): Promise<Draft> {
  const manifest = await archive.text('META-INF/manifest.xml');
  if (manifest.includes('encryption-data')) throw new IngestionError('document_protected');
  const title = await readFirst(archive.pieces('meta.xml'), 'title');
  if (as === 'spreadsheet') return { ...(await readSheets(archive)), title };
  return { ...(await readText(archive)), ...(title !== '' && { title }) };
}

async function readText(archive: Archive): Promise<Draft> {
  const outline = createOutline();
  const flow = createFlow(outline);
  const roles: ParagraphRole[] = [];
  let lists = 0;
  let isNewItem = false;
  let slides = 0;
  let isTitle = false;
  let skipped = 0;

  function toRole({ name, attributes }: XmlElement): ParagraphRole {
    if (isTitle) return { as: 'heading', level: 1 };
    if (name === 'h')
      return { as: 'heading', level: Number(attributes['outline-level'] ?? 1) || 1 };
    if (lists === 0 || !isNewItem) return { as: 'text' };
    isNewItem = false;
    return { as: 'item', depth: lists - 1, marker: '-' };
  }

  await readXml(archive.pieces('content.xml'), {
    open(element) {
      const { name, attributes } = element;
      if (skippedElements.has(name)) skipped += 1;
      if (skipped > 0) return;
      if (name === 'p' || name === 'h') {
        roles.push(toRole(element));
        flow.openParagraph();
      } else if (name === 's')
        flow.text(' '.repeat(Math.min(Number(attributes['c'] ?? 1), maxSpaces) || 1));
      else if (name === 'tab') flow.text('\t');
      else if (name === 'line-break') flow.text('\n');
      else if (name === 'list') lists += 1;
      else if (name === 'list-item') isNewItem = true;
      else if (name === 'table') flow.openTable();
      else if (name === 'table-row') flow.openRow();
      else if (name === 'table-cell') {
        flow.openCell({
          columns: toSpan(attributes['number-columns-spanned']),
          rows: toSpan(attributes['number-rows-spanned']),
        });
      } else if (name === 'frame') isTitle = attributes['class'] === 'title';
      else if (name === 'page') {
        slides += 1;
        outline.turnTo(slides);
        outline.leaveHeadings();
      }
    },
    text(text) {
      if (skipped === 0) flow.text(text.replace(/\s+/gu, ' '));
    },
    close(name) {
      if (skippedElements.has(name)) skipped -= 1;
      if (skipped > 0 || skippedElements.has(name)) return;
      if (name === 'p' || name === 'h') flow.closeParagraph(roles.pop() ?? { as: 'text' });
      else if (name === 'list') lists -= 1;
      else if (name === 'table-cell') flow.closeCell();
      else if (name === 'table') flow.closeTable();
      else if (name === 'frame') isTitle = false;
      else if (name === 'page') flow.end();
    },
  });
  flow.end();
  return outline.draft('');
}

/** A repeated cell appears once per column, a repeated row once. */
async function readSheets(archive: Archive): Promise<Draft> {
  const outline = createOutline();
  let sheet = createSheet();
  let cell = '';
  let column = 0;
  let repeats = 1;
  let skipped = 0;
  await readXml(archive.pieces('content.xml'), {
    open: ({ name, attributes }) => {
      if (skippedElements.has(name)) skipped += 1;
      if (name === 'table') {
        outline.heading(1, attributes['name'] ?? '');
        sheet = createSheet();
      } else if (name === 'table-row') {
        sheet.openRow();
        column = 0;
      } else if (name === 'table-cell' || name === 'covered-table-cell') {
        cell = '';
        repeats = Math.min(Number(attributes['number-columns-repeated'] ?? 1) || 1, maxColumns);
      } else if (name === 'p' && cell !== '') cell += '\n';
    },
    text: (text) => {
      if (skipped === 0) cell += text;
    },
    close: (name) => {
      if (skippedElements.has(name)) skipped -= 1;
      else if (name === 'table-cell' || name === 'covered-table-cell') {
        for (let times = 0; times < repeats; times++) sheet.cell(cell.trim(), column++);
      } else if (name === 'table') {
        for (const text of toSheetBlocks(sheet.rows())) outline.block(text);
      }
    },
  });
  return outline.draft('');
}
