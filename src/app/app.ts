import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatbotClient } from '../chatbot/chatbot-client.ts';
import { createCommandRunner } from '../commands/runner/command-runner.ts';
import { commands } from '../commands/commands.ts';
import { createFileLimits } from '../commands/file-limits.ts';
import { createRegisteredClient } from '../commands/registry/registry-client.ts';
import { createRegistry, type RegistryRecord } from '../commands/registry/registry.ts';
import type { Config } from '../config/config.ts';
import { type BindingRecord, createBindings } from '../conversation/bindings.ts';
import { createManagers, recognizeManagers } from '../conversation/managers.ts';
import type { PlatformError } from '../conversation/platform-error.ts';
import type { Log } from '../conversation/ports.ts';
import { recoverTurns } from '../conversation/recover.ts';
import {
  type ChannelSettings,
  createSettings,
  type WorkspaceSettings,
} from '../conversation/settings.ts';
import { createThreadControl } from '../conversation/thread-control.ts';
import { sleep } from '../primitives/sleep.ts';
import { createCore } from './core.ts';
import { findOrCreateChatbot, type FirstChatbot } from './first-start.ts';
import { createMetrics } from './metrics.ts';
import { createNotify } from './notify.ts';
import { type BridgePlatform, createPlatforms } from './platforms.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { type Routes, startServer } from './server.ts';
import { openStore, type Store } from '../stores/open-store.ts';
import { createUpstream } from './upstream.ts';

/** The running process. Disposing ends running turns first, then each part in turn. */
export interface App extends AsyncDisposable {
  /** Its base URL, such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly sandbox?: Sandbox;
  /** Resolves when a platform shuts the bridge out permanently, with the fix in its message. */
  readonly fatalError: Promise<PlatformError>;
}

/** How long running turns may take to finish after a stop signal. */
const graceMs = 6000;

/**
 * Starts the bridge: the server, the platforms, and, if configured, the built-in service and the
 * sandbox.
 * @throws {Error} what keeps it from starting; everything already started is stopped again
 */
export async function createApp(config: Config, log: Log): Promise<App> {
  await using parts = new AsyncDisposableStack();
  const stopping = new AbortController();
  const metrics = createMetrics();
  const routes: Routes = { metrics, listeners: new Map(), awaited: () => ['its start'] };

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
  const settings = createSettings({
    workspaces: store.keyv<WorkspaceSettings>('workspace-settings'),
    channels: store.keyv<ChannelSettings>('channel-settings'),
    now: Date.now,
  });
  const managers = createManagers({ named: config.managers, settings, log });
  const platforms: BridgePlatform[] = [];
  const notify = createNotify({
    platforms,
    sleep,
  });
  const core = createCore({
    client,
    store,
    bindings,
    settings,
    handOver: { contacts: settings, notify },
    platforms,
    maxReplyCharacters: config.reply.maxCharacters,
    reports: metrics,
    log,
  });
  const registry = createRegistry({
    store: store.keyv<RegistryRecord>('registry'),
    log,
    now: Date.now,
  });
  const runner = createCommandRunner({
    commands,
    prefix: config.commandPrefix,
    tools: {
      client: createRegisteredClient({ client, registry, now: Date.now }),
      registry,
      fileLimits: createFileLimits({ maxBytes: config.chatbot.maxUploadBytes, now: Date.now }),
      bindings,
      threads: createThreadControl(core.tools.sessions, core.conversation),
      settings,
      managers,
      notify,
      sleep,
      now: Date.now,
    },
    log,
  });
  for (const platform of createPlatforms(config, { sandbox, commands: runner, store, log })) {
    platforms.push(parts.use(platform));
    if (platform.requestListener) routes.listeners.set('/slack/events', platform.requestListener);
  }
  await recoverTurns({ ...core.tools, signal: stopping.signal });
  const receiver = recognizeManagers(core.conversation, managers);
  await Promise.all(platforms.map((platform) => platform.start(receiver)));
  parts.defer(() => core.conversation.close(graceMs));
  parts.defer(() => stopping.abort());

  routes.awaited = () =>
    platforms
      .filter(({ isConnected }) => !isConnected)
      .map(({ name }) => `a connection to ${name}`);

  const running = parts.move();
  return {
    origin: server.origin,
    sandbox,
    fatalError: Promise.race(platforms.map(({ fatalError }) => fatalError)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function openSandbox(config: Config, origin: string): Sandbox {
  return createSandbox({ database: join(config.dataDir, 'sandbox.sqlite'), origin: () => origin });
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
  return (
    uuid ?? findOrCreateChatbot({ client, store: store.keyv<FirstChatbot>('chatbot'), log, signal })
  );
}
