import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { nowMs, parseMoments } from './deltas.ts';

/** What a stream was like for its reader; times in ms. */
export interface StreamSight {
  /** From the request to the first byte. */
  firstByteMs: number;
  /** For each delta, how long it was on its way. */
  delaysMs: number[];
  /** For each delta but the first, how much longer its gap to the one before was than when it left. */
  addedMs: number[];
  isWhole: boolean;
}

/** Reads a stream of `createDeltas` to its end, on a connection of its own. */
export async function readStream(
  url: string,
  options: { headers: Record<string, string>; body: string; deltas: number },
): Promise<StreamSight> {
  const agent = new Agent({ keepAlive: false });
  const sentMs = nowMs();
  const sent = request(url, { method: 'POST', agent, headers: options.headers });
  sent.end(options.body);
  const [response] = await once(sent, 'response');
  let firstByteMs = Number.NaN;
  let text = '';
  const seen: { left: number; came: number }[] = [];
  for await (const bytes of response) {
    const came = nowMs();
    if (Number.isNaN(firstByteMs)) firstByteMs = came - sentMs;
    text += bytes.toString('latin1');
    const moments = parseMoments(text);
    text = text.slice(text.lastIndexOf('<'));
    if (moments.length > 0) text = text.replace(/^<\d+\.\d{3}>/, '');
    for (const left of moments) seen.push({ left, came });
  }
  return {
    firstByteMs,
    delaysMs: seen.map(({ left, came }) => came - left),
    addedMs: seen.slice(1).map(({ left, came }, index) => {
      const before = seen[index] ?? { left, came };
      return came - before.came - (left - before.left);
    }),
    isWhole: seen.length === options.deltas,
  };
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
