import { existsSync } from 'node:fs';
import { serviceDatabase } from '../../app/databases.ts';
import type { FirstChatbot } from '../../app/first-start.ts';
import { createChatbotClient } from '../../bridge/chatbot/chatbot-client.ts';
import { ChatbotError } from '../../bridge/conversation/errors.ts';
import type { StoreReader } from '../../bridge/stores/open-store.ts';
import type { EmbeddedChatbot } from '../../config/chatbot.ts';
import type { Config } from '../../config/config.ts';
import { AnswerError } from '../../service/answer/answer-errors.ts';
import { createLanguageModel } from '../../service/answer/language-model.ts';
import { createEmbedder } from '../../service/retrieval/embedder.ts';
import { EmbeddingError } from '../../service/retrieval/embedding-response.ts';
import { createStartTimer } from '../../service/start-timer.ts';
import { readChatbotName } from '../../service/store/chatbot-store.ts';
import { sleep } from '../../shared/primitives/time.ts';
import { openFile } from '../../shared/stores/open-error.ts';
import { serviceMigrations, type ServiceTables } from '../../service/store/schema.ts';
import { openToRead } from '../../shared/stores/database.ts';
import {
  type Check,
  fault,
  type Finding,
  type Line,
  ok,
  once,
  runChecks,
  Trouble,
  unchecked,
  unreachable,
} from './check.ts';

/** Checks the chatbot service that the configuration names: a hosted one, or the built-in one. */
export async function examineChatbot(
  config: Config,
  store: StoreReader | undefined,
): Promise<Line[]> {
  const { chatbot } = config;
  if (chatbot.kind === 'embedded') {
    return [
      ...(await runChecks(builtInChecks, { config, store })),
      ...(await runChecks(modelChecks, chatbot)),
    ];
  }
  await using client = createChatbotClient({
    baseUrl: chatbot.url,
    apiKey: chatbot.apiKey,
    // Whoever waits for a report soon wants to know whether the service answers.
    timeouts: { connectMs: 5_000, silenceMs: 10_000 },
    retry: { attempts: 2 },
  });
  return await runChecks(hostedChecks, {
    list: once(() => client.listChatbots()),
    chatbot: once(() => client.getChatbot(chatbot.uuid)),
  });
}

/** What is asked of a hosted service, each question once. */
interface HostedQuestions {
  /** Lists chatbots: the address answers, and accepts the key. */
  list(): Promise<unknown>;
  chatbot(): Promise<{ name: string }>;
}

const hostedChecks: readonly Check<HostedQuestions>[] = [
  {
    name: 'Service address',
    variable: 'CHATBOT_API_URL',
    fix: 'Set CHATBOT_API_URL to the address of the service, without /api/v1.',
    async run({ list }) {
      const error = await errorOf(list());
      const kind = error?.kind;
      if (kind === undefined || kind === 'unauthorized') return ok('the service answers.');
      if (kind === 'rate_limited') throw new Trouble('busy', 'the service asks to wait.');
      const isForeign = error?.status === 404 || error?.status === 410;
      if (!isForeign && (kind === 'unavailable' || kind === 'timeout')) {
        throw unreachable('the chatbot service', error);
      }
      throw new Trouble('refused', 'what answers at CHATBOT_API_URL is not a chatbot service.');
    },
  },
  {
    name: 'Service key',
    needs: 'Service address',
    variable: 'CHATBOT_API_KEY',
    fix: 'Create a key at the service, and set CHATBOT_API_KEY to it.',
    async run({ list }) {
      if (!(await errorOf(list()))) return ok('accepted.');
      throw new Trouble('refused', 'the service refuses it.');
    },
  },
  {
    name: 'Chatbot',
    needs: 'Service key',
    variable: 'CHATBOT_UUID',
    fix: 'Set CHATBOT_UUID to the uuid of a chatbot that the key may use.',
    async run({ chatbot }) {
      const kind = (await errorOf(chatbot()))?.kind;
      if (kind === undefined) return ok(`${(await chatbot()).name} answers.`);
      if (kind === 'not_found' || kind === 'unauthorized' || kind === 'invalid') {
        throw new Trouble('refused', 'the service has no such chatbot.');
      }
      throw new Trouble('unreachable', `the service does not return the chatbot (${kind}).`);
    },
  },
];

