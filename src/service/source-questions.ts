import { sourceProgress } from '../shared/api/data-source.ts';
import type { Access } from './access.ts';
import { answerFromPassages } from './answer/extractive.ts';
import type { Ranker } from './answer/ranker.ts';
import { suggestQuestions } from './answer/suggested-questions.ts';
import type { EmbedQuery } from './retrieval/embedder.ts';
import type { Store } from './store/store.ts';

/** What a source can be asked. */
export interface SourceQuestions {
  /**
   * Up to three questions that the chatbot answers from the source; none while it is not ready.
   * @throws {HttpError} 404
   */
  list(owner: string, uuid: string, signal: AbortSignal): Promise<string[]>;
}

const maxQuestions = 3;
/** Of a long source, the first ones are enough. */
const maxPassages = 100;
const maxTried = 12;

/** Questions are made without a model, and each is tried before it is given. */
export function createSourceQuestions(parts: {
  store: Pick<Store, 'passages'>;
  access: Access;
  ranker: Ranker;
  embedQuery: EmbedQuery;
}): SourceQuestions {
  const { store, access, ranker, embedQuery } = parts;

  return {
    async list(owner, uuid, signal) {
      const { chatbot, status } = await access.source(owner, uuid);
      if (sourceProgress(status) !== 'ready') return [];

      /** Whether the answer begins with what the source says. */
      const isAnswered = async (query: string): Promise<boolean> => {
        const embedded = await embedQuery({ query }, signal);
        const asked = { query, embedded, chatbot, owner, documents: [] };
        const { agent, hits } = await ranker.rank(asked);
        if (agent?.type !== 'user-facing') return false;
        const { citations } = answerFromPassages(query, hits, { showCitations: true });
        return Object.values(citations)[0]?.data_source_uuid === uuid;
      };

      const questions: string[] = [];
      const version = await store.passages.liveVersion(uuid);
      if (version === undefined) return [];
      const suggested = suggestQuestions(await store.passages.listFrom(version, 0, maxPassages));
      for (const question of suggested.slice(0, maxTried)) {
        if (questions.length === maxQuestions) break;
        signal.throwIfAborted();
        if (await isAnswered(question)) questions.push(question);
      }
      return questions;
    },
  };
}
