import { join } from 'node:path';
import { openJobs } from '../shared/jobs/open-jobs.ts';
import { createUpkeep } from '../shared/primitives/upkeep.ts';
import { type Sleep, sleep as sleepFor } from '../shared/primitives/time.ts';
import { createAccess } from './access.ts';
import { createAfterTurn } from './after-turn/after-turn.ts';
import { createAgents } from './resources/agents.ts';
import { createAnswers } from './answer/answers.ts';
import type { Pace } from './answer/deltas.ts';
import { createFenceName as createRandomName } from './answer/fence.ts';
import { type ReplyLimits, createLanguageModel, usualLimits } from './model/language-model.ts';
import { createRank } from './answer/ranker.ts';
import { createChatbots } from './resources/chatbots.ts';
import { createUuid } from './identifiers.ts';
import { HttpError } from './http-error.ts';
import type { Handlers } from './http/handlers.ts';
import { type RequestLimit, createHttpApp } from './http/http-app.ts';
import { addRoutes } from './http/routes.ts';
import { createEmbedding } from './ingestion/embedding.ts';
import { type Extractor, createExtractor } from './ingestion/extract.ts';
import { createUrlFetcher } from './ingestion/fetch-url.ts';
import { createIngestion, takeUpOutdated } from './ingestion/ingestion.ts';
import { type ApiKey, createKeys, createOwners } from './keys.ts';
import type { Log } from '../shared/primitives/log.ts';
import type { LanguageModelOptions, ModelServer } from '../shared/primitives/model-server.ts';
import { createMessages } from './resources/messages.ts';
import { createModels } from './model/models.ts';
import { createQuota } from './quota.ts';
import { createReplies } from './replies/replies.ts';
import { createEmbedQuery, createEmbedder } from './retrieval/embedder.ts';
import { createSessions } from './resources/sessions.ts';
import { createListSourceQuestions } from './resources/source-questions.ts';
import { createSourceTags } from './resources/source-tags.ts';
import { createSources } from './resources/sources.ts';
import type { DatabasePlace } from '../shared/stores/open-database.ts';
import { type Store, openStore } from './store/store.ts';
import { countReaders } from './ingestion/reading-process.ts';
import { createTemporaryFiles } from '../shared/primitives/private-files.ts';

export interface ServiceOptions {
  /**
   * Where files are stored for a while, and the database unless `place` says otherwise; created if
   * missing. Only one process may use it at a time. Of Postgres, any number share one database.
   */
  dataDir: string;
  /** Where the database is. Default: a file of SQLite in `dataDir`. */
  place?: DatabasePlace;
  /** Opens the database there. */
  openStore?: (place: DatabasePlace) => Promise<Store>;
  /** Keys of the environment, in addition to the stored ones. The first one's data is the bridge's. */
  keys: readonly ApiKey[];
  /** Origins whose pages may call the service from a browser; `*` for all. Default none. */
  corsOrigins?: readonly string[];
  /** Without it, answers are sentences from the sources. */
  llm?: LanguageModelOptions;
  /** How long a model may be silent. Default 120 s for its first text, 60 s between texts. */
  limits?: ReplyLimits;
  /** Without it, passages are found only by their words. */
  embeddings?: ModelServer;
  /** The limit of one file, in bytes. Default 25 MiB. */
  maxUploadBytes?: number;
  /** The limit of what an owner stores, in bytes. Default 4 GiB. */
  maxOwnerBytes?: number;
  /** Lets URL sources name hosts that are not public, as tests do. Default false. */
  allowPrivateAddresses?: boolean;
  /** A folder, as a URL with a slash at its end, whose pages can be added wherever they are. */
  ownPages?: string;
  /** Extracts text from files; its owner disposes it. Default: the service creates its own. */
  extractor?: Extractor;
  /** The request limit of each owner. Default 6000 a minute. */
  requestLimit?: RequestLimit;
  /** The pace of answers without a model. Default a word every 15 ms. */
  pace?: Partial<Pace>;
  /**
   * How long running replies may continue once the service is being disposed, in ms. Default 3000.
   */
  graceMs?: number;
  /**
   * The timeout for a request body to arrive, in ms; for an upload, for each part. Default 30 000.
   */
  bodyTimeoutMs?: number;
  /** Sessions not used for this long are deleted, in ms. Default: none is. */
  retentionMs?: number;
  log: Log;
  /** Waits for timeouts and retries of other servers. Default: the real clock. */
  sleep?: Sleep;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Names the fence of each prompt. Default: 64 random bits in hex. */
  createFenceName?: () => string;
}

