import { setTimeout as sleep } from 'node:timers/promises';

/** How a stream of the bench goes. */
export interface StreamScript {
  deltas: number;
  /** Between two deltas, in ms. */
  everyMs: number;
}

/** A moment that processes of one machine agree on, in ms. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Deltas in the rhythm of the script. Each begins with the moment at which it left. */
export async function* createDeltas({ deltas, everyMs }: StreamScript): AsyncGenerator<string> {
  const startMs = nowMs();
  for (let index = 0; index < deltas; index++) {
    const waitMs = startMs + index * everyMs - nowMs();
    if (waitMs > 0) await sleep(waitMs);
    yield `<${nowMs().toFixed(3)}> and a few words `;
  }
}

/** The moments in a stream's text so far. */
export function parseMoments(text: string): number[] {
  return [...text.matchAll(/<(\d+\.\d{3})>/g)].map(([, moment]) => Number(moment));
}
