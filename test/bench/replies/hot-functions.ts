import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Profiler, Session } from 'node:inspector/promises';

/** A function and the CPU time that it took itself, without those it called. */
export interface HotFunction {
  name: string;
  /** File and line, from the project's folder; empty for V8's own. */
  place: string;
  selfMs: number;
}

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

/** Samples this process until the returned function is called, which gives the hottest functions. */
export async function startProfile(): Promise<() => Promise<HotFunction[]>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return toHotFunctions(profile);
  };
}

function toHotFunctions({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): HotFunction[] {
  const functions = new Map(nodes.map(({ id, callFrame }) => [id, toFunction(callFrame)]));
  const totals = new Map<string, HotFunction>();
  for (const [index, id] of samples.entries()) {
    const sampled = functions.get(id);
    if (!sampled) continue;
    const key = `${sampled.name} ${sampled.place}`;
    const total = totals.get(key) ?? sampled;
    totals.set(key, { ...total, selfMs: total.selfMs + (timeDeltas[index] ?? 0) / 1000 });
  }
  return [...totals.values()]
    .filter(({ name }) => name !== '(idle)')
    .toSorted((a, b) => b.selfMs - a.selfMs);
}

function toFunction({ functionName, url, lineNumber }: Profiler.ProfileNode['callFrame']) {
  const file = url.startsWith('file:') ? relative(projectRoot, fileURLToPath(url)) : url;
  const place = file && `${file}:${lineNumber + 1}`;
  return { name: functionName || '(anonymous)', place, selfMs: 0 };
}
