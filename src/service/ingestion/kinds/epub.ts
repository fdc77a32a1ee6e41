import type { Archive } from '../archive.ts';
import { type Draft, type DraftBlock, IngestionError } from '../document.ts';
import { readXml, resolve } from '../xml.ts';
import { fromHtml } from './html.ts';

const maxChapters = 5000;

/** The files of books with DRM. */
const rightsFiles = ['META-INF/rights.xml', 'META-INF/sinf.xml'];

/** Including its internal declarations, which HTML doesn't know. */
const documentTypePattern = /<!DOCTYPE[^[<>]*(?:\[[^[\]]*\]\s*)?>/iu;

/** An e-book: its chapters in reading order, under their headings. */
export async function fromEpub(archive: Archive): Promise<Draft> {
  if (rightsFiles.some((name) => archive.has(name))) {
    throw new IngestionError('book_protected');
  }
  const { title, chapters } = await readPackage(archive, await findPackage(archive));
  if (chapters.length > maxChapters) {
    const params = { chapters: chapters.length, max: maxChapters };
    throw new IngestionError({ code: 'book_too_long', params });
  }
  const blocks: DraftBlock[] = [];
  for (const chapter of chapters) {
    const draft = fromHtml((await archive.text(chapter)).replace(documentTypePattern, ''));
    const named = draft.title === '' || draft.title === title ? [] : [draft.title];
    for (const block of draft.blocks) {
      blocks.push(block.headings.length > 0 ? block : { ...block, headings: named });
    }
  }
  return { title, blocks };
}

async function findPackage(archive: Archive): Promise<string> {
  let path = '';
  await readXml(archive.pieces('META-INF/container.xml'), {
    open: ({ name, attributes }) => {
      if (name === 'rootfile' && path === '') path = attributes['full-path'] ?? '';
    },
  });
  return path;
}

/** The chapters in the order of the book's "spine". */
async function readPackage(archive: Archive, path: string) {
  const items = new Map<string, string>();
  const chapters: string[] = [];
  let title = '';
  let isTitle = false;
  await readXml(archive.pieces(path), {
    open: ({ name, attributes: { id = '', href = '', idref = '', 'media-type': type = '' } }) => {
      if (name === 'title') isTitle = title === '';
      else if (name === 'item' && /html/iu.test(type)) items.set(id, resolve(path, decode(href)));
      else if (name === 'itemref' && items.has(idref)) chapters.push(items.get(idref) ?? '');
    },
    text: (text) => {
      if (isTitle) title += text;
    },
    close: (name) => {
      if (name === 'title') isTitle = false;
    },
  });
  return { title: title.trim(), chapters };
}

function decode(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
