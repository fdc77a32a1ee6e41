import { createTranscriber } from '../bridge/chatbot/transcriber.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import { typedCommand } from '../bridge/commands/invocation.ts';
import { commands, renderShortHelp } from '../bridge/commands/commands.ts';
import type { Config } from '../config/config.ts';
import { createAccess } from '../bridge/conversation/access.ts';
import { type Leases, allLeases } from '../bridge/conversation/leases.ts';
import type { Log } from '../shared/primitives/log.ts';
import { createThreadControl } from '../bridge/commands/thread-control.ts';
import { monotonicMs, sleep } from '../shared/primitives/time.ts';
import {
  type BridgePlatform,
  connectPlatforms,
  createNotify,
  createPlatforms,
} from './platforms.ts';
import { createCommands, createCore, openWorkspaces } from './core.ts';
import type { Workspace } from '../bridge/conversation/address.ts';
import { forgetWorkspace } from './forget-workspace.ts';
import { type FirstChatbot, findOrCreateChatbot } from './first-start.ts';
import { createStored } from './empty-sandbox.ts';
import { createMetrics, createMetricsAccess, type Metrics, startMetricsServer } from './metrics.ts';
import { probeChatbot } from './probe-chatbot.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Routes } from './server.ts';
import { type StartOptions, openWhenThere, postgresThere, startAlone } from './start-alone.ts';
import { openFileSync, readFirst } from '../shared/stores/open-error.ts';
import { nameOf, openStore, restoredAt, type Store } from '../bridge/stores/open-store.ts';
import { openLeases } from '../bridge/stores/open-leases.ts';
import { listFiles, sandboxDatabase } from './databases.ts';
import { completeRestore } from './staged-data.ts';
import { type ServiceParts, createUpstream } from './upstream.ts';
import { createUpkeep } from '../shared/primitives/upkeep.ts';

/** The running process. Disposing ends running turns first, then each part in turn. */
export interface App extends AsyncDisposable {
  /** Its base URL, such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** The base URL of the metrics, if they have a port of their own. */
  readonly metrics?: string;
  readonly sandbox?: Sandbox;
  /** The uuid of the chatbot that answers unless another is chosen. */
  readonly chatbot: string;
  /** What it still waits for, in words: the platforms that are not connected. */
  awaited(): readonly string[];
  /** Resolves once every platform shuts the bridge out, with the fix in its message. */
  readonly fatalError: Promise<unknown>;
}

/** What the process gives a start, and the parts that tests replace. */
export interface AppOptions extends StartOptions {
  /** Parts of the built-in service. Default: those that it creates. */
  service?: ServiceParts;
}

/** A restart takes less: what was asked before it is answered, even if catching up is off. */
const minAgeMs = 60 * 60 * 1000;

/** How long the start waits for platforms; after that, they connect in the background. */
const connectMs = 10_000;

/** How often a sandbox looks whether others use its store. */
const pollMs = 200;

/**
 * Starts the bridge: the server, the platforms, and, if configured, the built-in service and the
 * sandbox. Platforms that can't be reached are retried indefinitely.
 * @throws {Error} what keeps it from starting; everything already started is stopped again
 */
