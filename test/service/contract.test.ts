import { createChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import { afterEach } from 'vitest';
import { startServer } from '../../src/app/server.ts';
import { createOpenApi } from '../../src/service/http/openapi.ts';
import type { Service } from '../../src/service/service.ts';
import { describeRefusals, describeService } from '../contracts/service.ts';
import { createDescriptionCheck } from '../contracts/service/described.ts';
import type { ServedClients, ServedOptions } from '../contracts/service/world.ts';
import { databases } from '../fixtures/databases.ts';
import { annasKey, bertsKey, startTestService, type TestService } from './fixture.ts';

const openApi = createOpenApi();
const checks: { faults: string[] }[] = [];

/** The service, whose every answer must be as its description says. */
function described(service: Service): Service {
  const check = createDescriptionCheck(openApi, service.fetch);
  checks.push(check);
  return { ...service, fetch: check.fetch };
}

afterEach(() => {
  const faults = checks.flatMap((check) => check.faults.splice(0));
  if (faults.length > 0) throw new Error(faults.join('\n'));
});

function toServed(test: TestService, baseUrl: string) {
  const connect = (apiKey: string) => createChatbotClient({ baseUrl, apiKey });
  return {
    anna: connect(annasKey),
    bert: connect(bertsKey),
    stranger: connect('nobodys-key'),
    settled: () => test.service.settled(),
  };
}

function withKey(init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers);
  if (!headers.has('authorization')) headers.set('authorization', `Bearer ${annasKey}`);
  return { ...init, headers };
}

for (const { name, openPlaces } of databases) {
  const start = async (options?: ServedOptions) => startOn(await openPlaces(), options);
  describeService(`over a socket, on ${name}`, start);
  if (name === 'SQLite') describeRefusals('over a socket', start);
}

type Places = Awaited<ReturnType<(typeof databases)[number]['openPlaces']>>;

async function startOn(places: Places, options: ServedOptions = {}): Promise<ServedClients> {
  const test = await startTestService({ ...options, place: places.service });
  const routes = { service: described(test.service), listeners: new Map() };
  const server = await startServer({ host: '127.0.0.1', port: 0 }, routes);
  const clients = toServed(test, server.origin);
  return {
    ...clients,
    fetch: (path, init) => fetch(`${server.origin}${path}`, withKey(init)),
    async [Symbol.asyncDispose]() {
      for (const client of [clients.anna, clients.bert, clients.stranger]) {
        await client[Symbol.asyncDispose]();
      }
      await server[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
      await places[Symbol.asyncDispose]();
    },
  };
}
