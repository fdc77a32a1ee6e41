import { z } from 'zod';
import { Agent, AgentCreate, AgentModelCosts, AgentModels, AgentUpdate } from './agent.ts';
import { Chatbot, ChatbotCreate, ChatbotUpdate } from './chatbot.ts';
import {
  DataSource,
  DataSourceUpdate,
  QaSourceCreate,
  RescrapeResult,
  SourceQuestions,
  SourceTag,
  SourceTagCreate,
  SourceTagUpdate,
  UploadFields,
  UrlSourceCreate,
} from './data-source.ts';
import { Success, User, UuidList } from './fields.ts';
import {
  Message,
  MessageAnswer,
  MessageCreate,
  MessageCreateWhole,
  MessageFilter,
  MessageStop,
  Session,
  SessionCreate,
  SessionDocument,
  SessionFilter,
} from './session.ts';

/** One operation of the API. A path's `{name}` parts are its parameters. */
export interface Operation {
  /** Its heading in the API description. */
  resource: string;
  summary: string;
  method: 'GET' | 'POST' | 'DELETE';
  path: `/api/${string}`;
  /** Alternative paths that the service also accepts. */
  aliases?: readonly `/api/${string}`[];
  query?: z.ZodObject;
  /** JSON; with `upload`, multipart form data with a `file`. */
  body?: z.ZodType;
  /** The body can be omitted. */
  bodyOptional?: true;
  upload?: true;
  /** The upload may be a picture, where a model reads pictures. */
  pictures?: true;
  /** The JSON response, or `text` for plain text that streams. */
  answer: z.ZodType | 'text';
  /** The text streams as events, each a JSON string, to clients that accept them. */
  events?: true;
  /** It takes an `Idempotency-Key` header. */
  takesKey?: true;
  /** Its errors by status, in addition to those that follow from its path, query and body. */
  errors?: Readonly<Record<number, string>>;
}

const duplicateSource = 'The chatbot already has this source; the body is that source plus `error`';
const full = 'The maximum number has been reached';
const unfit =
  'A named resource does not belong to the chatbot or does not suit the type, or the model is unknown';
const unfitQuery =
  'A session document does not exist, or the Idempotency-Key belongs to another query of the session';

