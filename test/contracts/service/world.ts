import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { operations, type OperationName } from '../../../src/shared/api/operations.ts';
import type { SourceFile } from '../../../src/bridge/chatbot/add-source.ts';
import type { CallName } from '../../../src/bridge/chatbot/call.ts';
import type { ChatbotClient } from '../../../src/bridge/chatbot/chatbot-client.ts';

/** A service as its clients see it. */
export interface ServedClients extends AsyncDisposable {
  /** Two owners, and someone whose key nobody knows. */
  anna: ChatbotClient;
  bert: ChatbotClient;
  stranger: ChatbotClient;
  /** Any request, with Anna's key unless it says otherwise. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Resolves once no source is waiting to be ingested or under way. */
  settled(): Promise<void>;
}

/** What a service may be started with. */
export interface ServedOptions {
  requestLimit?: { requests: number; seconds: number };
  maxUploadBytes?: number;
  allowPrivateAddresses?: boolean;
}

export type StartService = (options?: ServedOptions) => Promise<ServedClients>;

/** One of each thing, all Anna's. */
export type Things = Record<
  'chatbot' | 'agent' | 'data-source' | 'source-tag' | 'session' | 'message',
  string
>;

export const question = 'When does the lighthouse open?';
export const answer = 'The lighthouse opens at nine in the morning.';

/** Gives one of each thing to tests that leave them as they are. They are made when first asked for. */
export function shareThings(served: () => ServedClients): () => Promise<Things> {
  let shared: Promise<Things> | undefined;
  return () => (shared ??= createThings(served()));
}

/** Makes one of each thing. */
export async function createThings({ anna, settled }: ServedClients): Promise<Things> {
  const chatbot = (await anna.createChatbot({ name: 'Guide' })).uuid;
  const { source } = await anna.addQaSource(chatbot, { question, answer });
  await settled();
  const session = (await anna.createSession(chatbot)).uuid;
  await anna.call('sendMessage', { params: { uuid: session }, body: { query: question } });
  return {
    chatbot,
    agent: (await anna.listAgents(chatbot))[0]?.uuid ?? '',
    'data-source': source.uuid,
    'source-tag': (await anna.createSourceTag(chatbot, { name: 'All', color: '#1f2937' })).uuid,
    session,
    message: (await anna.listMessages(session))[0]?.uuid ?? '',
  };
}

export function toFile(
  name: string,
  content: string | Uint8Array,
  contentType?: string,
): SourceFile {
  return { name, contentType, content: Readable.from([Buffer.from(content)]) };
}

/** A body that each operation takes, where it has one. */
export const goodBodies: { [Name in OperationName]?: object } = {
  createChatbot: { name: 'Guide' },
  updateChatbot: { name: 'Guide' },
  createAgent: { name: 'Helper', type: 'user-facing' },
  updateAgent: { name: 'Helper' },
  addUrlSource: { url: 'http://127.0.0.1:9' },
  addQaSource: { question: 'Why?', answer: 'Because.' },
  updateDataSource: { title: 'Guide' },
  deleteDataSources: { uuids: ['0'] },
  rescrapeUrlSources: { uuids: ['0'] },
  restartDataSources: { uuids: ['0'] },
  createSourceTag: { name: 'Tag', color: '#1f2937' },
  updateSourceTag: { name: 'Tag' },
  createSession: {},
  streamMessage: { query: question },
  sendMessage: { query: question },
  stopMessage: { idempotency_key: 'key' },
  deleteMessages: { uuids: ['0'] },
};

export const operationNames = Object.keys(operations) as OperationName[];
/** The client has no method for it: it is tested with a request of its own. */
export const uncalled = 'uploadSessionDocument';
export const calledNames = operationNames.filter((name) => name !== uncalled);

export function post(body: string, type = 'application/json'): RequestInit {
  return { method: 'POST', headers: { 'content-type': type }, body };
}

/** Does an operation with the client, on the thing of that uuid. */
export async function doOperation(
  client: ChatbotClient,
  name: OperationName,
  uuid: string,
): Promise<unknown> {
  if (name === 'streamMessage') return Array.fromAsync(client.streamReply(uuid, question));
  if (name === 'uploadDataSource') return client.uploadDataSource(uuid, toFile('a.txt', 'A text.'));
  const call = client.call as (name: CallName, options: object) => Promise<unknown>;
  return call(name as CallName, { params: { uuid }, body: goodBodies[name] });
}

/** What the path of an operation names, as in `/source-tag/{uuid}`. */
export function toThing(name: OperationName): keyof Things | undefined {
  return /([\w-]+)\/\{/.exec(operations[name].path)?.[1] as keyof Things | undefined;
}

export function expectUuid(uuid: unknown): void {
  expect(uuid).toMatch(/^[0-9a-f]{32}$/);
}

export function expectTimes(thing: { created_at: string; modified_at: string }): void {
  expect(thing.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(thing.modified_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
}
