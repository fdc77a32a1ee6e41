import { z } from 'zod';
import { Agent, AgentCreate, AgentModelCosts, AgentModels, AgentUpdate } from './agent.ts';
import { Chatbot, ChatbotCreate, ChatbotUpdate } from './chatbot.ts';
import {
  DataSource,
  DataSourceUpdate,
  QaSourceCreate,
  RescrapeResult,
  UploadFields,
  UrlSourceCreate,
} from './data-source.ts';
import { Success, UuidList } from './fields.ts';
import {
  Message,
  MessageAnswer,
  MessageCreate,
  MessageCreateWhole,
  SessionDocument,
} from './message.ts';
import { Session, SessionCreate, SessionFilter } from './session.ts';
import { SourceTag, SourceTagCreate, SourceTagUpdate } from './source-tag.ts';
import { User } from './user.ts';

/** One operation of the API. A path's `{name}` parts are its parameters. */
export interface Operation {
  summary: string;
  method: 'GET' | 'POST' | 'DELETE';
  path: `/api/${string}`;
  /** Spellings that the service accepts as well. */
  aliases?: readonly `/api/${string}`[];
  query?: z.ZodObject;
  /** JSON, unless `upload` says that the body is multipart form data with a `file`. */
  body?: z.ZodType;
  /** The body may be left out. */
  bodyOptional?: true;
  upload?: true;
  /** The JSON answer, or `text` for plain text that streams. */
  answer: z.ZodType | 'text';
}

