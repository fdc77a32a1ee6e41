import { basename, extname } from 'node:path';
import { decodeText } from './decode.ts';
import { type Draft, type ExtractedDocument, toDocument } from './document.ts';
import { ExtractionError } from './extraction-error.ts';
import { fromCsv } from './kinds/csv.ts';
import { fromEml } from './kinds/eml.ts';
import { fromHtml } from './kinds/html.ts';
import { fromJson } from './kinds/json.ts';
import { fromMarkdown } from './kinds/markdown.ts';
import { fromPdf } from './kinds/pdf.ts';
import { fromRtf } from './kinds/rtf.ts';
import { fromText } from './kinds/text.ts';
import { type FileKind, type Named, sniff, type TextKind } from './sniff.ts';

const textReaders: Record<TextKind, (text: string) => Draft> = {
  text: fromText,
  markdown: fromMarkdown,
  html: fromHtml,
  csv: fromCsv,
  json: fromJson,
  rtf: fromRtf,
  eml: fromEml,
};

/**
 * Reads the text of a file. A document without a title is named after its file.
 * @param maxCharacters of its text
 * @throws {ExtractionError} when its type is not supported, it is too long, or it has no text
 */
export async function readDocument(
  bytes: Uint8Array,
  named: Named,
  maxCharacters: number,
): Promise<ExtractedDocument> {
  const sniffed = sniff(bytes, named);
  if ('refused' in sniffed) {
    const params = { kind: sniffed.refused };
    throw new ExtractionError('not-allowed', { code: 'document_kind_refused', params });
  }
  const document = toDocument(await toDraft(sniffed.kind, bytes, named.contentType));
  const length = document.blocks.at(-1)?.end ?? 0;
  if (length === 0) throw new ExtractionError('empty', 'document_without_text');
  if (length > maxCharacters) {
    const params = { characters: length, max: maxCharacters };
    throw new ExtractionError('too-large', { code: 'document_too_long', params });
  }
  return { ...document, title: document.title || nameWithoutExtension(named.fileName) };
}

async function toDraft(kind: FileKind, bytes: Uint8Array, contentType?: string): Promise<Draft> {
  if (kind === 'pdf') return fromPdf(bytes);
  if (kind === 'archived') {
    // The readers of office files take as long to load as all others together.
    const { fromArchived } = await import('./kinds/archived.ts');
    return fromArchived(bytes);
  }
  return textReaders[kind](decodeText(bytes, contentType));
}

/** The name for display, without any path (of Windows or Unix). */
function nameWithoutExtension(fileName: string): string {
  const name = basename(fileName.replaceAll('\\', '/'));
  return basename(name, extname(name));
}
