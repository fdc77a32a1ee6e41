import { type Archive, openArchive } from '../archive.ts';
import { type Draft, type DraftBlock, IngestionError } from '../document.ts';
import { readXml, resolve } from '../xml.ts';
import { fromDocx } from './docx.ts';
import { fromHtml } from './html.ts';
import { fromOpenDocument, type OpenDocument } from './open-document.ts';
import { fromPptx } from './pptx.ts';
import { fromXlsx } from './xlsx.ts';

const openDocumentPattern =
  /^application\/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)/u;

/** The main part of an Office document, including those with macros and templates. */
const readersByMainPart: [RegExp, (archive: Archive, main: string) => Promise<Draft>][] = [
  [
    /^application\/vnd\.(?:openxmlformats-officedocument\.wordprocessingml|ms-word)\.[\w.]+\.main\+xml$/iu,
    fromDocx,
  ],
  [
    /^application\/vnd\.(?:openxmlformats-officedocument\.presentationml|ms-powerpoint)\.[\w.]+\.main\+xml$/iu,
    fromPptx,
  ],
  [
    /^application\/vnd\.(?:openxmlformats-officedocument\.spreadsheetml|ms-excel)\.[\w.]+\.main\+xml$/iu,
    fromXlsx,
  ],
];

/**
 * Reads documents that are zip files. The archive's own `mimetype` or `[Content_Types].xml` says
 * which kind it is.
 * @throws {IngestionError} when it is another archive, damaged, too large, or protected
 */
export async function fromArchived(bytes: Uint8Array): Promise<Draft> {
  const archive = await openArchive(bytes);
  const type = (await archive.text('mimetype')).trim();
  if (type === 'application/epub+zip') return fromEpub(archive);
  const openDocument = openDocumentPattern.exec(type)?.[1];
  if (openDocument !== undefined) return fromOpenDocument(archive, openDocument as OpenDocument);
  for (const [part, contentType] of await readContentTypes(archive)) {
    const reader = readersByMainPart.find(([pattern]) => pattern.test(contentType))?.[1];
    if (reader) return reader(archive, part.replace(/^\//u, ''));
  }
  const params = { kind: 'archive' } as const;
  throw new IngestionError({ code: 'document_kind_refused', params });
}

async function readContentTypes(archive: Archive): Promise<[string, string][]> {
  const types: [string, string][] = [];
  await readXml(archive.pieces('[Content_Types].xml'), {
    open: ({ name, attributes: { PartName: part, ContentType: type } }) => {
      if (name === 'Override' && part !== undefined && type !== undefined) types.push([part, type]);
    },
  });
  return types;
}

const maxChapters = 5000;

/** The files of books with DRM. */
const rightsFiles = ['META-INF/rights.xml', 'META-INF/sinf.xml'];

/** Including its internal declarations, which HTML doesn't know. */
const documentTypePattern = /<!DOCTYPE[^[<>]*(?:\[[^[\]]*\]\s*)?>/iu;

/** An e-book: its chapters in reading order, under their headings. */
async function fromEpub(archive: Archive): Promise<Draft> {
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
