import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type DataSource, sourceMeta, sourceProgress } from '../shared/api/data-source.ts';
import { ChatbotError } from '../bridge/conversation/errors.ts';
import type { ChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import type { KeyedStore } from '../bridge/conversation/keyed-store.ts';
import type { Log } from '../shared/primitives/log.ts';
import { sleep } from '../shared/primitives/time.ts';

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

/** What newcomers ask first, and the answers of the first chatbot. */
const firstQuestions: readonly { question: string; answer: string }[] = [
  {
    question: 'What is Causeway?',
    answer: `Causeway is a chatbot for Slack and Discord. It answers questions from your own documents and web pages, in the threads where people already work, and lists the sources of each answer.`,
  },
  {
    question: 'What is this?',
    answer: `This is Causeway, a chatbot for Slack and Discord that answers questions from your own documents and web pages. Without tokens, it runs in a simulated workspace, where you can try everything: ask a question, add a file, and ask about it.`,
  },
  {
    question: 'Who are you?',
    answer: `I’m Causeway, a chatbot. I answer questions from the documents and web pages that I’ve been taught, and I list my sources below each answer. I’m not a person: if I don’t find an answer, I say so.`,
  },
  {
    question: 'What can you do?',
    answer: `I answer questions in channels, threads and direct messages, and I list the sources of each answer. You can:

- ask me a question: mention me, or write to me directly
- ask further in the thread of an answer
- teach me something new: files with \`/source upload\`, web pages with \`/source url\`
- see every command with \`/help\`

In Slack, \`/causeway\` comes first, as in \`/causeway source upload\`.`,
  },
  {
    question: 'How can you help me?',
    answer: `Ask me anything that my sources cover, and I’ll answer with the passages I found it in. Teach me your own documents with \`/source upload\` (in Slack \`/causeway source upload\`), and I’ll answer from them too. \`/help\` lists all commands.`,
  },
  {
    question: 'Which files can I add?',
    answer: `PDF, Word (.docx), Excel (.xlsx), PowerPoint (.pptx), OpenDocument, EPUB, RTF, HTML, Markdown, plain text, CSV, JSON and e-mails (.eml), each up to 25 MB unless the operator has set another limit. Scanned pages need text recognition (OCR) first.`,
  },
];
