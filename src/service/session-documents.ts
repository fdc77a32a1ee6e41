import type { z } from 'zod';
import type { SessionDocument } from '../shared/api/message.ts';
import { requireRoom } from './access.ts';
import { HttpError } from './http-error.ts';
import { createUuid, toTimestamp } from './identifiers.ts';
import type { Extractor } from './ingestion/extract.ts';
import { ExtractionError } from './ingestion/extraction-error.ts';
import type { Quota } from './quota.ts';
import type { ReceivedFile } from './sources.ts';
import type { Store } from './store/store.ts';

export interface SessionDocuments {
  /**
   * Reads the file's text.
   * @throws {HttpError} 422 when it holds none that can be read, or there is no room for it
   */
  add(
    owner: string,
    file: ReceivedFile,
    signal: AbortSignal,
  ): Promise<z.input<typeof SessionDocument>>;
}

const maxDocuments = 1000;

/** The rules of session documents. The upkeep deletes them after a day. */
export function createSessionDocuments(parts: {
  store: Store;
  quota: Pick<Quota, 'within'>;
  extractor: Extractor;
  now: () => number;
}): SessionDocuments {
  const { store, quota, extractor, now } = parts;

  return {
    async add(owner, file, signal) {
      requireRoom('document', store.documents.count(owner), maxDocuments);
      const { path, fileName, contentType } = file;
      const document = await extractor
        .extract({ path, fileName, contentType }, signal)
        .catch((error: unknown) => {
          if (!(error instanceof ExtractionError)) throw error;
          const params = { reason: error.message };
          throw new HttpError(422, { code: 'upload_unreadable', params }, { cause: error });
        });
      const createdMs = now();
      const uuid = createUuid();
      quota.within(owner, () =>
        store.documents.insert({ uuid, owner, fileName, document, createdMs }),
      );
      return {
        uuid,
        file_name: fileName,
        file_size: file.bytes,
        created_at: toTimestamp(createdMs),
      };
    },
  };
}
