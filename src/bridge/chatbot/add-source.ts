import { Readable } from 'node:stream';
import type { DataSource } from '../../shared/api/data-source.ts';
import { parseAnswer, toRequest } from './call.ts';
import type { CallOptions } from './call.ts';
import { createMultipart } from './multipart.ts';
import type { UploadFile } from './multipart.ts';
import type { Transport, WholeAnswer } from './transport.ts';

/** A source that was added, or existed already. */
export interface AddedSource {
  source: DataSource;
  duplicate: boolean;
}

/** A file to become a source. */
export interface SourceFile extends UploadFile {
  /** The link that citations of the source point to. */
  referenceSourceLink?: string;
}

/**
 * Streams a file to the service. Never retried, because its content can be read only once.
 * @throws {ChatbotError} also `invalid` when the content can't be read or is not `size` bytes long
 */
export async function uploadSource(
  transport: Transport,
  chatbotUuid: string,
  file: SourceFile,
  signal?: AbortSignal,
): Promise<AddedSource> {
  const { referenceSourceLink: link } = file;
  const fields: Record<string, string> = link === undefined ? {} : { reference_source_link: link };
  const { headers, body } = createMultipart(fields, file);
  const request = toRequest('uploadDataSource', { params: { uuid: chatbotUuid }, signal });
  const upload = { ...request, headers, body: Readable.from(body) };
  return parseAdded('uploadDataSource', await transport.ask(upload, 'never', duplicateStatus));
}

/**
 * Adds a source that is not a file.
 * @throws {ChatbotError}
 */
export async function addSource<Name extends 'addUrlSource' | 'addQaSource'>(
  transport: Transport,
  name: Name,
  options: CallOptions<Name>,
): Promise<AddedSource> {
  const request = toRequest(name, options);
  return parseAdded(name, await transport.ask(request, 'unsent', duplicateStatus));
}

/** The status for a duplicate, whose body is the existing source: treated as success. */
const duplicateStatus = 409;

function parseAdded(name: AddingName, { text, failure }: WholeAnswer): AddedSource {
  try {
    return { source: parseAnswer(name, text), duplicate: failure !== undefined };
  } catch (error) {
    throw failure ?? error;
  }
}

type AddingName = 'uploadDataSource' | 'addUrlSource' | 'addQaSource';
