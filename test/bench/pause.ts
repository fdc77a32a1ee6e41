/**
 * How long the service's event loop pauses while it handles the largest inputs it allows, one after
 * the other, on a chatbot that has as much of everything as it may. Prints a JSON line for each, with
 * the max turn: by the clock (`clock_ms`), by the clock without the time in which other processes had
 * the processor (`pause_ms`), and in CPU time of the thread (`cpu_ms`); and the highest RSS. On a busy
 * machine, `pause_ms` still contains waits for disks and for threads that collect garbage. Run it with
 * `node test/bench/pause.ts [part of a name]`. Needs /proc.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillLargest, type LargeCall, toLargeCalls } from './pause/largest.ts';
import { watchMemory } from './hostile/memory.ts';
import type { WatchedProcess } from './pause/served.ts';
import { type Started, startProcess } from './replies/process.ts';

const goalMs = 150;
const goalMb = 260;
const only = process.argv[2] ?? '';
const key = 'a-key-for-the-bench';
const sizes = {
  sources: 10_000,
  passages: 5000,
  agents: 100,
  chosenSources: 1000,
  tags: 500,
  sessions: 5000,
  messages: 1000,
};

// As start.js does: what is compiled takes less memory.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../node_modules/.cache/bench');
const dataDir = await mkdtemp(join(tmpdir(), 'causeway-pause-'));
let maxPauseMs = 0;
let highestMb = 0;
{
  await using served = startProcess<WatchedProcess>('../pause/served.ts');
  const { origin, pid } = await served.ask('start', { dataDir, key });
  const call = createCall(origin);
  const { uuid: chatbot } = await call.json({
    method: 'POST',
    path: '/api/v1/chatbot/create',
    body: { name: 'Bench' },
  });
  await fillLargest(dataDir, chatbot, sizes);
  const first = async (path: string) =>
    await call.json<{ uuid: string }[]>({
      method: 'GET',
      path: `/api/v1/chatbot/${chatbot}/${path}`,
    });
  const [agent] = await first('agents');
  const [tag] = await first('source-tags');
  const sources = (await first('data-sources')).map(({ uuid }) => uuid);
  const file = { name: 'a.txt', content: 'The keeper sells tickets at the gate. '.repeat(20_000) };
  const documents: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const path = '/api/v1/session-document/upload';
    documents.push((await call.json({ method: 'POST', path, file })).uuid);
  }
  const ids = { chatbot, agent: agent?.uuid ?? '', tag: tag?.uuid ?? '', sources, documents };
  for (const [name, each] of Object.entries(toLargeCalls(ids))) {
    if (name.includes(only)) await measure(served, pid, name, () => call.drop(each));
  }
}
await rm(dataDir, { recursive: true });
print({ measure: 'max pause, ms', value: round(maxPauseMs), goal: goalMs });
print({ measure: 'highest RSS of the service, MB', value: Math.round(highestMb), goal: goalMb });

async function measure(
  served: Started<WatchedProcess>,
  pid: number,
  name: string,
  run: () => Promise<{ status: number; bytes: number }>,
): Promise<void> {
  using memory = watchMemory(pid);
  await served.ask('watch');
  const begun = performance.now();
  const { status, bytes } = await run();
  const seconds = (performance.now() - begun) / 1000;
  const { wallMs, ownMs, cpuMs } = await served.ask('maxTurn');
  const rssMb = Math.round(memory.process());
  maxPauseMs = Math.max(maxPauseMs, ownMs);
  highestMb = Math.max(highestMb, rssMb);
  print({
    case: name,
    ok: ownMs <= goalMs,
    clock_ms: round(wallMs),
    pause_ms: round(ownMs),
    cpu_ms: round(cpuMs),
    status,
    seconds: round(seconds),
    bytes,
    rss_mb: rssMb,
  });
}

function createCall(origin: string) {
  const send = ({ method, path, body, file }: LargeCall) => {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (file !== undefined) {
      const form = new FormData();
      form.set('file', new Blob([file.content]), file.name);
      return fetch(origin + path, { method, headers, body: form });
    }
    if (body !== undefined) headers['content-type'] = 'application/json';
    return fetch(origin + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  };
  return {
    async json<Answer = { uuid: string }>(call: LargeCall): Promise<Answer> {
      return (await (await send(call)).json()) as Answer;
    },
    /** Reads the answer without keeping it. */
    async drop(call: LargeCall) {
      const response = await send(call);
      let bytes = 0;
      for await (const part of response.body ?? []) bytes += part.byteLength;
      return { status: response.status, bytes };
    },
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function print(row: object): void {
  process.stdout.write(`${JSON.stringify({ bench: 'pause', ...row })}\n`);
}
