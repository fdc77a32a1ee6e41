import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatbotClient } from './chatbot/chatbot-client.ts';
import { createConversationChatbot } from './chatbot/conversation-chatbot.ts';
import { createCommandTable } from './commands/command-table.ts';
import type { Config } from './config.ts';
import { type BindingRecord, createBindings } from './conversation/bindings.ts';
import { createConversation } from './conversation/conversation.ts';
import { createPacer } from './conversation/pacer.ts';
import type { Bindings, Log, ThreadAddress } from './conversation/ports.ts';
import { recoverTurns } from './conversation/recover.ts';
import { createSessions, type SessionRecord } from './conversation/sessions.ts';
import { createThreadControl } from './conversation/thread-control.ts';
import { createTurns, type TurnRecord } from './conversation/turns.ts';
import { findOrCreateChatbot, type FirstChatbot } from './first-start.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { type BridgePlatform, createPlatforms } from './platforms.ts';
import { createSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { type Routes, startServer } from './server.ts';
import { openStore, type Store } from './stores/open-store.ts';
import { createUpstream } from './upstream.ts';

/** The running process. Disposing ends turns in flight, then every part in turn. */
export interface App extends AsyncDisposable {
  /** Where it answers, as `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly sandbox?: Sandbox;
}

/** How long turns in flight may take to end by themselves once the process is told to stop. */
const graceMs = 6000;

/**
 * Starts the bridge: the server, the built-in service and the sandbox where the configuration asks
 * for them, and the platforms.
 *
 * @throws what keeps it from starting; what had started by then is stopped again
 */
export async function createApp(config: Config, log: Log): Promise<App> {
  await using parts = new AsyncDisposableStack();
  const stopping = new AbortController();
  const metrics = createMetrics();
  const routes: Routes = { metrics, listeners: new Map() };

  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const server = parts.use(await startServer(config, routes));
  const store = parts.use(openStore(config.storeUrl));
  const sandbox = config.slack || config.discord ? undefined : openSandbox(config, server.origin);
  if (sandbox) parts.use(sandbox);
  const upstream = parts.use(createUpstream(config, server.origin, log));
  routes.service = upstream.service;
  routes.sandbox = sandbox;

  const { client } = upstream;
  const chatbot = await chooseChatbot(config, client, store, log, stopping.signal);
  const bindings = createBindings({
    store: store.keyv<BindingRecord>('binding'),
    fallback: chatbot,
  });
  const platforms: BridgePlatform[] = [];
  const core = createCore({ config, client, store, bindings, platforms, metrics, log });
  const commands = createCommandTable({
    prefix: config.commandPrefix,
    tools: {
      client,
      bindings,
      threads: createThreadControl(core.tools.sessions, core.conversation),
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      now: Date.now,
    },
    managers: config.managers,
    log,
  });
  for (const platform of createPlatforms(config, sandbox, commands, log)) {
    platforms.push(parts.use(platform));
    if (platform.requestListener) routes.listeners.set('/slack/events', platform.requestListener);
  }
  await recoverTurns({ ...core.tools, signal: stopping.signal });
  await Promise.all(platforms.map((platform) => platform.start(core.conversation)));
  parts.defer(() => core.conversation.close(graceMs));
  parts.defer(() => stopping.abort());

  routes.isStarted = true;

  const running = parts.move();
  return {
    origin: server.origin,
    ...(sandbox && { sandbox }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function openSandbox(config: Config, origin: string): Sandbox {
  return createSandbox({ database: join(config.dataDir, 'sandbox.sqlite'), origin: () => origin });
}

/** The configured chatbot; with the built-in service and none configured, the one of the first start. */
async function chooseChatbot(
  config: Config,
  client: ChatbotClient,
  store: Store,
  log: Log,
  signal: AbortSignal,
): Promise<string> {
  const { uuid } = config.chatbot;
  return (
    uuid ?? findOrCreateChatbot({ client, store: store.keyv<FirstChatbot>('chatbot'), log, signal })
  );
}

/** The core; threads are those of the platforms that are there once it is asked for one. */
function createCore(options: {
  config: Config;
  client: ChatbotClient;
  store: Store;
  bindings: Bindings;
  platforms: readonly BridgePlatform[];
  metrics: Metrics;
  log: Log;
}) {
  const { config, store, bindings, platforms, metrics, log } = options;
  const chatbot = createConversationChatbot(options.client);
  const sessions = createSessions({
    store: store.keyv<SessionRecord>('session'),
    chatbot,
    bindings,
  });
  const turns = createTurns({
    journal: store.keyv<TurnRecord>('journal'),
    ended: store.keyv<TurnRecord>('turn'),
  });
  const openThread = (address: ThreadAddress) =>
    platforms.find((platform) => platform.name === address.platform)?.thread(address);
  const tools = { chatbot, sessions, turns, pacer: createPacer(), openThread, log };
  const { maxCharacters: longestReply } = config.reply;
  const conversation = createConversation({
    ...tools,
    coordinator: store.coordinator,
    reports: metrics,
    ...(longestReply && { longestReply }),
  });
  return { tools, conversation };
}
