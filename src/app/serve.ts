import { type Config, ConfigError } from '../config/config.ts';
import type { Log } from '../shared/primitives/log.ts';
import type { Routes } from './server.ts';
import { type StartOptions, openWhenThere, startAlone } from './start-alone.ts';
import { listFiles } from './databases.ts';
import { completeRestore } from './staged-data.ts';
import { openService } from './upstream.ts';

/** The chatbot service, running alone. */
export interface RunningService extends AsyncDisposable {
  readonly origin: string;
  /** The key created on the first start if none is configured. It can't be read again. */
  readonly firstKey?: string;
}

/**
 * Starts the chatbot service without the bridge.
 * @throws {Error} what keeps it from starting
 */
export async function startService(
  config: Config,
  log: Log,
  options: StartOptions = {},
): Promise<RunningService> {
  const { chatbot, dataDir, storeUrl, maxConnections, reply, graceMs, retentionMs } = config;
  if (chatbot.kind === 'hosted') {
    throw new ConfigError([
      'CHATBOT_API_URL names a hosted service. Unset it to run the built-in service.',
    ]);
  }
  await using parts = new AsyncDisposableStack();
  const routes: Routes = { listeners: new Map(), awaited: () => ['its start'] };
  const places = { dataDir, storeUrl, maxConnections };
  const databases = listFiles(places, { bridge: false, service: true, sandbox: false });
  // Disposed of last, so that requests during the shutdown are still answered.
  const server = parts.use(await startAlone(config, routes, { databases, log, ...options }));
  if (completeRestore(config)) log.info({}, 'a restore that was interrupted is complete');
  const { service, firstKey } = await openWhenThere(
    async () => {
      await using opening = new AsyncDisposableStack();
      const options = { ...places, chatbot, reply, graceMs, retentionMs };
      const service = opening.use(await openService(options, log));
      const firstKey = chatbot.apiKeys.length > 0 ? undefined : await service.ensureFirstKey();
      opening.move();
      return { service, firstKey };
    },
    { routes, log, signal: options.signal },
  );
  parts.use(service);
  routes.service = service;
  routes.awaited = undefined;
  const running = parts.move();
  return {
    origin: server.origin,
    firstKey,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
