import { existsSync, mkdirSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { type Config, ConfigError, readConfig } from './config/config.ts';
import { PlatformError } from './conversation/platform-error.ts';
import { OpenError } from './stores/open-error.ts';
import { createLog } from './app/log.ts';

/** How long the last writes and the parts may take to end, once running answers have. */
const endMs = 3_500;
/** On Ctrl+C, a process started by npm gets the signal twice: from the terminal and from npm. */
const sameSignalMs = 500;

const usage = `Usage: node src/main.ts [command]

  start      run the bridge, with the built-in service and the sandbox unless others are
             configured (default)
  serve      run only the chatbot service
  manifest [https://your-host]
             print the Slack app manifest, for Socket Mode or for events over HTTP

Configuration comes from the environment and from .env; see .env.example.
`;

/** Each command imports only the code it needs: the service alone loads no platform's library. */
const commands: Record<string, (argument?: string) => Promise<void>> = { start, serve, manifest };

async function main(): Promise<void> {
  const [name = 'start', ...rest] = process.argv.slice(2);
  const command = commands[name];
  if (!command || rest.length > (command === manifest ? 1 : 0)) {
    const help = ['help', '--help', '-h'].includes(name);
    process[help ? 'stdout' : 'stderr'].write(usage);
    process.exitCode = help ? 0 : 2;
    return;
  }
  if (existsSync('.env')) process.loadEnvFile();
  try {
    await command(...rest);
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    // What a failed start leaves behind, such as a library's timer, must not keep the process.
    process.exit(1);
  }
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config);
  cacheCompiledCode(config);
  await runUntilStopped(config, log, async (signal) => {
    const { createApp } = await import('./app/app.ts');
    const app = await createApp(config, log, { signal, say });
    const { origin } = app;
    const awaited = app.awaited().join(' and ');
    say(
      app.sandbox
        ? `Causeway is running with a sandbox in place of Slack and Discord.\nOpen ${origin} and mention @causeway, for example: @causeway How do I add a source?`
        : `Causeway is running${awaited && `, and still waits for ${awaited}`}. Health check: ${origin}/healthz`,
    );
    return app;
  });
}

async function serve(): Promise<void> {
  const config = readConfig(process.env, 'service');
  const log = createLog(config);
  cacheCompiledCode(config);
  await runUntilStopped(config, log, async (signal) => {
    const { startService } = await import('./app/serve.ts');
    const service = await startService(config, log, { signal, say });
    const key = service.firstKey;
    say(
      `The chatbot service is running at ${service.origin}/api/v1${key ? `\nIts key, shown only once: ${key}` : ''}`,
    );
    return service;
  });
}

async function manifest(origin?: string): Promise<void> {
  const config = readConfig(process.env);
  if (origin !== undefined && URL.parse(origin)?.protocol !== 'https:') {
    throw new ConfigError([
      `${origin} is not an address that Slack can reach. Use one like https://your-host.`,
    ]);
  }
  const { createManifest } = await import('./app/manifest.ts');
  process.stdout.write(createManifest(config.commandNames, origin));
}

/** Tells something to whoever started the process, apart from the log's lines. */
function say(text: string): void {
  process.stdout.write(`\n${text}\n\n`);
}

/** Later starts take half the time. The cache is in the data folder, where nobody else can write. */
function cacheCompiledCode({ dataDir }: Config): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  enableCompileCache(join(dataDir, 'compile-cache'));
}

/** The message on stderr when the process can't start or go on. */
function explainFailure(error: unknown): string {
  if (
    error instanceof ConfigError ||
    error instanceof PlatformError ||
    error instanceof OpenError
  ) {
    return error.message;
  }
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return 'Another process already listens at HOST:PORT. Stop it, or set another PORT.';
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

type Log = ReturnType<typeof createLog>;

/** What runs until the process ends. */
type Running = AsyncDisposable & { fatalError?: Promise<unknown> };

/**
 * Starts a part of the process, disposes of it after a stop signal or a fatal error, and exits. A
 * start that isn't complete is given up.
 * @throws {unknown} what keeps the part from starting
 */
async function runUntilStopped(
  { graceMs }: Config,
  log: Log,
  startPart: (signal: AbortSignal) => Promise<Running>,
): Promise<void> {
  const { signal, stop, stopped } = listenForStop(graceMs, log);
  const running = await startPart(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  // Node does so at the exit, which a killed process does not reach.
  flushCompileCache();
  const fail = (error: unknown) => {
    process.stderr.write(`${explainFailure(error)}\n`);
    stop(1);
  };
  void running?.fatalError?.then(fail);
  const code = await stopped;
  await running?.[Symbol.asyncDispose]();
  process.exit(code);
}

/** Waits for what ends the process: a signal, an unhandled rejection, or a call of `stop`. */
function listenForStop(graceMs: number, log: Log) {
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<number>();
  let stoppedAt = 0;

  function stop(code: number): void {
    if (stopping.signal.aborted) return;
    stoppedAt = performance.now();
    setTimeout(() => process.exit(1), graceMs + endMs).unref();
    stopping.abort();
    stopped.resolve(code);
  }

  function onSignal(name: NodeJS.Signals): void {
    if (!stopping.signal.aborted) {
      log.info({ signal: name, graceMs }, 'stopping: a second signal ends the process at once');
    } else if (performance.now() - stoppedAt > sameSignalMs) {
      process.exit(1);
    }
    stop(0);
  }

  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // After an unhandled rejection, a library's connection is in an unknown state.
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection: the process exits');
    stop(1);
  });
  return { signal: stopping.signal, stop, stopped: stopped.promise };
}

await main();