/** How a call fails; undefined if it doesn't. */
async function errorOf(call: Promise<unknown>): Promise<ChatbotError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof ChatbotError) return error;
    throw error;
  }
}

/** The built-in service may be stopped, so its files are read. */
const builtInChecks: readonly Check<{ config: Config; store?: StoreReader }>[] = [
  {
    name: 'Chatbot',
    variable: 'CHATBOT_UUID',
    fix: 'Leave CHATBOT_UUID empty, or set it to a chatbot that the command “chatbot list” shows.',
    async run({ config, store }) {
      const first = await store?.get<FirstChatbot>('chatbot', 'first');
      const uuid = config.chatbot.uuid ?? first?.uuid;
      const database = serviceDatabase(config.dataDir);
      if (!uuid || !existsSync(database)) {
        return unchecked('not checked: the first start creates it.', 'Run npm start.');
      }
      const name = await openFile(database, async () => {
        await using opened = await openToRead<ServiceTables>(database, serviceMigrations);
        return opened && (await readChatbotName(opened.queries, uuid));
      });
      if (name !== undefined) return ok(`${name} answers, in the built-in service.`);
      if (config.chatbot.uuid) throw new Trouble('refused', 'there is no such chatbot.');
      return fault('it was deleted.', 'Restart Causeway, which creates a new one.');
    },
  },
];

/** How long a model may take for one word; the first word takes longer while the model loads. */
const modelLimits = { firstTextMs: 30_000, textMs: 10_000 };

/** Longer than `modelLimits`, so that the model's own error, which says what is wrong, comes first. */
const modelCheckMs = 45_000;

/** Max characters shown of what a server said. */
const maxDetail = 300;

/** The model servers of the built-in service, each asked for one word. */
const modelChecks: readonly Check<EmbeddedChatbot>[] = [
  {
    name: 'Model',
    limitMs: modelCheckMs,
    async run({ llm }) {
      if (!llm) return unchecked('none: answers quote the sources.', 'Set LLM_BASE_URL for one.');
      const seen = createLastWords(llm.apiKey);
      const startTimer = createStartTimer();
      const parts = { log: seen.log, now: Date.now, sleep, startTimer, limits: modelLimits };
      const model = createLanguageModel(llm, parts);
      const { signal } = new AbortController();
      try {
        const messages = [{ role: 'user', content: 'Answer with the word ok.' } as const];
        for await (const _ of model.complete({ messages: [...messages] }, signal)) break;
        const tokens = await model.contextTokens(undefined, signal);
        return ok(`${llm.model} answers${tokens ? `, and reads ${tokens} tokens` : ''}.`);
      } catch (error) {
        if (error instanceof AnswerError) return explain(error.message, seen);
        throw error;
      }
    },
  },
  {
    name: 'Embeddings',
    limitMs: modelCheckMs,
    async run({ embeddings }) {
      if (!embeddings) {
        const fix = 'Set EMBEDDINGS_BASE_URL to find passages by meaning too.';
        return unchecked('none: search goes by words.', fix);
      }
      const seen = createLastWords(embeddings.apiKey);
      const embedder = createEmbedder(embeddings, { log: seen.log, now: Date.now, sleep });
      try {
        const [vector] = await embedder.embed(['word'], new AbortController().signal);
        return vector
          ? ok(`${embeddings.model} gives vectors of ${vector.length} numbers.`)
          : explain('The embeddings server refuses a single word.', seen);
      } catch (error) {
        if (error instanceof EmbeddingError) return explain(error.message, seen);
        throw error;
      }
    },
  },
];

function explain(sentence: string, { words }: LastWords): Finding {
  const said = words();
  return fault(sentence, said && `It said: ${said}`);
}

type LastWords = ReturnType<typeof createLastWords>;

/** A log that keeps the last words of a server, without the key. */
function createLastWords(secret = '') {
  let last = '';
  const write = (fields: object) => {
    if ('detail' in fields) {
      const { status, detail } = fields as { status?: number; detail: string };
      last = `${status ?? ''} ${detail}`.trim();
    } else if ('err' in fields && fields.err instanceof Error) {
      last = fields.err.message;
    }
  };
  return {
    log: { debug: () => undefined, info: () => undefined, warn: write, error: write },
    words: () => {
      const safe = secret === '' ? last : last.replaceAll(secret, '[key]');
      return safe.replace(/\s+/g, ' ').slice(0, maxDetail).trim();
    },
  };
}
