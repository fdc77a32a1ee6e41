import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sourceProgress } from '../api/data-source.ts';
import { ChatbotError } from '../conversation/chatbot-error.ts';
import type { ChatbotClient } from '../chatbot/chatbot-client.ts';
import type { KeyedStore, Log } from '../conversation/ports.ts';
import { sleep } from '../primitives/sleep.ts';

/** The chatbot created on the first start. */
export interface FirstChatbot {
  uuid: string;
  /**
   * Whether it has been taught this project's documentation. Sources that people delete later stay
   * deleted.
   */
  taught: boolean;
}

/** The project's folder: a new chatbot is taught its README.md and docs. */
const projectRoot = join(import.meta.dirname, '../..');

const name = 'Causeway';
const storeKey = 'first';
const pollMs = 100;

/**
 * The chatbot that answers if none is configured. The first start creates it and teaches it this
 * project's documentation; later starts find it again. Resolves when the documentation is ready to
 * answer from, or after `patienceMs`.
 */
export async function findOrCreateChatbot(options: {
  client: ChatbotClient;
  store: KeyedStore<FirstChatbot>;
  log: Log;
  signal: AbortSignal;
  patienceMs?: number;
}): Promise<string> {
  const { client, store, log, signal, patienceMs = 20_000 } = options;
  const known = await store.get(storeKey);
  const exists = known && (await isKnown(client, known.uuid, signal));
  const uuid = exists ? known.uuid : (await client.createChatbot({ name }, signal)).uuid;
  if (!exists) await store.set(storeKey, { uuid, taught: false });
  if (!exists || !known.taught) {
    await teach(client, uuid, signal);
    await store.set(storeKey, { uuid, taught: true });
    await waitUntilReady(client, uuid, patienceMs, signal);
    log.info({ chatbot: uuid }, 'created a chatbot and taught it this project’s documentation');
  }
  return uuid;
}

async function isKnown(client: ChatbotClient, uuid: string, signal: AbortSignal) {
  try {
    await client.getChatbot(uuid, signal);
    return true;
  } catch (error) {
    if (error instanceof ChatbotError && error.kind === 'not_found') return false;
    throw error;
  }
}

async function teach(client: ChatbotClient, uuid: string, signal: AbortSignal): Promise<void> {
  for (const path of await documentationFiles()) {
    const { size } = await stat(path);
    const file = { name: basename(path), size, content: createReadStream(path) };
    await client.uploadDataSource(uuid, file, signal);
  }
}

async function documentationFiles(): Promise<string[]> {
  const docs = join(projectRoot, 'docs');
  const names = await readdir(docs).catch(() => []);
  const pages = names.filter((each) => each.endsWith('.md')).toSorted();
  return [join(projectRoot, 'README.md'), ...pages.map((each) => join(docs, each))];
}

async function waitUntilReady(
  client: ChatbotClient,
  uuid: string,
  patienceMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (let waited = 0; waited < patienceMs; waited += pollMs) {
    const sources = await client.listDataSources(uuid, signal);
    if (sources.every((source) => sourceProgress(source.status) !== 'waiting')) return;
    await sleep(pollMs, signal);
  }
}
