import { toShare } from '../retrieval/bm25.ts';
import { createRetriever, type Hit } from '../retrieval/retrieve.ts';
import { type SearchedQuery, tokenizeQuery } from '../retrieval/search-query.ts';
import { tokenize } from '../retrieval/tokenize.ts';
import type { AgentRecord } from '../store/agent-store.ts';
import type { PassageScope } from '../store/passage-store.ts';
import type { Store } from '../store/store.ts';
import { createDocumentSearch } from './document-search.ts';

/** A question, as far as ranking needs it. */
interface RankedQuestion extends SearchedQuery {
  chatbot: string;
  owner: string;
  /** The agent that answered last. */
  lastAgent?: string;
  /** Uuids of the session documents that are searched too. */
  documents: string[];
  /** Whether a model reads what is found: then more that is relevant counts, not only the very best. */
  isRead?: boolean;
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
  /** Whether the agent has sources at all. */
  hasSources: boolean;
}

/** Finds the agent and the passages for a question. */
export type Rank = (question: RankedQuestion) => Promise<Ranked>;

type RankerStore = Pick<Store, 'agents' | 'tags' | 'documents' | 'passages' | 'index' | 'similar'>;

const maxHits = 10;
const maxNamedAgents = 10;
const maxSimilar = 50;

/** Searches by words, and by meaning too if the query is embedded. */
export function createRank(store: RankerStore): Rank {
  const { similar } = store;
  const retriever = createRetriever(store);
  const searchDocuments = createDocumentSearch(store.documents);

  /** Finds the question's passages in a scope, best first; agents often have the same one. */
  const createFind = ({ query, previousQuery, embedded, isRead }: RankedQuestion) => {
    const known = new Map<string, Hit[]>();
    return async (scope: PassageScope): Promise<Hit[]> => {
      const key = JSON.stringify([scope.sources]);
      const findSimilar =
        embedded &&
        (async (found: readonly number[]) =>
          (await similar.search(embedded, scope, maxSimilar)) ?? similar.rank(embedded, found));
      const options = { previousQuery, limit: maxHits, findSimilar, feedback: isRead };
      const hits = known.get(key) ?? (await retriever.retrieve(query, scope, options));
      known.set(key, hits);
      return hits;
    };
  };

  return async (question) => {
    const find = createFind(question);
    const agents = await store.agents.list(question.chatbot);
    const enabled = agents.filter((agent) => agent.enabled);
    const found: { agent: AgentRecord; hits: Hit[] }[] = [];
    for (const agent of enabled.filter(({ type }) => type === 'user-facing')) {
      found.push({ agent, hits: await find(await toScope(agent, store.tags)) });
    }
    const ranked = rankAgents(enabled, found, question);
    const agent = ranked[0]?.agent;
    return {
      agent,
      agents: ranked
        .slice(0, maxNamedAgents)
        .map(({ agent: { uuid, name }, fit }) => ({ uuid, name, fit })),
      hits: ranked[0]?.hits ?? [],
      documentHits: await searchDocuments(question, maxHits),
      hasSources: agent !== undefined && (await hasSources(store, agent)),
    };
  };
}

async function hasSources(store: RankerStore, agent: AgentRecord): Promise<boolean> {
  const { sources } = await toScope(agent, store.tags);
  if (sources?.length === 0) return false;
  return (await store.index.corpus(agent.chatbot)).sources.length > 0;
}

/** What an agent can see: all sources, or its own and those that have its source tags now. */
async function toScope(
  agent: AgentRecord,
  tags: Pick<Store['tags'], 'listSources'>,
): Promise<PassageScope> {
  const { chatbot, sources, sourceTags } = agent;
  if (agent.useAllSources) return { chatbot };
  const tagged = await tags.listSources(sourceTags);
  return { chatbot, sources: [...new Set([...sources, ...tagged])] };
}

/** An agent that could answer, and the passages found in its sources. */
interface RankedAgent {
  agent: AgentRecord;
  hits: Hit[];
  /** Comparable only among the agents of one question. */
  fit: number;
}

/** A pre-canned message needs at least this share of the question in its agent's words. */
const minPreCannedShare = 0.5;

/** An agent with few sources gets this bonus over one with all sources. */
const specialistShare = 0.05;

/**
 * Ranks the agents that can answer the question, best first: by the share of it that their sources
 * cover and their name and description mention, by bias, and by stickness if they answered last. A
 * pre-canned agent has no sources; its message and description count instead.
 *
 * @param enabled all of them
 * @param found what the user-facing ones of them have found in their sources
 */
function rankAgents(
  enabled: readonly AgentRecord[],
  found: readonly { agent: AgentRecord; hits: Hit[] }[],
  { query, lastAgent }: { query: string; lastAgent?: string },
): RankedAgent[] {
  const words = toWords(query, found.flatMap(({ hits }) => hits.slice(0, 1))[0]);
  const lean = ({ uuid, settings: { bias, stickness } }: AgentRecord) =>
    (bias + (uuid === lastAgent ? stickness : 0)) / 100;

  const userFacing = found.map(({ agent, hits }): RankedAgent => {
    const coverage = toCoverage(hits) * (agent.useAllSources ? 1 : 1 + specialistShare);
    return {
      agent,
      hits,
      fit: coverage + toShare(tokenize(toDescription(agent)), words) + lean(agent),
    };
  });
  const preCanned = enabled.filter(isPreCanned).flatMap((agent): RankedAgent[] => {
    const description = toDescription(agent);
    const held = toShare(tokenize(`${description}\n${agent.settings.default_message}`), words);
    if (held < minPreCannedShare) return [];
    return [{ agent, hits: [], fit: held + toShare(tokenize(description), words) + lean(agent) }];
  });
  return [...userFacing, ...preCanned].toSorted((one, other) => other.fit - one.fit);
}

function isPreCanned({ type, settings }: AgentRecord): boolean {
  return type === 'pre-canned' && settings.default_message.trim() !== '';
}

/**
 * The question's words with their weights among the passages; equal weights if nothing was found.
 */
function toWords(query: string, hit: Hit | undefined): Map<string, number> {
  return new Map(tokenizeQuery(query).map((token) => [token, hit?.weights.get(token) ?? 1]));
}

/** Between 0 and 1. */
function toCoverage(hits: readonly Hit[]): number {
  return Math.max(0, ...hits.map(({ coverage }) => coverage));
}

function toDescription({ name, settings }: AgentRecord): string {
  return `${name}\n${settings.description}`;
}
