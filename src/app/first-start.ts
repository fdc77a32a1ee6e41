import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type DataSource, sourceMeta, sourceProgress } from '../shared/api/data-source.ts';
import { ChatbotError } from '../bridge/conversation/errors.ts';
import type { ChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import type { KeyedStore } from '../bridge/conversation/keyed-store.ts';
import type { Log } from '../shared/primitives/log.ts';
import { sleep } from '../shared/primitives/time.ts';
import { firstQuestions } from './first-sources/questions.ts';

/** The chatbot created on the first start. */
export interface FirstChatbot {
  uuid: string;
  /** Whether its first sources were added. Sources that people delete later stay deleted. */
  taught: boolean;
}

/** Pages for people who use the bot, one file each. */
const pagesFolder = join(import.meta.dirname, 'first-sources');

const name = 'Causeway';
const storeKey = 'first';
const pollMs = 100;

/**
 * The chatbot that answers if none is configured. The first start creates it and adds sources on what
 * newcomers ask; later starts find it again. Resolves when it can answer, or after `patienceMs`.
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
  if (exists && known.taught) return uuid;
  await store.set(storeKey, { uuid, taught: false });
  await teach(client, uuid, signal);
  await store.set(storeKey, { uuid, taught: true });
  await waitUntilReady(client, uuid, patienceMs, signal);
  log.info({ chatbot: uuid }, 'added the first sources to the first chatbot');
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

/**
 * Adds a chatbot's first sources. After an interrupted start, those that exist already are not added
 * again.
 */
async function teach(client: ChatbotClient, chatbot: string, signal: AbortSignal): Promise<void> {
  const sources = await client.listDataSources(chatbot, signal);
  const known = new Set(sources.map(toQuestion));
  for (const each of firstQuestions) {
    if (!known.has(each.question)) await client.addQaSource(chatbot, each, signal);
  }
  for (const path of await listPages()) {
    const { size } = await stat(path);
    const file = { name: basename(path), size, content: createReadStream(path) };
    await client.uploadDataSource(chatbot, file, signal);
  }
}

function toQuestion(source: DataSource): string | undefined {
  return sourceMeta(source).question;
}

async function listPages(): Promise<string[]> {
  const names = await readdir(pagesFolder);
  const pages = names.filter((each) => each.endsWith('.md')).toSorted();
  return pages.map((each) => join(pagesFolder, each));
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