/** Every operation of the API by name. Success is status 200 in all of them. */
export const operations = {
  createChatbot: {
    summary: 'Create a chatbot and its default agent',
    method: 'POST',
    path: '/api/v1/chatbot/create',
    body: ChatbotCreate,
    answer: Chatbot,
  },
  listChatbots: {
    summary: 'List chatbots',
    method: 'GET',
    path: '/api/v1/chatbots',
    answer: z.array(Chatbot),
  },
  getChatbot: {
    summary: 'Get a chatbot',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}',
    answer: Chatbot,
  },
  updateChatbot: {
    summary: 'Update a chatbot',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/update',
    body: ChatbotUpdate,
    answer: Chatbot,
  },
  deleteChatbot: {
    summary: 'Delete a chatbot and all that belongs to it',
    method: 'DELETE',
    path: '/api/v1/chatbot/{uuid}/delete',
    answer: Success,
  },

  listAgents: {
    summary: 'List the agents of a chatbot',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}/agents',
    answer: z.array(Agent),
  },
  createAgent: {
    summary: 'Create an agent, disabled at first',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/agent/create',
    body: AgentCreate,
    answer: Agent,
  },
  getAgent: {
    summary: 'Get an agent',
    method: 'GET',
    path: '/api/v1/agent/{uuid}',
    answer: Agent,
  },
  updateAgent: {
    summary: 'Update an agent',
    method: 'POST',
    path: '/api/v1/agent/{uuid}/update',
    body: AgentUpdate,
    answer: Agent,
  },
  deleteAgent: {
    summary: 'Delete an agent',
    method: 'DELETE',
    path: '/api/v1/agent/{uuid}/delete',
    answer: Success,
  },
  listAgentModels: {
    summary: 'List the models an agent may use',
    method: 'GET',
    path: '/api/v1/agent/models',
    answer: AgentModels,
  },
  listAgentModelCosts: {
    summary: 'List what a message costs with each model',
    method: 'GET',
    path: '/api/v1/agent/model-costs',
    answer: AgentModelCosts,
  },

  listDataSources: {
    summary: 'List the data sources of a chatbot',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}/data-sources',
    answer: z.array(DataSource),
  },
  uploadDataSource: {
    summary: 'Upload a file as a data source',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/data-source/upload',
    upload: true,
    body: UploadFields,
    answer: DataSource,
  },
  addUrlSource: {
    summary: 'Add a URL as a data source',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/data-source/url',
    body: UrlSourceCreate,
    answer: DataSource,
  },
  addQaSource: {
    summary: 'Add a question and its answer as a data source',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/data-source/qa',
    body: QaSourceCreate,
    answer: DataSource,
  },
  updateDataSource: {
    summary: 'Rename a data source',
    method: 'POST',
    path: '/api/v1/data-source/{uuid}/update',
    body: DataSourceUpdate,
    answer: DataSource,
  },
  deleteDataSource: {
    summary: 'Delete a data source',
    method: 'POST',
    path: '/api/v1/data-source/{uuid}/delete',
    answer: Success,
  },
  deleteDataSources: {
    summary: 'Delete several data sources',
    method: 'POST',
    path: '/api/v1/data-sources/delete',
    body: UuidList,
    answer: Success,
  },
  rescrapeUrlSources: {
    summary: 'Fetch URL sources again',
    method: 'POST',
    path: '/api/v1/data-sources/url/re-scrape',
    body: UuidList,
    answer: z.array(RescrapeResult),
  },
  restartDataSources: {
    summary: 'Take up failed sources again',
    method: 'POST',
    path: '/api/data-sources/restart',
    body: UuidList,
    answer: z.array(RescrapeResult),
  },

  listSourceTags: {
    summary: 'List the source tags of a chatbot',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}/source-tags',
    answer: z.array(SourceTag),
  },
  createSourceTag: {
    summary: 'Create a source tag',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/source-tag/create',
    aliases: ['/api/v1/chatbot/{uuid}/source-tags/create'],
    body: SourceTagCreate,
    answer: SourceTag,
  },
  updateSourceTag: {
    summary: 'Update a source tag',
    method: 'POST',
    path: '/api/v1/source-tag/{uuid}/update',
    body: SourceTagUpdate,
    answer: SourceTag,
  },
  deleteSourceTag: {
    summary: 'Delete a source tag; its sources stay',
    method: 'DELETE',
    path: '/api/v1/source-tag/{uuid}/delete',
    answer: Success,
  },

  listSessions: {
    summary: 'List the sessions of a chatbot, by creation time where asked',
    method: 'GET',
    path: '/api/v1/chatbot/{uuid}/sessions',
    query: SessionFilter,
    answer: z.array(Session),
  },
  createSession: {
    summary: 'Create a chat session',
    method: 'POST',
    path: '/api/v1/chatbot/{uuid}/session/create',
    body: SessionCreate,
    bodyOptional: true,
    answer: Session,
  },
  getSession: {
    summary: 'Get a session',
    method: 'GET',
    path: '/api/v1/session/{uuid}',
    answer: Session,
  },
  deleteSession: {
    summary: 'Delete a session and its messages',
    method: 'POST',
    path: '/api/v1/session/{uuid}/delete',
    answer: Success,
  },

  streamMessage: {
    summary: 'Send a message and stream the reply as plain text',
    method: 'POST',
    path: '/api/v1/session/{uuid}/message/stream',
    body: MessageCreate,
    answer: 'text',
  },
  sendMessage: {
    summary: 'Send a message and get the whole reply',
    method: 'POST',
    path: '/api/v1/session/{uuid}/message/non-stream',
    body: MessageCreateWhole,
    answer: MessageAnswer,
  },
  listMessages: {
    summary: 'List the messages of a session, oldest first',
    method: 'GET',
    path: '/api/v1/session/{uuid}/messages',
    answer: z.array(Message),
  },
  getTranscript: {
    summary: 'Get the messages of a session as plain text',
    method: 'GET',
    path: '/api/v1/session/{uuid}/messages/plain-text',
    answer: 'text',
  },
  deleteMessage: {
    summary: 'Delete a message',
    method: 'POST',
    path: '/api/v1/message/{uuid}/delete',
    answer: Success,
  },
  deleteMessages: {
    summary: 'Delete several messages',
    method: 'POST',
    path: '/api/v1/messages/delete',
    body: UuidList,
    answer: Success,
  },
  uploadSessionDocument: {
    summary: 'Upload a file that counts for one message of a session',
    method: 'POST',
    path: '/api/v1/session-document/upload',
    upload: true,
    answer: SessionDocument,
  },

  getUser: {
    summary: 'Tell whose key this is',
    method: 'GET',
    path: '/api/v1/user',
    answer: User,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The names of a path's `{…}` parameters. */
export type PathParameter<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;
