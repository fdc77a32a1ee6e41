import { z } from 'zod';
import { type SourceMeta, UploadFields } from '../../shared/api/data-source.ts';
import type { OperationName, operations, PathParameter } from '../../shared/api/operations.ts';
import type { Access } from '../access.ts';
import type { Agents } from '../resources/agents.ts';
import type { Chatbots } from '../resources/chatbots.ts';
import { HttpError } from '../http-error.ts';
import type { Owners } from '../keys.ts';
import type { Messages } from '../resources/messages.ts';
import type { Models } from '../model/models.ts';
import type { Sessions } from '../resources/sessions.ts';
import type { SourceTags } from '../resources/source-tags.ts';
import type { ListSourceQuestions } from '../resources/source-questions.ts';
import type { ReceivedFile, Sources } from '../resources/sources.ts';

type Operation<Name extends OperationName> = (typeof operations)[Name];

/** A request with a valid key, path, query and body. */
interface OperationRequest<Name extends OperationName> {
  owner: string;
  params: Record<PathParameter<Operation<Name>['path']>, string>;
  query: Operation<Name> extends { query: infer Query extends z.ZodType }
    ? z.output<Query>
    : undefined;
  /**
   * For an upload, a function that reads the form, so that nothing is read for an unknown chatbot.
   */
  body: Operation<Name> extends { upload: true }
    ? () => Promise<{ file: ReceivedFile; fields: BodyOf<Name> }>
    : Operation<Name> extends { bodyOptional: true }
      ? BodyOf<Name> | undefined
      : BodyOf<Name>;
  /** The `Idempotency-Key` header, if the operation takes one. */
  key?: string;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
}

type BodyOf<Name extends OperationName> =
  Operation<Name> extends { body: infer Body extends z.ZodType } ? z.output<Body> : undefined;

type AnswerOf<Name extends OperationName> = Operation<Name>['answer'] extends z.ZodType
  ? GivenOf<z.input<Operation<Name>['answer']>>
  : AsyncIterable<string> | ReadableStream<Uint8Array>;

/** A list may be read as it is sent. */
type GivenOf<Answer> = Answer extends readonly (infer Item)[]
  ? Iterable<Item> | AsyncIterable<Item>
  : Answer;

/** The handler of each operation. */
export type Handlers = {
  [Name in OperationName]: (
    request: OperationRequest<Name>,
  ) => AnswerOf<Name> | Promise<AnswerOf<Name>>;
};

/** The parts of the service, one for each resource of the API. */
interface Resources {
  access: Access;
  owners: Owners;
  chatbots: Chatbots;
  agents: Agents;
  models: Models;
  sources: Sources;
  listSourceQuestions: ListSourceQuestions;
  sourceTags: SourceTags;
  sessions: Sessions;
  messages: Messages;
}

const succeed = () => ({ success: true });

