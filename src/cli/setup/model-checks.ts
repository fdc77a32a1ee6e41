import type { EmbeddedChatbot } from '../../config/chatbot.ts';
import { AnswerError } from '../../service/model/answer-errors.ts';
import { createLanguageModel } from '../../service/model/language-model.ts';
import { createEmbedder } from '../../service/retrieval/embedder.ts';
import { EmbeddingError } from '../../service/retrieval/embedding-response.ts';
import { sleep } from '../../shared/primitives/time.ts';
import { type ProblemCode, ProblemError } from '../../shared/problems/problem.ts';
import { type Check, fault, type Finding, ok, unchecked } from './check.ts';

/** How long a model may take for one word; the first word takes longer while the model loads. */
const modelLimits = { firstTextMs: 30_000, textMs: 10_000 };

/** Longer than `modelLimits`, so that the model's own error, which says what is wrong, comes first. */
const modelCheckMs = 45_000;

/** Max characters shown of what a server said. */
const maxDetail = 300;

/** The model servers of the built-in service, each asked for one word. */
export const modelChecks: readonly Check<EmbeddedChatbot>[] = [
  {
    name: 'Model',
    limitMs: modelCheckMs,
    async run({ llm }) {
      if (!llm) return unchecked('none: answers quote the sources.', 'Set LLM_BASE_URL for one.');
      const seen = createLastWords(llm.apiKey);
      const parts = { log: seen.log, now: Date.now, limits: modelLimits };
      const model = createLanguageModel(llm, parts);
      const { signal } = new AbortController();
      try {
        const messages = [{ role: 'user', content: 'Answer with the word ok.' } as const];
        for await (const _ of model.complete({ messages: [...messages] }, signal)) break;
        const tokens = await model.contextTokens(undefined, signal);
        return ok(`${llm.model} answers${tokens ? `, and reads ${tokens} tokens` : ''}.`);
      } catch (error) {
        if (error instanceof AnswerError) return explain(error, seen);
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
          : explain(new EmbeddingError('embeddings_wrong'), seen);
      } catch (error) {
        if (error instanceof EmbeddingError) return explain(error, seen);
        throw error;
      }
    },
  },
];

/** What is wrong, and what an operator can do: the problem's own sentence is for people who ask. */
const advice: Partial<Record<ProblemCode, { says: string; fix: string }>> = {
  model_key_refused: {
    says: 'the server refuses the key.',
    fix: 'Set LLM_API_KEY to a valid one.',
  },
  model_no_credit: {
    says: 'the account of this key has no credit left.',
    fix: 'Top it up, or set LLM_API_KEY to the key of another.',
  },
  model_unknown: {
    says: 'the server has no such model.',
    fix: 'Set LLM_MODEL to a model that the server lists.',
  },
  model_address_wrong: {
    says: 'the server answers, but not at this address.',
    fix: 'Set LLM_BASE_URL to its API, which ends in /v1 with most servers.',
  },
  model_redirected: {
    says: 'the server has moved.',
    fix: 'Set LLM_BASE_URL to its new address.',
  },
  model_not_there: {
    says: 'what answers at LLM_BASE_URL is not a model server.',
    fix: 'Set LLM_BASE_URL to the API of one, which ends in /v1 with most servers.',
  },
  model_busy: {
    says: 'the server is overloaded, or this key may ask no more for now.',
    fix: 'Run npm run doctor again in a minute.',
  },
  model_overfilled: {
    says: 'even a short question is too long for it.',
    fix: 'Give the model a larger context at its server.',
  },
  model_failed: {
    says: 'the server fails.',
    fix: 'Read its log. If it has just started, the model may still be loading.',
  },
  model_refused: {
    says: 'the server does not accept the request.',
    fix: 'Compare its words with docs/models.md.',
  },
  model_filtered: {
    says: 'the content filter of its provider stops even a harmless question.',
    fix: 'Change the filter there.',
  },
  model_no_room: {
    says: 'it reaches its maximum length before it answers.',
    fix: 'Raise LLM_MAX_TOKENS, or leave it empty.',
  },
  model_gave_nothing: {
    says: 'it returns an empty answer.',
    fix: 'Set LLM_MODEL to a model for chats.',
  },
  model_too_slow: {
    says: 'it sends nothing within half a minute.',
    fix: 'If it was still loading, run npm run doctor again. If not, use a smaller model or a faster server.',
  },
  model_unreachable: {
    says: 'nothing can be reached at LLM_BASE_URL.',
    fix: 'Start the model server, and check the address, the network and the proxy.',
  },
  model_broke_off: {
    says: 'the connection breaks off during an answer.',
    fix: 'Read the log of the server, and of any proxy in between.',
  },
  embeddings_refused: {
    says: 'the server refuses even a single word.',
    fix: 'Check EMBEDDINGS_BASE_URL, EMBEDDINGS_API_KEY and EMBEDDINGS_MODEL.',
  },
  embeddings_unreachable: {
    says: 'nothing can be reached at EMBEDDINGS_BASE_URL, or the connection breaks off.',
    fix: 'Start the server, and check the address, the network and the proxy.',
  },
  embeddings_wrong: {
    says: 'what the server sends is not one vector for each text.',
    fix: 'Set EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL to a server and a model for embeddings.',
  },
};

function explain({ problem, message }: ProblemError, { words }: LastWords): Finding {
  const { says, fix } = advice[problem.code] ?? { says: message, fix: undefined };
  const said = words();
  return fault(said ? `${says} It said: “${said}”.` : says, fix);
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
      // The sentence of a problem is for people who ask; its cause has the words.
      const { err } = fields;
      const cause = err instanceof ProblemError ? err.cause : err;
      last = cause instanceof Error ? cause.message : '';
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
