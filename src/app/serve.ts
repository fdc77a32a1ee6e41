import { mkdirSync } from 'node:fs';
import { type Config, ConfigError } from '../config/config.ts';
import type { Log } from '../conversation/ports.ts';
import { type Routes, startServer } from './server.ts';
import { openService } from './upstream.ts';

/** The chatbot service running alone. */
export interface RunningService extends AsyncDisposable {
  readonly origin: string;
  /** The key made at the first start where none is configured; it can't be read again. */
  readonly firstKey?: string;
}

/** How long replies under way may go on once the process is told to stop. */
const graceMs = 6000;

/** Starts the chatbot service without the bridge. @throws what keeps it from starting */
export async function startService(config: Config, log: Log): Promise<RunningService> {
  const { chatbot, dataDir } = config;
  if (chatbot.kind === 'hosted') {
    throw new ConfigError(['CHATBOT_API_URL names a hosted service. Unset it to serve your own.']);
  }
  await using parts = new AsyncDisposableStack();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const routes: Routes = { listeners: new Map() };
  // The address comes first: where another process has it, that one may have the database too. It
  // goes last, so that requests are told that the service is stopping.
  const server = parts.use(await startServer(config, routes));
  const service = parts.use(openService({ dataDir, chatbot, graceMs }, log));
  routes.service = service;
  const firstKey = chatbot.apiKeys.length > 0 ? undefined : service.ensureFirstKey();
  const running = parts.move();
  return {
    origin: server.origin,
    ...(firstKey !== undefined && { firstKey }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
