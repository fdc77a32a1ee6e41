import { toPlainText } from '../ingestion/document.ts';
import type { DocumentStore, NamedDocument } from '../store/document-store.ts';
import { AnswerError } from './answer-error.ts';
import type { AskedDocuments } from './asked-question.ts';

/** A session document as a model reads it, whole. */
export interface ReadDocument {
  fileName: string;
  text: string;
  /** Whether this question's message named it first. */
  isAdded: boolean;
}

/** More is too long for any prompt (`maxDocumentTokens`), and would take long to read. */
const maxBytes = 200_000;

/**
 * The texts of a question's documents, those of earlier messages first.
 * @throws {AnswerError} when they can't fit into a prompt
 */
export function readDocuments(
  store: Pick<DocumentStore, 'get'>,
  owner: string,
  { remembered, added }: AskedDocuments,
): ReadDocument[] {
  if (countBytes(added) > maxBytes) throw new AnswerError('documents_too_long');
  if (countBytes([...remembered, ...added]) > maxBytes) throw new AnswerError('documents_too_many');
  const read = (isAdded: boolean) => (named: NamedDocument) => {
    const found = store.get(named.uuid, owner);
    return found ? [{ fileName: found.fileName, text: toPlainText(found.document), isAdded }] : [];
  };
  return [...remembered.flatMap(read(false)), ...added.flatMap(read(true))];
}

function countBytes(documents: readonly NamedDocument[]): number {
  return documents.reduce((sum, { bytes }) => sum + bytes, 0);
}
