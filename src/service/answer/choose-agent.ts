import type { Hit } from '../retrieval/retrieve.ts';
import { tokenizeQuery } from '../retrieval/query-weights.ts';
import { tokenize } from '../retrieval/tokenize.ts';
import type { AgentRecord } from '../store/agent-store.ts';

/** An agent that could answer, and the passages found in its sources. */
export interface ChosenAgent {
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
export function rankAgents(
  enabled: readonly AgentRecord[],
  found: readonly { agent: AgentRecord; hits: Hit[] }[],
  { query, lastAgent }: { query: string; lastAgent?: string },
): ChosenAgent[] {
  const words = toWords(query, found.flatMap(({ hits }) => hits.slice(0, 1))[0]);
  const lean = ({ uuid, settings: { bias, stickness } }: AgentRecord) =>
    (bias + (uuid === lastAgent ? stickness : 0)) / 100;

  const userFacing = found.map(({ agent, hits }): ChosenAgent => {
    const coverage = toCoverage(hits) * (agent.useAllSources ? 1 : 1 + specialistShare);
    return { agent, hits, fit: coverage + share(words, toDescription(agent)) + lean(agent) };
  });
  const preCanned = enabled.filter(isPreCanned).flatMap((agent): ChosenAgent[] => {
    const description = toDescription(agent);
    const held = share(words, `${description}\n${agent.settings.default_message}`);
    if (held < minPreCannedShare) return [];
    return [{ agent, hits: [], fit: held + share(words, description) + lean(agent) }];
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

/** The share of the words' weight that the text contains, between 0 and 1. */
function share(words: ReadonlyMap<string, number>, text: string): number {
  const held = new Set(tokenize(text));
  let total = 0;
  let found = 0;
  for (const [word, weight] of words) {
    total += weight;
    if (held.has(word)) found += weight;
  }
  return total === 0 ? 0 : found / total;
}
