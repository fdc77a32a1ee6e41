import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import type { Script } from './script.ts';

/** Asks the upstream what the bridge would ask it, reads the replies, and does nothing with them. */
export async function readBare(upstream: string, scripts: readonly Script[]): Promise<void> {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const headers = { 'content-type': 'application/json' };
  const ask = (path: string, body: object) =>
    fetch(upstream + path, { dispatcher, method: 'POST', headers, body: JSON.stringify(body) });

  async function read({ query, atMs }: Script): Promise<void> {
    await sleep(atMs);
    const session = await ask('/api/v1/chatbot/bench/session/create', {});
    const { uuid } = (await session.json()) as { uuid: string };
    const reply = await ask(`/api/v1/session/${uuid}/message/stream`, { query });
    await reply.text();
  }

  await Promise.all(scripts.map(read));
  await dispatcher.close();
}
