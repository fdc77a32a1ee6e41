import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRetriever, type Hit } from '../retrieval/retrieve.ts';
import { createSearch, type SearchedQuery } from '../retrieval/search.ts';
import type { AgentRecord } from '../store/agent-store.ts';
import type { Store } from '../store/store.ts';
import { toScope } from './agent-scope.ts';
import { rankAgents } from './choose-agent.ts';
import { createDocumentSearch } from './document-search.ts';

/** A question, as far as ranking needs it. */
export interface RankedQuestion extends SearchedQuery {
  chatbot: string;
  owner: string;
  /** The agent that answered last. */
  lastAgent?: string;
  /** Uuids of the session documents that are searched too. */
  documents: string[];
}

/** What fits a question. */
export interface Ranked {
  /** The agents that can answer, best first. */
  agents: { uuid: string; name: string; fit: number }[];
  /** The best one; undefined if there is none. */
  agent?: AgentRecord;
  /** What it finds in its sources, best first. */
  hits: Hit[];
  /** What is found in the session documents, best first. */
  documentHits: Hit[];
}

/** Finds the agent and the passages for a question. */
export interface Ranker {
  rank(question: RankedQuestion): Promise<Ranked>;
}

export type RankerStore = Pick<Store, 'agents' | 'tags' | 'documents'> & {
  passages: Pick<Store['passages'], 'search' | 'frequencies' | 'candidates' | 'get'>;
  vectors: Pick<Store['vectors'], 'search' | 'rank'>;
};

const maxHits = 10;
const maxNamedAgents = 10;

/** Other events get their turn after each agent, and while documents are read. */
export function createRanker(store: RankerStore): Ranker {
  const search = createSearch({
    vectors: store.vectors,
    retriever: createRetriever(store.passages),
  });
  const documents = createDocumentSearch(store.documents);

  return {
    async rank(question) {
      const hitsOf = search.begin(question);
      const enabled = store.agents.list(question.chatbot).filter((agent) => agent.enabled);
      const found: { agent: AgentRecord; hits: Hit[] }[] = [];
      for (const agent of enabled.filter(({ type }) => type === 'user-facing')) {
        if (found.length > 0) await nextTurn();
        found.push({ agent, hits: hitsOf(toScope(agent, store.tags), maxHits) });
      }
      const ranked = rankAgents(enabled, found, question);
      return {
        agent: ranked[0]?.agent,
        agents: ranked
          .slice(0, maxNamedAgents)
          .map(({ agent: { uuid, name }, fit }) => ({ uuid, name, fit })),
        hits: ranked[0]?.hits ?? [],
        documentHits: await documents.search(question, maxHits),
      };
    },
  };
}
