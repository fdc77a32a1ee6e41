import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { fetch } from 'undici';

/** Causeway as its own process, as `npm start` runs it, from its start on. */
export interface LaunchedProcess extends AsyncDisposable {
  pid: number;
  /** Everything that it printed. */
  output(): string;
  /** Resolves with the match once it has printed it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends the signal, and resolves with the exit code: 0 if everything ended in time. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the exit code once it has ended on its own. */
  ended: Promise<number | null>;
}

/** A process that has printed its address. */
export interface CausewayProcess extends LaunchedProcess {
  /** Its address. */
  origin: string;
  /** Calls the sandbox's control API. */
  control<Answer>(path: string, body?: object): Promise<Answer>;
}

const projectRoot = join(import.meta.dirname, '../..');
const program = join(projectRoot, 'src/start.js');

interface LaunchOptions {
  args?: readonly string[];
  cwd?: string;
  /** A command that runs the process, such as a tracer. */
  under?: readonly string[];
}

/**
 * Starts the process with only this environment. The signal kills it, because a test that times out
 * never disposes of it.
 */
export function launchCauseway(
  env: Record<string, string>,
  signal?: AbortSignal,
  { args = [], cwd = env['DATA_DIR'], under = [] }: LaunchOptions = {},
): LaunchedProcess {
  const [command = '', ...rest] = [...under, process.execPath, program, ...args];
  const child = spawn(command, rest, {
    // A group of their own, so that a signal reaches both.
    detached: under.length > 0,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      ...env,
    },
    cwd,
  });
  const kill = (name: NodeJS.Signals) =>
    under.length > 0 ? process.kill(-(child.pid ?? 0), name) : child.kill(name);
  signal?.addEventListener('abort', () => kill('SIGKILL'));
  let output = '';
  const changes = new EventEmitter();
  const collect = (piece: Buffer) => {
    output += piece.toString();
    changes.emit('change');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  let isOver = false;
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    isOver = true;
    changes.emit('change');
    return code ?? null;
  });

  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        if (isOver) throw new Error(`it ended before it printed ${pattern}:\n${output}`);
        await once(changes, 'change');
      }
    },
    async stop(signal) {
      kill(signal);
      return ended;
    },
    async [Symbol.asyncDispose]() {
      if (isOver) return;
      kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts the process, and waits until it prints its address. */
export async function startCauseway(
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<CausewayProcess> {
  const launched = launchCauseway(env, signal);
  const [, origin = ''] = await launched.printed(/^ {2}Health +(https?:\/\/[^\s/]+)/m);
  return {
    ...launched,
    origin,
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
  };
}
