import type { z } from 'zod';
import type { Session } from '../../shared/api/session.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import { type Access, createAccess, requireRoom } from '../access.ts';
import type { Handlers } from '../http/handlers.ts';
import type { ReceivedFile } from '../http/upload.ts';
import { HttpError } from '../http-error.ts';
import { AnswerError } from '../model/answer-errors.ts';
import type { LanguageModel } from '../model/language-model.ts';
import { describePicture } from '../answer/pictures.ts';
import { createUuid, toTimestamp } from '../identifiers.ts';
import { type ExtractedDocument, IngestionError } from '../ingestion/document.ts';
import type { Extractor } from '../ingestion/extract.ts';
import type { Quota } from '../quota.ts';
import type { Replies } from '../replies/replies.ts';
import type { SessionRecord } from '../store/session-store.ts';
import type { Store } from '../store/store.ts';

type SessionAnswer = z.input<typeof Session>;

const maxDocuments = 1000;
const dayMs = 24 * 60 * 60 * 1000;

/** The rules of sessions and their documents. Deleting a session ends its running replies. */
export function createSessions(parts: {
  store: Store;
  access: Access;
  quota: Pick<Quota, 'within'>;
  replies: Pick<Replies, 'end'>;
  extractor: Extractor;
  /** A model that reads pictures, if there is one. */
  seeing?: LanguageModel;
  now: () => number;
}) {
  const { store, access, quota, replies, extractor, seeing, now } = parts;

  async function read(
    { path, fileName, contentType, picture }: ReceivedFile,
    signal: AbortSignal,
  ): Promise<ExtractedDocument> {
    if (picture === undefined || !seeing)
      return extractor.extract({ path, fileName, contentType }, signal);
    return describePicture(seeing, { path, type: picture }, signal);
  }

  return {
    async createSession({ owner, params: { uuid: chatbot }, body: request }) {
      const session: SessionRecord = {
        uuid: createUuid(),
        chatbot,
        variables: request?.initial_variables ?? {},
        learned: {},
        createdMs: now(),
        modifiedMs: now(),
      };
      await quota.within(owner, async (tx) => {
        await createAccess(tx).chatbot(owner, chatbot);
        await tx.sessions.insert(session);
      });
      return toSession(session);
    },

    async listSessions({ owner, params: { uuid: chatbot }, query }) {
      await access.chatbot(owner, chatbot);
      const { start_timestamp: start, end_timestamp: end } = query;
      const fromMs = start === undefined ? 0 : Date.parse(start);
      const toMs = end === undefined ? Number.MAX_SAFE_INTEGER : toLastMs(end);
      return mapEach(store.sessions.each(chatbot, fromMs, toMs), toSession);
    },

    getSession: async ({ owner, params }) => toSession(await access.session(owner, params.uuid)),

    async deleteSession({ owner, params: { uuid } }) {
      await access.session(owner, uuid);
      await store.sessions.delete(uuid);
      // From here on, none can start.
      replies.end({ session: uuid });
      return { success: true };
    },

    /**
     * Reads a document for the next messages; it is deleted after a day.
     * @throws {HttpError} 422 when it has no text that can be read, or there is no room for it
     */
    async uploadSessionDocument({ owner, body: receive, signal }) {
      const { file } = await receive();
      const { fileName, bytes } = file;
      requireRoom('document', await store.documents.count(owner), maxDocuments);
      const document = await read(file, signal).catch(throwUnreadable);
      const createdMs = now();
      const uuid = createUuid();
      await quota.within(owner, async (tx) => {
        requireRoom('document', await tx.documents.count(owner), maxDocuments);
        await tx.documents.insert({ uuid, owner, fileName, document, createdMs });
      });
      return {
        uuid,
        file_name: fileName,
        file_size: bytes,
        created_at: toTimestamp(createdMs),
      };
    },
  } satisfies Partial<Handlers>;
}

function throwUnreadable(error: unknown): never {
  if (!(error instanceof IngestionError || error instanceof AnswerError)) throw error;
  const params = { reason: error.message };
  throw new HttpError(422, { code: 'upload_unreadable', params }, { cause: error });
}

/** A time in ms; for a date alone, its last. */
function toLastMs(time: string): number {
  return Date.parse(time) + (time.includes('T') ? 0 : dayMs - 1);
}

function toSession(session: SessionRecord): SessionAnswer {
  return {
    uuid: session.uuid,
    created_at: toTimestamp(session.createdMs),
    modified_at: toTimestamp(session.modifiedMs),
    ...(Object.keys(session.variables).length > 0 && { initial_variables: session.variables }),
    ...(Object.keys(session.learned).length > 0 && {
      variables: { ...session.learned, ...session.variables },
    }),
  };
}
