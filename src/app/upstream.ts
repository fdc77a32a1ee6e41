import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { type ChatbotClient, createChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import type { Config } from '../config/config.ts';
import type { EmbeddedChatbot } from '../config/chatbot.ts';
import type { Log } from '../shared/primitives/log.ts';
import { createFolder } from '../shared/primitives/private-files.ts';
import type { Service, ServiceOptions } from '../service/service.ts';
import { OpenError, openFile, openFileSync } from '../shared/stores/open-error.ts';
import { type Places, nameOfPlace, servicePlace } from './databases.ts';

/** The chatbot service that the bridge talks to, always over HTTP. */
export interface Upstream extends AsyncDisposable {
  client: ChatbotClient;
  /** The built-in service, if it is used. */
  service?: Service;
}

/** Parts that callers of the built-in service can replace. */
export type ServiceParts = Pick<ServiceOptions, 'pace' | 'extractor'>;

/**
 * @param options.origin this process's base URL, and so the built-in service's
 * @param options.ownPages the base URL of this process's own pages that can be added as sources
 */
export async function createUpstream(
  config: Config,
  { origin, ...parts }: { origin: string; ownPages?: string } & ServiceParts,
  log: Log,
): Promise<Upstream> {
  const { chatbot } = config;
  if (chatbot.kind === 'hosted') {
    const { url: baseUrl, apiKey } = chatbot;
    const client = createChatbotClient({ baseUrl, apiKey });
    return { client, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
  }
  const { dataDir, storeUrl, maxConnections, reply, retentionMs } = config;
  const places = { dataDir, storeUrl, maxConnections };
  // When it ends, its replies have had the time that the bridge gives to its answers.
  const options = { ...places, chatbot, reply, retentionMs, graceMs: 0, ...parts };
  const service = await openService(options, log);
  const client = createChatbotClient({
    baseUrl: origin,
    apiKey: await service.createTemporaryKey(),
  });
  return {
    client,
    service,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/**
 * The built-in service, with the configured settings.
 * @throws {OpenError} when its database can't be opened
 */
export async function openService(
  options: Places &
    Pick<Config, 'reply' | 'retentionMs'> &
    Pick<ServiceOptions, 'ownPages' | 'graceMs'> &
    ServiceParts & { chatbot: EmbeddedChatbot },
  log: Log,
): Promise<Service> {
  const { createService } = await import('../service/service.ts');
  const { dataDir, chatbot, reply, ownPages, pace, extractor, graceMs, retentionMs } = options;
  if (chatbot.allowPrivateAddresses) {
    log.warn(
      { variable: 'ALLOW_PRIVATE_ADDRESSES' },
      'private addresses are allowed: anyone who adds a URL can read pages from this machine and its network; use this for tests only',
    );
  }
  const place = servicePlace(options);
  return openFile(nameOfPlace(place), () =>
    createService({
      ...chatbot,
      keys: chatbot.apiKeys,
      limits: { firstTextMs: reply.firstTextMs, textMs: reply.timeoutMs },
      dataDir,
      place,
      graceMs,
      retentionMs,
      ownPages,
      pace,
      extractor,
      log,
    }),
  );
}

/** How long its file system may take to answer. */
const timeoutMs = 5_000;

/**
 * Creates the private folder for files and databases, and makes sure that this user can write to it.
 * Another process looks at it first: a file system that hangs, such as an unreachable network drive, would
 * block this process for good, even its exit.
 * @throws {OpenError}
 */
export async function openDataDir(dataDir: string): Promise<void> {
  const named = `DATA_DIR names ${dataDir}, which`;
  if (!(await answers(dataDir))) {
    throw new OpenError(
      named,
      'Check its drive, which may be on a network, or choose another place.',
      new Error(`its file system has not answered for ${timeoutMs / 1000} seconds`),
    );
  }
  openFileSync(named, () => {
    createFolder(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  });
}

function answers(folder: string): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>();
  const child = spawn('ls', ['-ld', folder], { stdio: 'ignore' });
  const timeout = setTimeout(() => {
    child.kill('SIGKILL');
    child.unref();
    answered.resolve(false);
  }, timeoutMs);
  const end = () => {
    clearTimeout(timeout);
    answered.resolve(true);
  };
  // Without `ls`, the file system can't be checked and counts as working.
  child.once('error', end);
  child.once('exit', end);
  return answered.promise;
}
