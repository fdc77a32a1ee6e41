import { mkdirSync } from 'node:fs';
import { type Config, ConfigError } from '../config/config.ts';
import type { Log } from '../conversation/ports.ts';
import { type Routes, startServer } from './server.ts';
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
export async function startService(config: Config, log: Log): Promise<RunningService> {
  const { chatbot, dataDir, graceMs } = config;
  if (chatbot.kind === 'hosted') {
    throw new ConfigError([
      'CHATBOT_API_URL names a hosted service. Unset it to run the built-in service.',
    ]);
  }
  await using parts = new AsyncDisposableStack();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const routes: Routes = { listeners: new Map() };
  // The server comes first: if another process has the address, it may have the database too. It is
  // disposed of last, so that requests during shutdown are told so.
  const server = parts.use(await startServer(config, routes));
  const service = parts.use(openService({ dataDir, chatbot, graceMs }, log));
  routes.service = service;
  const firstKey = chatbot.apiKeys.length > 0 ? undefined : service.ensureFirstKey();
  const running = parts.move();
  return {
    origin: server.origin,
    firstKey,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
