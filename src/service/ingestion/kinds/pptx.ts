import type { Archive } from '../archive.ts';
import { type Draft, IngestionError } from '../document.ts';
import { readOfficeTitle, readRelations, readXml, relationIdOf } from '../xml.ts';
import { createFlow, createOutline, type Outline, type ParagraphRole } from './outline.ts';

const maxSlides = 2000;

const titleTypes = new Set(['title', 'ctrTitle']);
/** Placeholders that repeat on every slide, and those of notes pages other than the notes. */
const otherTypes = new Set(['dt', 'ftr', 'hdr', 'sldNum', 'sldImg']);

/**
 * A presentation: each slide is a page under its title, with its notes, in the order shown. Hidden
 * slides are included.
 *
 * @param main the name of its main part
 */
export async function fromPptx(archive: Archive, main: string): Promise<Draft> {
  const slides = await readSlides(archive, main);
  if (slides.length > maxSlides) {
    const params = { slides: slides.length, max: maxSlides };
    throw new IngestionError({ code: 'presentation_too_long', params });
  }
  const outline = createOutline();
  for (const [index, slide] of slides.entries()) {
    outline.turnTo(index + 1);
    outline.leaveHeadings();
    await readShapes(archive, slide, outline);
    const relations = [...(await readRelations(archive, slide)).values()];
    const notes = relations.find(({ type }) => type.endsWith('/notesSlide'));
    if (notes) await readShapes(archive, notes.target, outline);
  }
  return outline.draft(await readOfficeTitle(archive));
}

async function readSlides(archive: Archive, main: string): Promise<string[]> {
  const relations = await readRelations(archive, main);
  const slides: string[] = [];
  await readXml(archive.pieces(main), {
    open: (element) => {
      const slide = relations.get(relationIdOf(element))?.target;
      if (element.name === 'sldId' && slide !== undefined) slides.push(slide);
    },
  });
  return slides;
}

async function readShapes(archive: Archive, part: string, outline: Outline): Promise<void> {
  const flow = createFlow(outline);
  let shape = '';
  let depth = 0;
  let hasBullet = true;
  let isText = false;
  /** What other readers show, such as that there is a chart. */
  let isFallback = false;

  function toRole(): ParagraphRole {
    if (titleTypes.has(shape)) return { as: 'heading', level: 1 };
    if (shape === 'body' && hasBullet && depth > 0) return { as: 'item', depth, marker: '-' };
    return { as: 'text' };
  }

  await readXml(archive.pieces(part), {
    open({ name, attributes }) {
      if (name === 'sp') shape = 'other';
      else if (name === 'ph') shape = attributes['type'] ?? 'body';
      else if (name === 'p') {
        depth = 0;
        hasBullet = true;
        flow.openParagraph();
      } else if (name === 'pPr') depth = Number(attributes['lvl'] ?? 0);
      else if (name === 'buNone') hasBullet = false;
      else if (name === 't') isText = !isFallback;
      else if (name === 'Fallback') isFallback = true;
      else if (name === 'br') flow.text('\n');
      else if (name === 'tbl') flow.openTable();
      else if (name === 'tr') flow.openRow();
      else if (name === 'tc') flow.openCell();
    },
    text(text) {
      if (isText && !otherTypes.has(shape)) flow.text(text);
    },
    close(name) {
      if (name === 'sp') shape = '';
      else if (name === 'p') flow.closeParagraph(toRole());
      else if (name === 't') isText = false;
      else if (name === 'Fallback') isFallback = false;
      else if (name === 'tc') flow.closeCell();
      else if (name === 'tbl') flow.closeTable();
    },
  });
  flow.end();
}
