import { basename, extname } from 'node:path';
import { decodeText } from './decode.ts';
import { type Draft, type ExtractedDocument, toDocument } from './document.ts';
import { IngestionError } from './ingestion-error.ts';
import { type FileKind, type Named, sniff } from './sniff.ts';

/**
 * Reads a file as each kind. What reads a kind is loaded with its first file: most files are plain
 * text, which needs no library.
 */
const readers: Record<FileKind, (bytes: Uint8Array, contentType?: string) => Promise<Draft>> = {
  text: async (...file) => (await import('./kinds/text.ts')).fromText(decodeText(...file)),
  markdown: async (...file) =>
    (await import('./kinds/markdown.ts')).fromMarkdown(decodeText(...file)),
  html: async (...file) => (await import('./kinds/html.ts')).fromHtml(decodeText(...file)),
  csv: async (...file) => (await import('./kinds/csv.ts')).fromCsv(decodeText(...file)),
  json: async (...file) => (await import('./kinds/json.ts')).fromJson(decodeText(...file)),
  rtf: async (...file) => (await import('./kinds/rtf.ts')).fromRtf(decodeText(...file)),
  eml: async (...file) => (await import('./kinds/eml.ts')).fromEml(decodeText(...file)),
  pdf: async (bytes) => (await import('./kinds/pdf.ts')).fromPdf(bytes),
  archived: async (bytes) => (await import('./kinds/archived.ts')).fromArchived(bytes),
};

/**
 * Reads the text of a file. A document without a title is named after its file.
 * @param maxCharacters of its text
 * @throws {IngestionError} when its type is not supported, it is too long, or it has no text
 */
export async function readDocument(
  bytes: Uint8Array,
  named: Named,
  maxCharacters: number,
): Promise<ExtractedDocument> {
  const sniffed = sniff(bytes, named);
  if ('refused' in sniffed) {
    const params = { kind: sniffed.refused };
    throw new IngestionError({ code: 'document_kind_refused', params });
  }
  const document = toDocument(await readers[sniffed.kind](bytes, named.contentType));
  const length = document.blocks.at(-1)?.end ?? 0;
  if (length === 0) throw new IngestionError('document_without_text');
  if (length > maxCharacters) {
    const params = { characters: length, max: maxCharacters };
    throw new IngestionError({ code: 'document_too_long', params });
  }
  return { ...document, title: document.title || nameWithoutExtension(named.fileName) };
}

/** The name for display, without any path (of Windows or Unix). */
function nameWithoutExtension(fileName: string): string {
  const name = basename(fileName.replaceAll('\\', '/'));
  return basename(name, extname(name));
}
