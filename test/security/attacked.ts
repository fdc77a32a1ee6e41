import { afterAll, beforeAll } from 'vitest';
import { type OperationName, operations } from '../../src/shared/api/operations.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { goodBodies } from '../contracts/service/world.ts';
import {
  annasKey,
  bertsKey,
  handbook,
  startTestService,
  type TestService,
  toForm,
} from '../service/fixture.ts';

/** One resource of each kind, by the word before its uuid in paths. */
export type Things = Record<
  'chatbot' | 'agent' | 'data-source' | 'source-tag' | 'session' | 'message' | 'session-document',
  string
>;

export interface Attacked {
  service: TestService;
  annas: Things;
  berts: Things;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A service for all tests of a file, in which two owners have one resource of each kind. */
export function useAttacked(options: Partial<ServiceOptions> = {}): () => Attacked {
  let attacked: Attacked | undefined;
  beforeAll(async () => {
    const service = await startTestService(options);
    attacked = {
      service,
      annas: await createThings(service, annasKey),
      berts: await createThings(service, bertsKey),
    };
  });
  afterAll(() => attacked?.service[Symbol.asyncDispose]());
  return () => {
    if (attacked === undefined) throw new Error('The service has not started');
    return attacked;
  };
}

async function createThings(service: TestService, key: string): Promise<Things> {
  const post = async (path: string, body?: unknown) =>
    (await service.post(`/api/v1/${path}`, body, key)).json;
  const chatbot = (await post('chatbot/create', { name: 'Guide' })).uuid;
  const qa = { question: 'When does it open?', answer: 'It opens at nine.' };
  const source = (await post(`chatbot/${chatbot}/data-source/qa`, qa)).uuid;
  await service.service.settled();
  const tag = { name: 'All', color: '#1f2937', data_source_uuids: [source] };
  const session = (await post(`chatbot/${chatbot}/session/create`)).uuid;
  await post(`session/${session}/message/non-stream`, { query: qa.question });
  const get = async (path: string) => (await service.get(`/api/v1/${path}`, key)).json;
  const document = await service.fetch('/api/v1/session-document/upload', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: toForm(handbook),
  });
  return {
    chatbot,
    agent: (await get(`chatbot/${chatbot}/agents`))[0].uuid,
    'data-source': source,
    'source-tag': (await post(`chatbot/${chatbot}/source-tag/create`, tag)).uuid,
    session,
    message: (await get(`session/${session}/messages`))[0].uuid,
    'session-document': ((await document.json()) as { uuid: string }).uuid,
  };
}

/** Runs an operation on the resource with this uuid, with a valid body unless one is given. */
export async function operate(
  { service }: Attacked,
  name: OperationName,
  { key, uuid = '0', body = goodBodies[name] }: { key?: string; uuid?: string; body?: object },
): Promise<Reply> {
  const { method, path } = operations[name];
  const isUpload = 'upload' in operations[name];
  const headers = new Headers({ authorization: key === undefined ? '' : `Bearer ${key}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  const sent = isUpload ? toForm(handbook) : JSON.stringify(body);
  const response = await service.fetch(path.replace('{uuid}', encodeURIComponent(uuid)), {
    method,
    headers,
    ...(sent !== undefined && { body: sent }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}