export async function createApp(
  config: Config,
  log: Log,
  { signal, say, service }: AppOptions = {},
): Promise<App> {
  await using parts = new AsyncDisposableStack();
  const disposing = new AbortController();
  const stopping = AbortSignal.any([disposing.signal, ...(signal ? [signal] : [])]);
  const metrics = createMetrics();
  const answerMetrics = createMetricsAccess(metrics, config.metrics, log);
  const { port: metricsPort } = config.metrics;
  const routes: Routes = {
    metrics: metricsPort === undefined ? answerMetrics : undefined,
    listeners: new Map(),
    awaited: () => ['its start'],
  };

  const databases = listFiles(config, {
    bridge: true,
    service: config.chatbot.kind === 'embedded',
    sandbox: hasSandbox(config),
  });
  const server = parts.use(await startAlone(config, routes, { databases, log, signal, say }));
  if (completeRestore(config)) log.info({}, 'a restore that was interrupted is complete');
  const metricsServer =
    metricsPort === undefined
      ? undefined
      : parts.use(await startMetricsServer(metricsPort, answerMetrics));
  const { origin } = server;
  const tools = { origin, metrics, routes, signal: stopping, say, service, log };
  const stored = parts.use(await openWhenThere(() => openStored(config, tools), tools));
  const { store, shared, leases, sandbox, client, findChatbot, restoredMs } = stored;
  const chatbot = { uuid: stored.chatbot };
  const workspaces = openWorkspaces({ config, store, chatbot, client, log });
  const platforms: BridgePlatform[] = [];
  const notify = createNotify({ platforms, sleep });
  const access = createAccess({
    ...workspaces,
    findRooms: (platform) => platforms.find(({ name }) => name === platform)?.rooms,
    now: monotonicMs,
  });
  const { firstTextMs, timeoutMs, maxMs: maxReplyMs, maxCharacters } = config.reply;
  const core = createCore({
    client,
    serviceLimits: { firstTextMs, timeoutMs, maxReplyMs },
    store,
    ...workspaces,
    access,
    notify,
    ...(config.transcription && { transcribe: createTranscriber(config.transcription) }),
    typed: (platform, words) => typedCommand(config.commandNames, platform, words),
    renderHelp: (platform, texts) =>
      renderShortHelp({ names: config.commandNames, commands }, platform, texts),
    recoverCommand: (row, work) => recoverCommand(row, work),
    platforms,
    leases,
    maxTurns: config.maxTurns,
    isTooLate: createIsTooLate(config.catchUpMs, restoredMs),
    maxReplyCharacters: maxCharacters,
    reports: { ...metrics, replies: sandbox?.replies },
    log,
  });
  const { runner, recoverCommand } = createCommands({
    config,
    client,
    store,
    core,
    threads: createThreadControl(core.tools.sessions, core.conversation, core.tools.openThread),
    ...workspaces,
    access,
    notify,
    log,
    closing: stopping,
  });
  const forget = (workspace: Workspace) =>
    forgetWorkspace(workspace, { store, client, tenancy: workspaces.tenancy });
  const platformTools = { sandbox, commands: runner, store, restoredMs, leases, forget, log };
  for (const platform of await createPlatforms(config, platformTools)) {
    platforms.push(parts.use(platform));
    if (platform.requestListener) routes.listeners.set('/slack/events', platform.requestListener);
    for (const [path, page] of platform.pages ?? []) routes.listeners.set(path, page);
    if (platform.countInstallations)
      metrics.observe({ installations: platform.countInstallations });
    if (platform.keepUp) parts.use(createUpkeep(platform.keepUp, log));
  }
  const { conversation } = core;
  if (sandbox) {
    const parts = { sandbox, config, store, client, conversation, chatbot, log };
    sandbox.attach(createStored({ ...parts, createFirst: findChatbot }));
  }
  await conversation.recover();
  parts.use(createUpkeep(conversation.keepUp, log));
  parts.defer(() => conversation.close(config.graceMs));
  parts.defer(() => disposing.abort());

  // The chatbot of the first start has just been asked for.
  const probe = config.chatbot.uuid
    ? probeChatbot({ client, uuid: chatbot.uuid }, { log, signal: stopping })
    : undefined;
  const connecting = connectPlatforms(platforms, conversation, { log, signal: stopping });
  const awaited = () => {
    const refused = probe?.missing();
    const away = platforms.filter(({ isConnected }) => !isConnected).map(({ name }) => name);
    return [
      ...(shared?.isConnected === false ? [postgresThere] : []),
      ...(refused ? [`the chatbot service to accept ${refused}`] : []),
      ...away.map((name) => explainAway(name, connecting.refusal(name))),
    ];
  };
  routes.awaited = awaited;
  routes.warnings = () => platforms.flatMap(({ warning }) => warning ?? []);
  const timeout = delay(connectMs, undefined, { ref: false, signal: stopping });
  await Promise.race([Promise.all([connecting.firstTries, probe?.firstTry]), timeout]);

  // Only once it is ready.
  setImmediate(metrics.load);
  const running = parts.move();
  return {
    origin,
    metrics: metricsServer?.origin,
    sandbox,
    get chatbot() {
      return chatbot.uuid;
    },
    awaited,
    fatalError: connecting.shutOut,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Opens what is stored, with the service. If it can't be, what was opened is closed again. */
async function openStored(
  config: Config,
  options: Pick<AppOptions, 'say' | 'service'> & {
    origin: string;
    metrics: Metrics;
    routes: Routes;
    signal: AbortSignal;
    log: Log;
  },
) {
  const { origin, metrics, routes, signal, say, log } = options;
  await using parts = new AsyncDisposableStack();
  const store = parts.use(await openStore(config.storeUrl, config));
  parts.use(createUpkeep((signal) => store.keepUp(signal), log));
  metrics.observe({ backlog: () => store.inbox.backlog(), pool: () => store.pool });
  const shared = store.isShared
    ? parts.use(await openLeases(config.storeUrl, store, log))
    : undefined;
  const leases = shared?.leases ?? allLeases;
  if (shared) metrics.observe({ leases: shared.figures });
  if (hasSandbox(config)) await waitUntilAlone(leases, { log, signal, say });
  const sandbox = hasSandbox(config) ? await openSandbox(config.dataDir, origin) : undefined;
  if (sandbox) parts.use(sandbox);
  const upstream = parts.use(
    await createUpstream(config, { origin, ownPages: sandbox?.samples, ...options.service }, log),
  );
  // Others take over at once, and don't wait until the service has ended.
  if (shared) parts.use(shared);
  routes.service =
    sandbox && upstream.service ? sandbox.service.guard(upstream.service) : upstream.service;
  routes.sandbox = sandbox;
  if (upstream.service) metrics.observe({ jobs: upstream.service.countJobs });
  const { client } = upstream;
  const findChatbot = () => chooseChatbot(config, client, store, log, signal);
  const chatbot = await readFirst(nameOf(config.storeUrl), findChatbot);
  const restoredMs = await restoredAt(store);
  const opened = parts.move();
  const stored = { store, shared, leases, sandbox, client, chatbot, findChatbot, restoredMs };
  return Object.assign(stored, { [Symbol.asyncDispose]: () => opened.disposeAsync() });
}

function explainAway(platform: string, refusal: string | undefined): string {
  return `a connection to ${platform}${refusal === undefined ? '' : ` (${refusal})`}`;
}

/** What was asked so long ago, or before a restore, is only answered if somebody asks again. */
function createIsTooLate(catchUpMs: number, restoredMs = 0): (askedAt: number) => boolean {
  const maxAgeMs = Math.max(catchUpMs, minAgeMs);
  return (askedAt) => askedAt < restoredMs || Date.now() - askedAt > maxAgeMs;
}

function hasSandbox({ slack, discord }: Config): boolean {
  return !slack && !discord;
}

/** The sandbox is in the process, so others on the same store could not write to it. */
async function waitUntilAlone(
  leases: Pick<Leases, 'count'>,
  { log, signal, say }: StartOptions & { log: Log },
): Promise<void> {
  if (leases.count === 1) return;
  log.warn({ processes: leases.count }, 'other processes use the store: the sandbox waits');
  say?.(
    'The sandbox runs in one process only, and others use the same store. This one waits until they end. To run several, set the tokens of Slack or Discord. Ctrl+C ends the wait.',
  );
  while (leases.count > 1) await sleep(pollMs, signal);
}

async function openSandbox(dataDir: string, origin: string): Promise<Sandbox> {
  const { createSandbox } = await import('../sandbox/sandbox.ts');
  const database = sandboxDatabase(dataDir);
  return openFileSync(database, () => createSandbox({ database, origin: () => origin }));
}

/** The configured chatbot; for the built-in service without one, the chatbot of the first start. */
async function chooseChatbot(
  config: Config,
  client: ChatbotClient,
  store: Store,
  log: Log,
  signal: AbortSignal,
): Promise<string> {
  const { uuid } = config.chatbot;
  if (uuid) return uuid;
  let first = '';
  await store.exclusively('first chatbot', async () => {
    const known = store.keyv<FirstChatbot>('chatbot');
    first = await findOrCreateChatbot({ client, store: known, log, signal });
  });
  return first;
}