/** Maps each operation to the part of the service that handles it. */
export function createHandlers(resources: Resources): Handlers {
  const { access, owners, chatbots, agents, models, sources, listSourceQuestions, sourceTags } =
    resources;
  const { sessions, messages } = resources;

  return {
    createChatbot: ({ owner, body, signal }) => chatbots.create(owner, body, signal),
    listChatbots: ({ owner }) => chatbots.list(owner),
    getChatbot: ({ owner, params }) => chatbots.get(owner, params.uuid),
    updateChatbot: ({ owner, params, body }) => chatbots.update(owner, params.uuid, body),
    deleteChatbot: ({ owner, params }) => chatbots.delete(owner, params.uuid).then(succeed),

    listAgents: ({ owner, params }) => agents.list(owner, params.uuid),
    createAgent: ({ owner, params, body, signal }) =>
      agents.create(owner, params.uuid, body, signal),
    getAgent: ({ owner, params }) => agents.get(owner, params.uuid),
    updateAgent: ({ owner, params, body, signal }) =>
      agents.update(owner, params.uuid, body, signal),
    deleteAgent: ({ owner, params }) => agents.delete(owner, params.uuid).then(succeed),
    listAgentModels: async ({ signal }) => ({
      models: Object.keys(await models.listCosts(signal)),
    }),
    listAgentModelCosts: async ({ signal }) => ({
      model_costs: await models.listCosts(signal),
    }),

    listDataSources: ({ owner, params }) => sources.list(owner, params.uuid),
    uploadDataSource: async ({ owner, params, body: receive }) => {
      await access.chatbot(owner, params.uuid);
      const { file, fields } = await receive();
      return sources.addFile(owner, params.uuid, file, parseUploadMeta(fields));
    },
    addUrlSource: ({ owner, params, body }) => sources.addUrl(owner, params.uuid, body),
    addQaSource: ({ owner, params, body }) => sources.addQa(owner, params.uuid, body),
    getDataSource: ({ owner, params }) => sources.get(owner, params.uuid),
    listSourceQuestions: async ({ owner, params, signal }) => ({
      questions: await listSourceQuestions(owner, params.uuid, signal),
    }),
    updateDataSource: ({ owner, params, body }) => sources.rename(owner, params.uuid, body),
    deleteDataSource: ({ owner, params }) => sources.delete(owner, [params.uuid]).then(succeed),
    deleteDataSources: ({ owner, body }) => sources.delete(owner, body.uuids).then(succeed),
    rescrapeUrlSources: ({ owner, body }) => sources.rescrape(owner, body.uuids),
    restartDataSources: ({ owner, body }) => sources.restart(owner, body.uuids),

    listSourceTags: ({ owner, params }) => sourceTags.list(owner, params.uuid),
    createSourceTag: ({ owner, params, body }) => sourceTags.create(owner, params.uuid, body),
    updateSourceTag: ({ owner, params, body }) => sourceTags.update(owner, params.uuid, body),
    deleteSourceTag: ({ owner, params }) => sourceTags.delete(owner, params.uuid).then(succeed),

    listSessions: ({ owner, params, query }) => sessions.list(owner, params.uuid, query),
    createSession: ({ owner, params, body }) => sessions.create(owner, params.uuid, body),
    getSession: ({ owner, params }) => sessions.get(owner, params.uuid),
    deleteSession: ({ owner, params }) => sessions.delete(owner, params.uuid).then(succeed),

    streamMessage: ({ owner, params, body, key, signal }) =>
      messages.stream(owner, params.uuid, { body, key, signal }),
    sendMessage: async ({ owner, params, body, key, signal }) => ({
      response: await messages.send(owner, params.uuid, { body, key, signal }),
    }),
    stopMessage: ({ owner, params, body }) =>
      messages.stop(owner, params.uuid, body.idempotency_key).then(succeed),
    listMessages: ({ owner, params, query }) => messages.list(owner, params.uuid, query),
    getMessage: ({ owner, params }) => messages.get(owner, params.uuid),
    getTranscript: ({ owner, params }) => messages.transcribe(owner, params.uuid),
    deleteMessage: ({ owner, params }) => messages.delete(owner, [params.uuid]).then(succeed),
    deleteMessages: ({ owner, body }) => messages.delete(owner, body.uuids).then(succeed),
    uploadSessionDocument: async ({ owner, body: receive, signal }) => {
      const { file } = await receive();
      return sessions.addDocument(owner, file, signal);
    },

    getUser: async ({ owner }) => {
      const name = await owners.nameOf(owner);
      return { data: { name, email: name.includes('@') ? name : `${name}@localhost` } };
    },
  };
}

const UploadMeta = z.looseObject({
  reference_source_link: UploadFields.shape.reference_source_link,
});

/**
 * The link of an upload, which clients send as a form field or within `meta_json`.
 * @throws {HttpError} 400 when `meta_json` is not a JSON object, or its link is not valid
 */
function parseUploadMeta(fields: z.output<typeof UploadFields>): SourceMeta {
  const link = fields.reference_source_link ?? parseMetaLink(fields.meta_json);
  return link === undefined ? {} : { reference_source_link: link };
}

function parseMetaLink(metaJson: string | undefined): string | undefined {
  if (metaJson === undefined || metaJson === '') return undefined;
  try {
    return UploadMeta.parse(JSON.parse(metaJson)).reference_source_link;
  } catch {
    throw new HttpError(400, 'meta_invalid');
  }
}
