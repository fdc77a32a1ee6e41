import type { SessionFilter } from '../../shared/api/session.ts';
import { addSource, uploadDocument, uploadSource } from './add-source.ts';
import type { SourceFile } from './add-source.ts';
import { call, deletion, parseAnswer, toRequest } from './call.ts';
import type { CallName, CallOptions } from './call.ts';
import { type Answer, leave } from './exchange.ts';
import { readNewestMessage } from './newest-message.ts';
import { type ReplyOptions, streamReply } from './reply-stream.ts';
import { createTransport } from './transport.ts';
import type { TransportOptions } from './transport.ts';

/** The JSON body that a method sends. */
type Body<Name extends CallName> =
  CallOptions<Name> extends { body?: infer Sent } ? Exclude<Sent, undefined> : never;

/**
 * The chatbot service's API: a method for each operation that is used here, and `call` for the
 * rest. Bodies are not validated first, because the service reports what is wrong. After a
 * transient failure, reads are retried. Other calls are retried only if no connection was made;
 * queries and uploads never are.
 *
 * Methods throw ChatbotError.
 */
export type ChatbotClient = ReturnType<typeof createChatbotClient>;

/** @throws {TypeError} when the base URL or the key is malformed */
export function createChatbotClient(options: TransportOptions) {
  const transport = createTransport(options);

  return {
    listChatbots: (signal?: AbortSignal) => call(transport, 'listChatbots', { signal }),
    getChatbot: (uuid: string, signal?: AbortSignal) =>
      call(transport, 'getChatbot', { params: { uuid }, signal }),
    createChatbot: (body: Body<'createChatbot'>, signal?: AbortSignal) =>
      call(transport, 'createChatbot', { body, signal }),
    updateChatbot: (uuid: string, body: Body<'updateChatbot'>, signal?: AbortSignal) =>
      call(transport, 'updateChatbot', { params: { uuid }, body, signal }),
    deleteChatbot: (uuid: string, signal?: AbortSignal) =>
      deletion(transport, 'deleteChatbot', uuid, signal),

    listAgents: (chatbot: string, signal?: AbortSignal) =>
      call(transport, 'listAgents', { params: { uuid: chatbot }, signal }),
    createAgent: (chatbot: string, body: Body<'createAgent'>, signal?: AbortSignal) =>
      call(transport, 'createAgent', { params: { uuid: chatbot }, body, signal }),
    updateAgent: (uuid: string, body: Body<'updateAgent'>, signal?: AbortSignal) =>
      call(transport, 'updateAgent', { params: { uuid }, body, signal }),
    deleteAgent: (uuid: string, signal?: AbortSignal) =>
      deletion(transport, 'deleteAgent', uuid, signal),

    listDataSources: (chatbot: string, signal?: AbortSignal) =>
      call(transport, 'listDataSources', { params: { uuid: chatbot }, signal }),
    /** Streams a file. It is read once and never held in memory as a whole. */
    uploadDataSource: (chatbot: string, file: SourceFile, signal?: AbortSignal) =>
      uploadSource(transport, chatbot, file, signal),
    addUrlSource: (chatbot: string, body: Body<'addUrlSource'>, signal?: AbortSignal) =>
      addSource(transport, 'addUrlSource', { params: { uuid: chatbot }, body, signal }),
    addQaSource: (chatbot: string, body: Body<'addQaSource'>, signal?: AbortSignal) =>
      addSource(transport, 'addQaSource', { params: { uuid: chatbot }, body, signal }),
    listSourceQuestions: async (uuid: string, signal?: AbortSignal) =>
      (await call(transport, 'listSourceQuestions', { params: { uuid }, signal })).questions,
    updateDataSource: (uuid: string, body: Body<'updateDataSource'>, signal?: AbortSignal) =>
      call(transport, 'updateDataSource', { params: { uuid }, body, signal }),
    deleteDataSource: (uuid: string, signal?: AbortSignal) =>
      deletion(transport, 'deleteDataSource', uuid, signal),

    listSourceTags: (chatbot: string, signal?: AbortSignal) =>
      call(transport, 'listSourceTags', { params: { uuid: chatbot }, signal }),
    createSourceTag: (chatbot: string, body: Body<'createSourceTag'>, signal?: AbortSignal) =>
      call(transport, 'createSourceTag', { params: { uuid: chatbot }, body, signal }),
    updateSourceTag: (uuid: string, body: Body<'updateSourceTag'>, signal?: AbortSignal) =>
      call(transport, 'updateSourceTag', { params: { uuid }, body, signal }),
    deleteSourceTag: (uuid: string, signal?: AbortSignal) =>
      deletion(transport, 'deleteSourceTag', uuid, signal),

    /** `takesKeys`: as the method of this name says. */
    async createSession(chatbot: string, signal?: AbortSignal) {
      const request = toRequest('createSession', { params: { uuid: chatbot }, signal });
      // May be repeated: an unused session costs nothing.
      const { text, header } = await transport.ask(request, 'safe');
      return { ...parseAnswer('createSession', text), takesKeys: saysItTakesKeys(header) };
    },
    /** Whether the service says that the session's queries may carry an idempotency key. */
    async takesKeys(session: string, signal?: AbortSignal) {
      const query = { limit: '1', order: 'desc' } as const;
      const request = toRequest('listMessages', { params: { uuid: session }, query, signal });
      const { header, body } = await transport.stream(request);
      await leave(body);
      return saysItTakesKeys(header);
    },
    getSession: (uuid: string, signal?: AbortSignal) =>
      call(transport, 'getSession', { params: { uuid }, signal }),
    listSessions: (chatbot: string, query: SessionFilter = {}, signal?: AbortSignal) =>
      call(transport, 'listSessions', { params: { uuid: chatbot }, query, signal }),
    deleteSession: (uuid: string, signal?: AbortSignal) =>
      deletion(transport, 'deleteSession', uuid, signal),

    listMessages: (session: string, signal?: AbortSignal) =>
      call(transport, 'listMessages', { params: { uuid: session }, signal }),
    /** The newest message of a session, however many it has; undefined if it has none. */
    newestMessage: (session: string, signal?: AbortSignal) =>
      readNewestMessage(transport, session, signal),
    /**
     * Sends a query when the first delta is requested, and yields the reply's deltas, never empty.
     * Leaving the loop or aborting ends the reply upstream. If the reply breaks off, an
     * `interrupted` error follows every delta that arrived; if it exceeds a limit, a `timeout` or
     * `time_limit` error does.
     */
    streamReply: (session: string, query: string, options?: ReplyOptions) =>
      streamReply(transport, session, query, options),

    /** Streams a file, like `uploadDataSource`, for the session whose message names it first. */
    uploadSessionDocument: (file: SourceFile, signal?: AbortSignal) =>
      uploadDocument(transport, file, signal),

    call: <Name extends CallName>(name: Name, options: CallOptions<Name>) =>
      call(transport, name, options),

    /** Ends running requests if the client owns its connections. */
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function saysItTakesKeys(header: Answer['header']): boolean {
  return header('accept-idempotency-key') === 'true';
}
