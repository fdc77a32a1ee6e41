import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService, type Service, type ServiceOptions } from '../../src/service/service.ts';
import type { DatabasePlace } from '../../src/shared/stores/open-database.ts';
import { writeEmptyTables } from '../fixtures/empty-tables.ts';
import { silentLog } from '../fixtures/log.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';

/** A JSON answer; tests look into it freely. */
interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- its shape is what tests check
  json: any;
}

export interface TestService extends AsyncDisposable {
  service: Service;
  dataDir: string;
  /** Where its database is. */
  place: DatabasePlace;
  get(path: string, key?: string): Promise<Answer>;
  post(path: string, body?: unknown, key?: string): Promise<Answer>;
  delete(path: string, key?: string): Promise<Answer>;
  upload(path: string, file: UploadFile, fields?: Record<string, string>): Promise<Answer>;
  /** Any request, with Anna's key unless it says otherwise. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Creates a chatbot and gives its uuid. */
  createChatbot(fields?: object): Promise<string>;
  createSession(chatbot: string): Promise<string>;
}

export interface UploadFile {
  name: string;
  content: string | Uint8Array<ArrayBuffer>;
  type?: string;
}

const databaseName = 'service.sqlite';
export const annasKey = 'annas-key';
export const bertsKey = 'berts-key';

/** A service on a directory of its own, which goes when it is disposed unless it was given. */
export async function startTestService(
  options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const dataDir = options.dataDir ?? (await createDataDirWithTables());
  const { place = join(dataDir, databaseName) } = options;
  const service = await createService({
    keys: [
      { key: annasKey, owner: 'anna' },
      { key: bertsKey, owner: 'bert' },
    ],
    log: silentLog,
    pace: { deltaMs: 0 },
    graceMs: 0,
    extractor: sharedExtractor,
    ...options,
    dataDir,
  });

  const fetch = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${annasKey}`);
    return service.fetch(new Request(`http://service.test${path}`, { ...init, headers }));
  };
  const call = async (path: string, init: RequestInit, key = annasKey): Promise<Answer> => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    const response = await fetch(path, { ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const json: unknown = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json };
  };
  const post = (path: string, body?: unknown, key?: string) =>
    call(path, body === undefined ? { method: 'POST' } : toJsonPost(body), key);

  return {
    service,
    dataDir,
    place,
    fetch,
    get: (path, key) => call(path, {}, key),
    post,
    delete: (path, key) => call(path, { method: 'DELETE' }, key),
    upload: (path, file, fields = {}) => call(path, { method: 'POST', body: toForm(file, fields) }),
    async createChatbot(fields = {}) {
      const { json } = await post('/api/v1/chatbot/create', { name: 'Test', ...fields });
      return String(json.uuid);
    },
    async createSession(chatbot) {
      const { json } = await post(`/api/v1/chatbot/${chatbot}/session/create`);
      return String(json.uuid);
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true });
    },
  };
}

export function createDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'causeway-service-'));
}

async function createDataDirWithTables(): Promise<string> {
  const dataDir = await createDataDir();
  await writeEmptyTables('service', join(dataDir, databaseName));
  return dataDir;
}

export function toJsonPost(body: unknown): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

export function toForm(file: UploadFile, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([file.content], { type: file.type ?? '' }), file.name);
  return form;
}

export const handbook: UploadFile = {
  name: 'handbook.md',
  type: 'text/markdown',
  content: `# Handbook of the Lighthouse

## Visiting

The lighthouse opens at nine in the morning from May to October.
Tickets cost four euros, and children under six pay nothing.

## History

The lantern was built by Ada Fresnel in 1847. It burned whale oil until 1903.
`,
};
