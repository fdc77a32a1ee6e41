import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Bridge } from '../judge/bridge.ts';

/** What a process uses at a moment. */
export interface Reading {
  /** Messages so far. */
  messages: number;
  /** The heap in use after a garbage collection, in MiB. */
  heapMb: number;
  descriptors: number;
  /** The size of the files in its folder, without SQLite's log of the newest changes. */
  storedBytes: number;
}

/** Reads from outside what a process uses; it must run with Node's inspector, on Linux. */
export async function openGauges(bridge: Bridge, folder: string) {
  const [url] = /ws:\/\/\S+/.exec(bridge.output()) ?? [];
  if (!url) throw new Error(`There is no inspector:\n${bridge.output()}`);
  const inspector = new WebSocket(url);
  await once(inspector, 'open');
  let last = 0;

  /** https://chromedevtools.github.io/devtools-protocol/v8 */
  async function call(method: string): Promise<Record<string, number>> {
    const id = ++last;
    inspector.send(JSON.stringify({ id, method }));
    for (;;) {
      const [data] = (await once(inspector, 'message')) as [Buffer];
      const answer = JSON.parse(data.toString()) as { id?: number; result: Record<string, number> };
      if (answer.id === id) return answer.result;
    }
  }

  return {
    async read(messages: number): Promise<Reading> {
      await call('HeapProfiler.collectGarbage');
      const { usedSize = 0 } = await call('Runtime.getHeapUsage');
      return {
        messages,
        heapMb: Math.round((usedSize / 1024 / 1024) * 10) / 10,
        descriptors: readdirSync(`/proc/${bridge.pid}/fd`).length,
        storedBytes: readdirSync(folder)
          .filter((name) => !/-(?:wal|shm)$/.test(name))
          .map((name) => statSync(join(folder, name)).size)
          .reduce((sum, size) => sum + size, 0),
      };
    },
    [Symbol.dispose]: () => inspector.terminate(),
  };
}
