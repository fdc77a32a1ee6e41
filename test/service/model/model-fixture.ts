import type { ServiceOptions } from '../../../src/service/service.ts';
import { handbook, startTestService, toJsonPost } from '../fixture.ts';
import type { ModelServer } from '../../fixtures/model-server.ts';

export const query = 'When does the lighthouse open?';

/** A service whose model is at `models`, with a chatbot that has read the handbook, and a session. */
export async function startWithModel(
  models: ModelServer,
  fields: object = {},
  options: Partial<ServiceOptions> = {},
) {
  const service = await startTestService({
    llm: { baseUrl: models.baseUrl, apiKey: 'secret', model: 'small' },
    ...options,
  });
  const chatbot = await service.createChatbot(fields);
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  await service.service.settled();
  const session = await service.createSession(chatbot);
  const path = `/api/v1/session/${session}`;
  const messages = async () => (await service.get(`${path}/messages`)).json;
  return Object.assign(service, {
    chatbot,
    session,
    /** Of the newest message. */
    meta: async () => JSON.parse((await messages()).at(-1).meta_json),
    messages,
    ask: async (query: string) => (await service.post(`${path}/message/stream`, { query })).text,
    stream: (query: string) => service.fetch(`${path}/message/stream`, toJsonPost({ query })),
    /** Updates the chatbot's first agent. */
    updateAgent: async (changes: object) => {
      const agents = await service.get(`/api/v1/chatbot/${chatbot}/agents`);
      return service.post(`/api/v1/agent/${agents.json[0].uuid}/update`, changes);
    },
    /** Creates an agent, switches it on, and gives its uuid. */
    addAgent: async (fields: object) => {
      const created = await service.post(`/api/v1/chatbot/${chatbot}/agent/create`, fields);
      await service.post(`/api/v1/agent/${created.json.uuid}/update`, { enabled: true });
      return String(created.json.uuid);
    },
  });
}
