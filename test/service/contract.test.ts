import { createChatbotClient } from '../../src/chatbot/chatbot-client.ts';
import { startServer } from '../../src/server.ts';
import { describeService } from '../contracts/service.ts';
import type { ServedOptions } from '../contracts/service/world.ts';
import { annasKey, bertsKey, startTestService, type TestService } from './fixture.ts';
import { MemoryDispatcher } from './memory-dispatcher.ts';

function toServed(
  test: TestService,
  connection: { baseUrl: string; dispatcher?: MemoryDispatcher },
) {
  const connect = (apiKey: string) => createChatbotClient({ ...connection, apiKey });
  return {
    anna: connect(annasKey),
    bert: connect(bertsKey),
    stranger: connect('nobodys-key'),
    settled: () => test.service.settled(),
  };
}

describeService('in memory', async (options: ServedOptions = {}) => {
  const test = await startTestService(options);
  const dispatcher = new MemoryDispatcher(test.service.fetch);
  return {
    ...toServed(test, { baseUrl: 'http://service.test', dispatcher }),
    fetch: test.fetch,
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
});

describeService('over a socket', async (options: ServedOptions = {}) => {
  const test = await startTestService(options);
  const routes = { service: test.service, listeners: new Map() };
  const server = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  const clients = toServed(test, { baseUrl: server.origin });
  return {
    ...clients,
    fetch(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${annasKey}`);
      return fetch(`${server.origin}${path}`, { ...init, headers });
    },
    async [Symbol.asyncDispose]() {
      for (const client of [clients.anna, clients.bert, clients.stranger]) {
        await client[Symbol.asyncDispose]();
      }
      await server[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
});
