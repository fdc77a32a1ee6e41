import { dirname } from 'node:path/posix';
import type { Archive } from '../archive.ts';
import type { Draft } from '../document.ts';
import { readXml } from '../xml.ts';
import { type ParagraphProperties, readRoles, setProperty } from './docx-styles.ts';
import { createFlow } from './flow.ts';
import { createOutline } from './headings.ts';
import { readOfficeTitle } from './office-parts.ts';

/** A text box's fallback for other readers, and a paragraph's properties before a change. */
const skippedElements = new Set(['Fallback', 'pPrChange']);
const breakTexts: Record<string, string> = { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' };

/**
 * A Word document: its text with headings, lists and tables. Tracked deletions, headers, footers
 * and field codes are left out.
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

  await readXml(archive.pieces(main), {
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
  });
  flow.end();
  return outline.draft(await readOfficeTitle(archive));
}
