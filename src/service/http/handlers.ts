import type { Agents } from '../agents.ts';
import type { Chatbots } from '../chatbots.ts';
import type { Messages } from '../messages.ts';
import type { Models } from '../models.ts';
import type { Owners } from '../owners.ts';
import type { SessionDocuments } from '../session-documents.ts';
import type { Sessions } from '../sessions.ts';
import { parseUploadMeta } from '../source-meta.ts';
import type { SourceTags } from '../source-tags.ts';
import type { SourceQuestions } from '../source-questions.ts';
import type { Sources } from '../sources.ts';
import type { Access } from '../access.ts';
import type { Handlers } from './operation-request.ts';

export interface Nouns {
  access: Access;
  owners: Owners;
  chatbots: Chatbots;
  agents: Agents;
  models: Models;
  sources: Sources;
  sourceQuestions: SourceQuestions;
  sourceTags: SourceTags;
  sessions: Sessions;
  messages: Messages;
  sessionDocuments: SessionDocuments;
}

const done = { success: true };

/** Maps each operation to the part of the service that handles it. */
export function createHandlers(nouns: Nouns): Handlers {
  const { access, owners, chatbots, agents, models, sources, sourceQuestions, sourceTags } = nouns;
  const { sessions, messages, sessionDocuments } = nouns;

  return {
    createChatbot: ({ owner, body, signal }) => chatbots.create(owner, body, signal),
    listChatbots: ({ owner }) => chatbots.list(owner),
    getChatbot: ({ owner, params }) => chatbots.get(owner, params.uuid),
    updateChatbot: ({ owner, params, body }) => chatbots.update(owner, params.uuid, body),
    deleteChatbot: async ({ owner, params }) => {
      await chatbots.delete(owner, params.uuid);
      return done;
    },

    listAgents: ({ owner, params }) => agents.list(owner, params.uuid),
    createAgent: ({ owner, params, body, signal }) =>
      agents.create(owner, params.uuid, body, signal),
    getAgent: ({ owner, params }) => agents.get(owner, params.uuid),
    updateAgent: ({ owner, params, body, signal }) =>
      agents.update(owner, params.uuid, body, signal),
    deleteAgent: async ({ owner, params }) => {
      await agents.delete(owner, params.uuid);
      return done;
    },
    listAgentModels: async ({ signal }) => ({
      models: Object.keys(await models.listCosts(signal)),
    }),
    listAgentModelCosts: async ({ signal }) => ({
      model_costs: await models.listCosts(signal),
    }),

    listDataSources: ({ owner, params }) => sources.list(owner, params.uuid),
    uploadDataSource: async ({ owner, params, body: receive }) => {
      access.chatbot(owner, params.uuid);
      const { file, fields } = await receive();
      return sources.addFile(owner, params.uuid, file, parseUploadMeta(fields));
    },
    addUrlSource: ({ owner, params, body }) => sources.addUrl(owner, params.uuid, body),
    addQaSource: ({ owner, params, body }) => sources.addQa(owner, params.uuid, body),
    getDataSource: ({ owner, params }) => sources.get(owner, params.uuid),
    listSourceQuestions: async ({ owner, params, signal }) => ({
      questions: await sourceQuestions.list(owner, params.uuid, signal),
    }),
    updateDataSource: ({ owner, params, body }) => sources.rename(owner, params.uuid, body),
    deleteDataSource: async ({ owner, params }) => {
      await sources.delete(owner, [params.uuid]);
      return done;
    },
    deleteDataSources: async ({ owner, body }) => {
      await sources.delete(owner, body.uuids);
      return done;
    },
    rescrapeUrlSources: ({ owner, body }) => sources.rescrape(owner, body.uuids),
    restartDataSources: ({ owner, body }) => sources.restart(owner, body.uuids),

    listSourceTags: ({ owner, params }) => sourceTags.list(owner, params.uuid),
    createSourceTag: ({ owner, params, body }) => sourceTags.create(owner, params.uuid, body),
    updateSourceTag: ({ owner, params, body }) => sourceTags.update(owner, params.uuid, body),
    deleteSourceTag: async ({ owner, params }) => {
      await sourceTags.delete(owner, params.uuid);
      return done;
    },

    listSessions: ({ owner, params, query }) => sessions.list(owner, params.uuid, query),
    createSession: ({ owner, params, body }) => sessions.create(owner, params.uuid, body),
    getSession: ({ owner, params }) => sessions.get(owner, params.uuid),
    deleteSession: async ({ owner, params }) => {
      await sessions.delete(owner, params.uuid);
      return done;
    },

    streamMessage: ({ owner, params, body, signal }) =>
      messages.stream(owner, params.uuid, body, signal),
    sendMessage: async ({ owner, params, body, signal }) => ({
      response: await messages.send(owner, params.uuid, body, signal),
    }),
    listMessages: ({ owner, params, query }) => messages.list(owner, params.uuid, query),
    getMessage: ({ owner, params }) => messages.get(owner, params.uuid),
    getTranscript: ({ owner, params }) => messages.transcribe(owner, params.uuid),
    deleteMessage: ({ owner, params }) => {
      messages.delete(owner, [params.uuid]);
      return done;
    },
    deleteMessages: ({ owner, body }) => {
      messages.delete(owner, body.uuids);
      return done;
    },
    uploadSessionDocument: async ({ owner, body: receive, signal }) => {
      const { file } = await receive();
      return sessionDocuments.add(owner, file, signal);
    },

    getUser: ({ owner }) => {
      const name = owners.nameOf(owner);
      return { data: { name, email: name.includes('@') ? name : `${name}@localhost` } };
    },
  };
}
