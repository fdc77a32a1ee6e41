import type { z } from 'zod';
import type { Message, MessageFilter } from '../../shared/api/session.ts';
import { type Access, createAccess } from '../access.ts';
import type { AfterTurn } from '../after-turn/after-turn.ts';
import { mapEach } from '../../shared/primitives/iterables.ts';
import type { Handlers, OperationRequest } from '../http/handlers.ts';
import { HttpError } from '../http-error.ts';
import { toTimestamp } from '../identifiers.ts';
import type { Replies, Reply } from '../replies/replies.ts';
import type { NamedDocument } from '../store/document-store.ts';
import type { MessageRecord } from '../store/message-store.ts';
import type { Store } from '../store/store.ts';

type MessageAnswer = z.input<typeof Message>;

/** How many documents a session remembers, the newest. */
const maxRemembered = 20;

/** The rules of messages. Each handler throws HttpError when it can't do its work. */
export function createMessages(parts: {
  store: Store;
  access: Access;
  replies: Replies;
  afterTurn: Pick<AfterTurn, 'countPending'>;
}) {
  const { store, access, replies, afterTurn } = parts;

  async function findDocument(owner: string, uuid: string): Promise<NamedDocument> {
    const document = await store.documents.find(uuid, owner);
    if (document !== undefined) return document;
    throw new HttpError(422, { code: 'document_unknown', params: { uuid } });
  }

  async function toAskedDocuments(owner: string, session: string, uuids: readonly string[] = []) {
    const named = await Promise.all([...new Set(uuids)].map((uuid) => findDocument(owner, uuid)));
    const remembered = await store.documents.listOf(session, maxRemembered);
    const known = new Set(remembered.map(({ uuid }) => uuid));
    return { remembered, added: named.filter(({ uuid }) => !known.has(uuid)) };
  }

  async function start(
    { owner, params, body, key, signal }: OperationRequest<'sendMessage'>,
    isWatched: boolean,
  ): Promise<Reply> {
    const session = await access.session(owner, params.uuid);
    const { query, pre_canned_response: given, session_document_uuids: documents } = body;
    return replies.start(
      {
        chatbot: await access.chatbot(owner, session.chatbot),
        session,
        query,
        key,
        isWatched,
        documents: await toAskedDocuments(owner, session.uuid, documents),
        givenResponse: typeof given === 'string' ? given : undefined,
      },
      signal,
    );
  }

  /** A running reply is shown with its text so far. */
  const toCurrent = (message: MessageRecord) => replies.find(message.uuid) ?? message;
  const readMessages = (session: string, filter: MessageFilter = {}) =>
    mapEach(store.messages.each(session, filter), toCurrent);
  const toAnswer = (message: MessageRecord) =>
    toMessage(message, afterTurn.countPending(message.uuid));

  /**
   * All or none, with the documents that came with them, and what their sessions have learned.
   * @throws {HttpError} 404 when one of them is missing
   */
  async function remove(owner: string, uuids: readonly string[]) {
    await store.transaction(async (tx) => {
      const { message } = createAccess(tx);
      const messages: MessageRecord[] = [];
      for (const uuid of new Set(uuids)) messages.push(await message(owner, uuid));
      for (const { uuid, session } of messages) {
        await tx.documents.delete(await tx.messages.listAdded(uuid));
        await tx.messages.delete(uuid);
        // It is not known which message a value comes from. The next one finds what is still there.
        await tx.sessions.unlearn(session);
      }
    });
    for (const uuid of uuids) replies.end({ message: uuid });
    return { success: true };
  }

  return {
    /** Streams the reply in UTF-8. */
    streamMessage: async (request) => toByteStream(await start(request, true)),

    async sendMessage(request) {
      const { deltas } = await start(request, false);
      return { response: (await Array.fromAsync(deltas)).join('') };
    },

    /**
     * Ends the reply to the query that was sent with this idempotency key.
     * @throws {HttpError} 404 when there is none
     */
    async stopMessage({ owner, params: { uuid: session }, body }) {
      await access.session(owner, session);
      await replies.stop(session, body.idempotency_key);
      return { success: true };
    },

    async listMessages({ owner, params: { uuid: session }, query }) {
      await access.session(owner, session);
      return mapEach(readMessages(session, query), toAnswer);
    },

    getMessage: async ({ owner, params }) =>
      toAnswer(toCurrent(await access.message(owner, params.uuid))),

    /** The session as text, one paragraph per side. */
    async getTranscript({ owner, params: { uuid: session } }) {
      await access.session(owner, session);
      let separator = '';
      return mapEach(readMessages(session), ({ query, response }) => {
        const text = `${separator}User: ${query}\n\nAI: ${response}\n`;
        separator = '\n';
        return text;
      });
    },

    deleteMessage: ({ owner, params }) => remove(owner, [params.uuid]),

    deleteMessages: ({ owner, body }) => remove(owner, body.uuids),
  } satisfies Partial<Handlers>;
}

function toByteStream({ deltas, leave }: Reply): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await deltas.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: leave,
  });
}

function toMessage(message: MessageRecord, pendingTasks: number): MessageAnswer {
  return {
    uuid: message.uuid,
    query: message.query,
    response: message.response,
    cite_data_json: JSON.stringify(message.citations),
    finish_reason: message.finishReason,
    meta_json: JSON.stringify(message.meta),
    error_message: message.errorMessage,
    created_at: toTimestamp(message.createdMs),
    modified_at: toTimestamp(message.modifiedMs),
    session_documents: message.meta.session_documents ?? [],
    labels: (message.meta.labels ?? []).map(({ name }) => name),
    background_pending_tasks: pendingTasks,
    detected_frustrations: [],
    feedback_json: {},
  };
}
