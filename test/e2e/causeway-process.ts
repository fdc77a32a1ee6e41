import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fetch } from 'undici';

/** Causeway as its own process, as `npm start` runs it. */
export interface CausewayProcess extends AsyncDisposable {
  /** Where it answers. */
  origin: string;
  pid: number;
  /** All that it printed. */
  output(): string;
  /** Sends the signal, and resolves with the exit code: 0 where everything ended in time. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the exit code once it has ended by itself. */
  ended: Promise<number | null>;
  /** Calls the sandbox's control API. */
  control<Answer>(path: string, body?: object): Promise<Answer>;
}

const main = join(import.meta.dirname, '../../src/main.ts');

/**
 * Starts the process with this environment alone, and waits until it says where it answers. The
 * signal kills it: a test that times out never gets to dispose of it.
 */
export async function startCauseway(
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<CausewayProcess> {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...env },
    cwd: env['DATA_DIR'],
  });
  signal?.addEventListener('abort', () => child.kill('SIGKILL'));
  let output = '';
  const ready = Promise.withResolvers<string>();
  const collect = (piece: Buffer) => {
    output += piece.toString();
    const origin = /^(?:Open |.* Health check: )(https?:\/\/[^\s/]+)/m.exec(output)?.[1];
    if (origin) ready.resolve(origin);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = once(child, 'exit');
  void exited.then(() => ready.reject(new Error(`it ended before it was ready:\n${output}`)));
  const origin = await ready.promise;

  async function stop(signal: NodeJS.Signals) {
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  }

  return {
    origin,
    pid: child.pid ?? 0,
    output: () => output,
    stop,
    ended: exited.then(([code]: (number | null)[]) => code ?? null),
    async control<Answer>(path: string, body?: object): Promise<Answer> {
      const response = await fetch(`${origin}/sandbox/control${path}`, {
        ...(body && {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Answer;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop('SIGKILL');
    },
  };
}
