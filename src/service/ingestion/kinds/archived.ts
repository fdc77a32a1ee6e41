import { type Archive, openArchive } from '../archive.ts';
import { type Draft, IngestionError } from '../document.ts';
import { readXml } from '../xml.ts';
import { fromDocx } from './docx.ts';
import { fromEpub } from './epub.ts';
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
