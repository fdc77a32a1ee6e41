import { type Config, ConfigError } from '../config/config.ts';
import type { Logger } from 'pino';
import { isIPv6 } from 'node:net';
import { PlatformError } from '../bridge/conversation/errors.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { OpenError } from '../shared/stores/open-error.ts';

/** How long the last writes and the parts may take to end after the running answers. */
const endMs = 3_500;
/** On Ctrl+C, a process started by npm gets the signal twice: from the terminal and from npm. */
const sameSignalMs = 500;

/** What runs until the process ends. */
type Running = AsyncDisposable & { fatalError?: Promise<unknown> };

/**
 * Starts a part of the process, disposes of it after a stop signal or a fatal error, and exits. A stop
 * signal also cancels a start.
 * @throws {unknown} what keeps the part from starting
 */
export async function runUntilStopped(
  { graceMs }: Config,
  log: Logger,
  startPart: (signal: AbortSignal) => Promise<Running>,
): Promise<void> {
  const { signal, stop, stopped } = listenForStop(graceMs, log);
  const running = await startPart(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  const fail = (error: unknown) => {
    process.stderr.write(`${explainFailure(error)}\n`);
    stop(1);
  };
  void running?.fatalError?.then(fail);
  const code = await stopped;
  await running?.[Symbol.asyncDispose]();
  process.exit(code);
}

/** Waits for the end of the process: a signal, an unhandled rejection, or a call of `stop`. */
function listenForStop(graceMs: number, log: Logger) {
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

/** What to do when the server can't listen, by the system's codes. */
const addressAdvice: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Another process already listens at ${isIPv6(host) ? `[${host}]` : host}:${port}, perhaps another Causeway. Stop it, or set another PORT, as in npm start -- --port ${port + 1}.`,
  EADDRNOTAVAIL: (host) =>
    `HOST is ${host}, which is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all of them.`,
  EACCES: (_, port) => `This user may not listen at PORT ${port}. Use one from 1024 on.`,
};

/** The message on stderr when the process can't start or continue: what is wrong, and what to do. */
export function explainFailure(error: unknown): string {
  if (
    error instanceof ConfigError ||
    error instanceof PlatformError ||
    error instanceof OpenError ||
    error instanceof RefusedError
  ) {
    return error.message;
  }
  if (!(error instanceof Error)) return `Causeway can’t continue: ${String(error)}`;
  const { code = '', syscall, address = '', port = 0 } = error as ListenError;
  const advice = syscall === 'listen' ? addressAdvice[code]?.(address, port) : undefined;
  return advice ?? `Causeway can’t continue: ${error.message}`;
}

type ListenError = NodeJS.ErrnoException & { address?: string; port?: number };
