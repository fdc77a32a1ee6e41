import type { EmbeddedChatbot } from '../../config/chatbot.ts';
import { sleep } from '../../shared/primitives/sleep.ts';
import { AnswerError } from '../../service/answer/answer-errors.ts';
import { createLanguageModel } from '../../service/answer/language-model.ts';
import { createEmbedder } from '../../service/retrieval/embedder.ts';
import { EmbeddingError } from '../../service/retrieval/embedding-response.ts';
import { createStartTimer } from '../../service/start-timer.ts';
import { type Check, fault, type Finding, ok, unchecked } from './check.ts';

/** How long a model may take over one word; one that has yet to be loaded takes longer. */
const limits = { firstTextMs: 30_000, textMs: 10_000 };

/** Longer than the model itself may take, which says what is wrong. */
const checkLimitMs = 45_000;

/** What a server said of a request, as far as it is shown. */
const maxDetail = 300;

/** The servers of the built-in service, each asked for one word. */
export const modelChecks: readonly Check<EmbeddedChatbot>[] = [
  {
    name: 'Model',
    limitMs: checkLimitMs,
    async run({ llm }) {
      if (!llm) return unchecked('none: answers quote the sources.', 'Set LLM_BASE_URL for one.');
      const seen = createLastWords(llm.apiKey);
      const startTimer = createStartTimer();
      const parts = { log: seen.log, now: Date.now, sleep, startTimer, limits };
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
    limitMs: checkLimitMs,
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

/** A log that keeps what a server said last, without the key. */
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
