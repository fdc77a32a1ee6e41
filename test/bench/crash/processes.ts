import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createService } from '../../../src/service/service.ts';
import type { DatabasePlace } from '../../../src/shared/stores/open-database.ts';
import { launchCauseway, type LaunchedProcess, startCauseway } from '../../e2e/causeway-process.ts';
import { silentLog } from '../../fixtures/log.ts';
import { findPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';

/** What is killed: the bridge beside a living service, the service beside a living bridge, or both in one process. */
export const victims = ['bridge', 'service', 'both'] as const;
export type Victim = (typeof victims)[number];

/** The bridges and services of a lane: one of each on SQLite, two of each on Postgres. */
export interface Processes extends AsyncDisposable {
  /** How many there are of the kind that is killed. */
  count: number;
  kill(index: number): Promise<void>;
  start(index: number): Promise<void>;
}

interface ProcessesOptions {
  victim: Victim;
  postgres: boolean;
  folder: string;
  /** Connects a bridge to the platforms. */
  platformEnv: Record<string, string>;
  llmBaseUrl: string;
}

const key = 'the-key-of-the-bench';

/** The model that a service asks by: its name says which one asked. */
export const modelOf = (index: number) => `small-${index}`;

/** Starts all, with a chatbot that has no sources: of others, the model would be asked only what these answer. */
export async function openProcesses(options: ProcessesOptions): Promise<Processes> {
  const { victim, postgres, folder, platformEnv, llmBaseUrl } = options;
  await using parts = new AsyncDisposableStack();
  const url = postgres ? await openPostgres(parts) : undefined;
  const indexes = postgres ? [0, 1] : [0];
  const running = new Map<string, LaunchedProcess>();
  parts.defer(async () => {
    for (const each of running.values()) await each[Symbol.asyncDispose]();
  });

  function toEnv(name: string): Record<string, string> & { DATA_DIR: string } {
    const dataDir = join(folder, name);
    mkdirSync(dataDir, { recursive: true });
    return { DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...(url !== undefined && { STORE_URL: url }) };
  }
  const toModelEnv = (index: number) => ({ LLM_BASE_URL: llmBaseUrl, LLM_MODEL: modelOf(index) });

  const ports = await Promise.all(indexes.map(findPort));
  async function startService(index: number): Promise<void> {
    const given = { PORT: String(ports[index]), SERVICE_API_KEYS: key };
    const env = { ...toEnv(`service-${index}`), ...given, ...toModelEnv(index) };
    const launched = launchCauseway(env, undefined, { args: ['serve'] });
    running.set(`service-${index}`, launched);
    await launched.printed(/https?:\/\/[\d.:]+/);
  }
  let serviceEnv: Record<string, string> = {};
  async function startBridge(index: number): Promise<void> {
    const env = { ...toEnv(`bridge-${index}`), ...platformEnv, ...serviceEnv };
    running.set(
      `bridge-${index}`,
      await startCauseway(victim === 'both' ? { ...env, ...toModelEnv(index) } : env),
    );
  }

  if (victim === 'both') {
    const { DATA_DIR: dataDir } = toEnv('bridge-0');
    const place = url === undefined ? undefined : { url, schema: 'causeway_service' };
    serviceEnv = { CHATBOT_UUID: await prepareBuiltIn(dataDir, place) };
  } else {
    for (const index of indexes) await startService(index);
    const port = postgres ? (await openBalancer(parts, ports)).port : ports[0];
    const origin = `http://127.0.0.1:${port}`;
    const uuid = await createChatbot(origin);
    serviceEnv = { CHATBOT_API_URL: origin, CHATBOT_API_KEY: key, CHATBOT_UUID: uuid };
  }
  for (const index of indexes) await startBridge(index);
  const opened = parts.move();
  return {
    count: indexes.length,
    async kill(index) {
      const kind = victim === 'service' ? 'service' : 'bridge';
      await running.get(`${kind}-${index}`)?.stop('SIGKILL');
    },
    start: victim === 'service' ? startService : startBridge,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function openPostgres(parts: AsyncDisposableStack): Promise<string> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('Postgres is not installed.');
  const server = parts.use(await startPostgresServer(programs, { isDurable: true }));
  return server.createDatabase('bench');
}

/** A port that is free now: a service keeps its address when it is started again. */
async function findPort(): Promise<number> {
  const { server, port } = await listen(createServer());
  server.close();
  await once(server, 'close');
  return port;
}

async function listen(server: Server): Promise<{ server: Server; port: number }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Gives each connection to the next service that accepts it, as in front of several. */
async function openBalancer(parts: AsyncDisposableStack, ports: readonly number[]) {
  const sockets = new Set<Socket>();
  let turn = 0;

  function forward(client: Socket, tries: readonly number[]): void {
    const [port, ...others] = tries;
    if (port === undefined) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    upstream.on('error', () => {});
    upstream.once('connect', () => {
      sockets.add(upstream);
      client.pipe(upstream);
      upstream.pipe(client);
    });
    upstream.once('close', () => {
      if (sockets.delete(upstream)) client.destroy();
      else if (!client.destroyed) forward(client, others);
    });
    client.once('close', () => upstream.destroy());
  }

  const { server, port } = await listen(
    createServer((client) => {
      client.on('error', () => {});
      turn += 1;
      forward(
        client,
        ports.map((_, index) => ports[(turn + index) % ports.length] ?? 0),
      );
    }),
  );
  parts.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port };
}

async function createChatbot(
  origin: string,
  ask: (request: Request) => Promise<Response> = fetch,
): Promise<string> {
  const request = new Request(`${origin}/api/v1/chatbot/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench' }),
  });
  return ((await (await ask(request)).json()) as { uuid: string }).uuid;
}

/** Creates a chatbot in the data of the built-in service, before it is started. */
async function prepareBuiltIn(dataDir: string, place?: DatabasePlace): Promise<string> {
  const options = { dataDir, place, keys: [{ key }], log: silentLog };
  await using service = await createService(options);
  return await createChatbot('http://service', (request) => service.fetch(request));
}