export interface Service extends AsyncDisposable {
  /** `connection`: the bindings of `@hono/node-server`, if the request came over a socket. */
  fetch(request: Request, connection?: object): Promise<Response>;
  /** Creates and stores a key if none was ever stored; returned only this once. */
  ensureFirstKey(): Promise<string | undefined>;
  /** Creates a key that holds until the service ends, for the bridge in the same process. */
  createTemporaryKey(): Promise<string>;
  /**
   * Deletes what has become too old, erases what was deleted, and sees that each source that waits has
   * a job; resolves when all but the jobs is done. It also runs after the start and then every minute.
   * Work that another process is already doing is left to it. The first time, it takes up the sources that
   * another version has indexed.
   */
  upkeep(): Promise<void>;
  /** How many sources are being read, by status, over all processes. */
  countJobs(): Promise<{ status: string; count: number }[]>;
  /**
   * Resolves once no source is waiting to be ingested or embedded, and no after-turn work is left.
   */
  settled(): Promise<void>;
}

const maxAliveEveryMs = 10_000;

/**
 * The chatbot service. Ingestion resumes at once where an earlier process stopped. While it is
 * being disposed, new requests are refused; running replies end, or are ended after `graceMs` and
 * keep their text so far; then ingestion ends, and the database closes.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { log, now = Date.now, sleep = sleepFor, maxUploadBytes = 25 * 1024 * 1024 } = options;
  const { maxOwnerBytes = 4096 * 1024 * 1024 } = options;
  const { limits = usualLimits, corsOrigins = [], createFenceName = createRandomName } = options;
  const { requestLimit = { requests: 6000, seconds: 60 } } = options;
  const pace = { deltaMs: 15, sleep: sleepFor, ...options.pace };

  const { place = join(options.dataDir, 'service.sqlite') } = options;
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await (options.openStore ?? openStore)(place));
  const files = createTemporaryFiles(join(options.dataDir, 'files'));
  const owners = createOwners(store.owners, now);
  // The main one always exists.
  await owners.named();
  const keys = await createKeys({ store: store.keys, owners, now }, options.keys, log);
  const access = createAccess(store);
  const quota = createQuota(store, maxOwnerBytes);

  const readers = countReaders();
  // One more reads session documents.
  const extractor = options.extractor ?? opening.use(createExtractor({ processes: readers + 1 }));
  const fetcher = createUrlFetcher({
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    ownPages: options.ownPages,
    maxBytes: maxUploadBytes,
  });
  const embedder = options.embeddings && createEmbedder(options.embeddings, { log, now, sleep });
  const embedding = createEmbedding({ store, embedder, log, sleep });
  const ingestion = createIngestion({
    store,
    files,
    extractor,
    fetcher,
    embedding,
    quota,
    log,
    now,
  });
  const jobs = opening.use(
    await openJobs(place, { name: 'ingestion', concurrency: readers, log, ...ingestion }),
  );

  const model =
    options.llm && createLanguageModel(options.llm, { log, now, sleep: options.sleep, limits });
  const seeing = options.llm?.vision ? model : undefined;
  const models = createModels(model);
  const rank = createRank(store);
  const embedQuery = createEmbedQuery(embedder, embedding);
  const answers = createAnswers({
    documents: store.documents,
    sources: store.sources,
    embedQuery,
    rank,
    model,
    pace,
    createFenceName,
  });
  const afterTurn = createAfterTurn({ store, model, createFenceName, log });
  const generator = createUuid();
  const replies = createReplies({
    store,
    quota,
    answers,
    generator,
    graceMs: options.graceMs ?? 3000,
    onEnd: afterTurn.begin,
    log,
    now,
  });

  const sources = createSources({ store, access, jobs, quota, now });
  const handlers: Handlers = {
    ...createChatbots({ store, access, quota, models, sources, replies, now }),
    ...createAgents({ store, access, quota, models, now }),
    listAgentModels: async ({ signal }) => ({
      models: Object.keys(await models.listCosts(signal)),
    }),
    listAgentModelCosts: async ({ signal }) => ({ model_costs: await models.listCosts(signal) }),
    ...sources.handlers,
    listSourceQuestions: createListSourceQuestions({ store, access, rank, embedQuery }),
    ...createSourceTags({ store, access, quota, now }),
    ...createSessions({ store, access, quota, replies, extractor, seeing, now }),
    ...createMessages({ store, access, replies, afterTurn }),
    getUser: async ({ owner }) => {
      const name = await owners.nameOf(owner);
      return { data: { name, email: name.includes('@') ? name : `${name}@localhost` } };
    },
  };

  let isClosing = false;
  const checkOpen = () => {
    if (!isClosing && store.isOpen) return;
    throw new HttpError(503, 'service_stopping', {
      headers: { connection: 'close', 'retry-after': '5' },
    });
  };
  const checkReady = async () => {
    checkOpen();
    await store.check();
  };
  const app = createHttpApp({ keys, corsOrigins, requestLimit, checkOpen, checkReady, log, now });
  const bodyTimeoutMs = options.bodyTimeoutMs ?? 30_000;
  // Often enough for a client with the same limits.
  const { firstTextMs, textMs } = limits;
  const aliveEveryMs = Math.min(maxAliveEveryMs, firstTextMs / 3, textMs / 3);
  const takesPictures = seeing !== undefined;
  addRoutes(app, {
    handlers,
    files,
    maxUploadBytes,
    takesPictures,
    bodyTimeoutMs,
    aliveEveryMs,
  });
  /** Closes the replies of processes that have died. */
  const finishAbandoned = () =>
    store.transaction((tx) => tx.messages.finishAbandoned(generator, now()));
  /** Each source that waits has a job, whatever has become of the one that it had. */
  const addUnfinished = async (signal: AbortSignal) => {
    for await (const unfinished of store.sources.eachUnfinished()) {
      if (signal.aborted) return;
      await jobs.add(unfinished);
      jobs.wake();
    }
  };
  let isTakenUp = false;
  const takeUp = async (signal: AbortSignal) => {
    if (isTakenUp) return;
    await takeUpOutdated(store, log, signal);
    isTakenUp = true;
    // Not before: what is read again is embedded then.
    embedding.wake();
  };
  // Without others, what is unfinished was left by a process that has died.
  if (!store.isShared) await store.messages.releaseAll();
  await finishAbandoned();
  jobs.wake();
  const upkeep = createUpkeep(async (signal) => {
    await keys.storeUses();
    await jobs.takeOver();
    await store.exclusively('upkeep', 'skip', async () => {
      await takeUp(signal);
      await addUnfinished(signal);
      await finishAbandoned();
      await store.keepUp({ nowMs: now(), retentionMs: options.retentionMs, signal });
    });
  }, log);

  opening.move();
  return {
    fetch: async (request, connection) => app.fetch(request, connection),
    ensureFirstKey: () => store.exclusively('first key', 'wait', keys.ensureFirst),
    createTemporaryKey: keys.createTemporary,
    upkeep: upkeep.run,
    countJobs: store.sources.countUnfinished,
    async settled() {
      await upkeep.idle();
      await jobs.settled();
      await embedding.settled();
      await afterTurn.settled();
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await upkeep[Symbol.asyncDispose]();
      await replies[Symbol.asyncDispose]();
      await afterTurn[Symbol.asyncDispose]();
      await jobs[Symbol.asyncDispose]();
      await embedding[Symbol.asyncDispose]();
      if (options.extractor === undefined) await extractor[Symbol.asyncDispose]();
      await keys.storeUses();
      await store[Symbol.asyncDispose]();
    },
  };
}
