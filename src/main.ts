import { existsSync } from 'node:fs';
import { ConfigError, readConfig } from './config/config.ts';
import { PlatformError } from './conversation/platform-error.ts';
import { createLog } from './app/log.ts';

/** After a stop signal, the process exits within this time even if something hangs. */
const stopWithinMs = 10_000;

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
    process.stderr.write(`${explainStartFailure(error)}\n`);
    process.exitCode = 1;
  }
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config);
  const { createApp } = await import('./app/app.ts');
  const app = await createApp(config, log);
  const stop = stopOnSignal(app, log);
  void app.fatalError.then(({ message }) => {
    process.stderr.write(`${message}\n`);
    return stop(1);
  });
  const { origin } = app;
  process.stdout.write(
    app.sandbox
      ? `\nCauseway is running with a sandbox in place of Slack and Discord.\nOpen ${origin} and mention @causeway, for example: @causeway How do I add a source?\n\n`
      : `\nCauseway is running. Health check: ${origin}/healthz\n\n`,
  );
}

async function serve(): Promise<void> {
  const config = readConfig(process.env, 'service');
  const log = createLog(config);
  const { startService } = await import('./app/serve.ts');
  const service = await startService(config, log);
  stopOnSignal(service, log);
  const key = service.firstKey;
  process.stdout.write(
    `\nThe chatbot service is running at ${service.origin}/api/v1\n${key ? `Its key, shown only once: ${key}\n` : ''}\n`,
  );
}

async function manifest(origin?: string): Promise<void> {
  const config = readConfig(process.env);
  if (origin !== undefined && URL.parse(origin)?.protocol !== 'https:') {
    throw new ConfigError([
      `${origin} is not an address that Slack can reach. Use one like https://your-host.`,
    ]);
  }
  const { createManifest } = await import('./app/manifest.ts');
  process.stdout.write(createManifest(config.commandPrefix, origin));
}

/** The message on stderr when the process can't start. */
function explainStartFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof PlatformError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return 'Another process already listens at HOST:PORT. Stop it, or set another PORT.';
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Disposes of the running part once and then exits. The returned function does the same. */
function stopOnSignal(
  running: AsyncDisposable,
  log: ReturnType<typeof createLog>,
): (code: number) => Promise<void> {
  let stopping = false;
  const stop = async (code: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), stopWithinMs - 500).unref();
    await running[Symbol.asyncDispose]();
    process.exit(code);
  };
  process.on('SIGTERM', () => void stop(0));
  process.on('SIGINT', () => void stop(0));
  // After an unhandled rejection, a library's connection is in an unknown state.
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection: the process exits');
    void stop(1);
  });
  return stop;
}

await main();