/** Every operation of the API by name. The success status is always 200. */
export const operations = {
  createChatbot: {
    resource: 'Chatbots',
    summary: 'Create a chatbot and its default agent',
    method: 'POST',
    path: '/api/v1/chatbot/create',
    body: ChatbotCreate,
    answer: Chatbot,
    errors: { 422: `${full}, or the model is unknown` },
  },
  listChatbots: {
    resource: 'Chatbots',
    summary: 'List chatbots',
    method: 'GET',
    path: '/api/v1/chatbots',
    answer: z.array(Chatbot),
  },
  getChatbot: {
    resource: 'Chatbots',
    summary: 'Get a chatbot',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}',
    answer: Chatbot,
  },
  updateChatbot: {
    resource: 'Chatbots',
    summary: 'Update a chatbot',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/update',
    body: ChatbotUpdate,
    answer: Chatbot,
  },
  deleteChatbot: {
    resource: 'Chatbots',
    summary: 'Delete a chatbot and everything that belongs to it',
    method: 'DELETE',
    path: '/api/v1/chatbot/{uuid}/delete',
    answer: Success,
  },

  listAgents: {
    resource: 'Agents',
    summary: 'List the agents of a chatbot',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}/agents',
    answer: z.array(Agent),
  },
  createAgent: {
    resource: 'Agents',
    summary: 'Create an agent, disabled at first',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/agent/create',
    body: AgentCreate,
    answer: Agent,
    errors: { 422: unfit },
  },
  getAgent: {
    resource: 'Agents',
    summary: 'Get an agent',
    method: 'GET',
    path: '/api/v1/agent/{uuid}',
    answer: Agent,
  },
  updateAgent: {
    resource: 'Agents',
    summary: 'Update an agent',
    method: 'POST',
    path: '/api/v1/agent/{uuid}/update',
    body: AgentUpdate,
    answer: Agent,
    errors: { 422: unfit },
  },
  deleteAgent: {
    resource: 'Agents',
    summary: 'Delete an agent',
    method: 'DELETE',
    path: '/api/v1/agent/{uuid}/delete',
    answer: Success,
  },
  listAgentModels: {
    resource: 'Agents',
    summary: 'List the models that an agent can use',
    method: 'GET',
    path: '/api/v1/agent/models',
    answer: AgentModels,
  },
  listAgentModelCosts: {
    resource: 'Agents',
    summary: 'List what a message costs with each model',
    method: 'GET',
    path: '/api/v1/agent/model-costs',
    answer: AgentModelCosts,
  },

  listDataSources: {
    resource: 'Data sources',
    summary: 'List the data sources of a chatbot',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}/data-sources',
    answer: z.array(DataSource),
  },
  uploadDataSource: {
    resource: 'Data sources',
    summary: 'Upload a file as a data source',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/data-source/upload',
    upload: true,
    body: UploadFields,
    answer: DataSource,
    errors: { 409: duplicateSource, 422: full },
  },
  addUrlSource: {
    resource: 'Data sources',
    summary: 'Add a URL as a data source',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/data-source/url',
    body: UrlSourceCreate,
    answer: DataSource,
    errors: { 409: duplicateSource, 422: full },
  },
  addQaSource: {
    resource: 'Data sources',
    summary: 'Add a question and its answer as a data source',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/data-source/qa',
    body: QaSourceCreate,
    answer: DataSource,
    errors: { 422: full },
  },
  getDataSource: {
    resource: 'Data sources',
    summary: 'Get a data source',
    method: 'GET',
    path: '/api/v1/data-source/{uuid}',
    answer: DataSource,
  },
  listSourceQuestions: {
    resource: 'Data sources',
    summary: 'List questions that a data source answers',
    method: 'GET',
    path: '/api/v1/data-source/{uuid}/questions',
    answer: SourceQuestions,
  },
  updateDataSource: {
    resource: 'Data sources',
    summary: 'Rename a data source',
    method: 'POST',
    path: '/api/v1/data-source/{uuid}/update',
    body: DataSourceUpdate,
    answer: DataSource,
  },
  deleteDataSource: {
    resource: 'Data sources',
    summary: 'Delete a data source',
    method: 'POST',
    path: '/api/v1/data-source/{uuid}/delete',
    answer: Success,
  },
  deleteDataSources: {
    resource: 'Data sources',
    summary: 'Delete several data sources',
    method: 'POST',
    path: '/api/v1/data-sources/delete',
    body: UuidList,
    answer: Success,
  },
  rescrapeUrlSources: {
    resource: 'Data sources',
    summary: 'Fetch URL sources again',
    method: 'POST',
    path: '/api/v1/data-sources/url/re-scrape',
    body: UuidList,
    answer: z.array(RescrapeResult),
  },
  restartDataSources: {
    resource: 'Data sources',
    summary: 'Restart failed sources',
    method: 'POST',
    path: '/api/data-sources/restart',
    body: UuidList,
    answer: z.array(RescrapeResult),
  },

  listSourceTags: {
    resource: 'Source tags',
    summary: 'List the source tags of a chatbot',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}/source-tags',
    answer: z.array(SourceTag),
  },
  createSourceTag: {
    resource: 'Source tags',
    summary: 'Create a source tag',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/source-tag/create',
    aliases: ['/api/v1/chatbot/{uuid}/source-tags/create'],
    body: SourceTagCreate,
    answer: SourceTag,
    errors: { 422: unfit },
  },
  updateSourceTag: {
    resource: 'Source tags',
    summary: 'Update a source tag',
    method: 'POST',
    path: '/api/v1/source-tag/{uuid}/update',
    body: SourceTagUpdate,
    answer: SourceTag,
    errors: { 422: unfit },
  },
  deleteSourceTag: {
    resource: 'Source tags',
    summary: 'Delete a source tag; its sources stay',
    method: 'DELETE',
    path: '/api/v1/source-tag/{uuid}/delete',
    answer: Success,
  },

  listSessions: {
    resource: 'Sessions',
    summary: 'List the sessions of a chatbot, optionally filtered by creation time',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}/sessions',
    query: SessionFilter,
    answer: z.array(Session),
  },
  createSession: {
    resource: 'Sessions',
    summary: 'Create a chat session',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/session/create',
    body: SessionCreate,
    bodyOptional: true,
    answer: Session,
  },
  getSession: {
    resource: 'Sessions',
    summary: 'Get a session',
    method: 'GET',
    path: '/api/v1/session/{uuid}',
    answer: Session,
  },
  deleteSession: {
    resource: 'Sessions',
    summary: 'Delete a session and its messages',
    method: 'POST',
    path: '/api/v1/session/{uuid}/delete',
    answer: Success,
  },

  streamMessage: {
    resource: 'Messages',
    summary:
      'Send a message and stream the reply as plain text, or as events to clients that accept text/event-stream',
    method: 'POST',
    path: '/api/v1/session/{uuid}/message/stream',
    body: MessageCreate,
    answer: 'text',
    events: true,
    takesKey: true,
    errors: { 422: unfitQuery },
  },
  sendMessage: {
    resource: 'Messages',
    summary: 'Send a message and get the whole reply',
    method: 'POST',
    path: '/api/v1/session/{uuid}/message/non-stream',
    body: MessageCreateWhole,
    answer: MessageAnswer,
    takesKey: true,
    errors: { 422: unfitQuery },
  },
  stopMessage: {
    resource: 'Messages',
    summary: 'End the running reply to a query that was sent with an Idempotency-Key',
    method: 'POST',
    path: '/api/v1/session/{uuid}/message/stop',
    body: MessageStop,
    answer: Success,
  },
  listMessages: {
    resource: 'Messages',
    summary: 'List the messages of a session, oldest first unless the order says otherwise',
    method: 'GET',
    path: '/api/v1/session/{uuid}/messages',
    aliases: ['/api/v1/session/{uuid}/message'],
    query: MessageFilter,
    answer: z.array(Message),
  },
  getMessage: {
    resource: 'Messages',
    summary: 'Get a message',
    method: 'GET',
    path: '/api/v1/message/{uuid}',
    answer: Message,
  },
  getTranscript: {
    resource: 'Messages',
    summary: 'Get the messages of a session as plain text',
    method: 'GET',
    path: '/api/v1/session/{uuid}/messages/plain-text',
    answer: 'text',
  },
  deleteMessage: {
    resource: 'Messages',
    summary:
      'Delete a message, the session documents that came with it, and what its session has learned',
    method: 'POST',
    path: '/api/v1/message/{uuid}/delete',
    answer: Success,
  },
  deleteMessages: {
    resource: 'Messages',
    summary: 'Delete several messages, as one by one',
    method: 'POST',
    path: '/api/v1/messages/delete',
    body: UuidList,
    answer: Success,
  },
  uploadSessionDocument: {
    resource: 'Messages',
    summary: 'Upload a file to use in a session once a message has named it',
    method: 'POST',
    path: '/api/v1/session-document/upload',
    upload: true,
    pictures: true,
    answer: SessionDocument,
    errors: { 422: 'The file contains no readable text' },
  },

  getUser: {
    resource: 'Account',
    summary: 'Get the owner of the key',
    method: 'GET',
    path: '/api/v1/user',
    answer: User,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The names of a path's `{…}` parameters. */
export type PathParameter<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;
