import type { Hit } from '../retrieval/retrieve.ts';
import { tokenize } from '../retrieval/tokenize.ts';
import type { AgentRecord } from '../store/agent-store.ts';
import { AnswerError } from './answer-error.ts';
import type { AskedQuestion } from './asked-question.ts';

/** An agent that may answer, and what its sources hold. */
export interface ChosenAgent {
  agent: AgentRecord;
  hits: Hit[];
  /** Comparable among the agents of one question only. */
  fit: number;
}

/** A pre-canned message is given only where its agent's words hold so much of the question. */
const minPreCannedShare = 0.5;

/** An agent of few sources is preferred to one of all, where both hold the answer. */
const specialistShare = 0.05;

/**
 * The enabled agents that may answer the question, the one that fits best first: by how much of it
 * its sources cover and its name and description mention, by its bias, and by its stickness where
 * it answered last. A pre-canned agent has no sources: what it says and is said to be for counts in
 * their place.
 * @throws {AnswerError} when there is none
 */
export function rankAgents(
  agents: readonly AgentRecord[],
  question: AskedQuestion,
  retrieve: (agent: AgentRecord) => Hit[],
): [ChosenAgent, ...ChosenAgent[]] {
  const enabled = agents.filter((agent) => agent.enabled);
  const retrieved = enabled
    .filter(({ type }) => type === 'user-facing')
    .map((agent) => ({ agent, hits: retrieve(agent) }));
  const words = toWords(question.query, retrieved.flatMap(({ hits }) => hits.slice(0, 1))[0]);
  const lastAgent = question.history.at(-1)?.meta.agent?.uuid;
  const lean = ({ uuid, settings: { bias, stickness } }: AgentRecord) =>
    (bias + (uuid === lastAgent ? stickness : 0)) / 100;

  const userFacing = retrieved.map(({ agent, hits }): ChosenAgent => {
    const coverage = toCoverage(hits) * (agent.useAllSources ? 1 : 1 + specialistShare);
    return { agent, hits, fit: coverage + share(words, toDescription(agent)) + lean(agent) };
  });
  const preCanned = enabled.filter(isPreCanned).flatMap((agent): ChosenAgent[] => {
    const description = toDescription(agent);
    const held = share(words, `${description}\n${agent.settings.default_message}`);
    if (held < minPreCannedShare) return [];
    return [{ agent, hits: [], fit: held + share(words, description) + lean(agent) }];
  });
  const [first, ...others] = [...userFacing, ...preCanned].sort(
    (one, other) => other.fit - one.fit,
  );
  if (first === undefined) {
    throw new AnswerError(
      'None of this chatbot’s agents is switched on to answer. Enable a user-facing agent, then ask again.',
    );
  }
  return [first, ...others];
}

function isPreCanned({ type, settings }: AgentRecord): boolean {
  return type === 'pre-canned' && settings.default_message.trim() !== '';
}

/** The question's words with what they weigh among the passages; alike where nothing is known. */
function toWords(query: string, hit: Hit | undefined): Map<string, number> {
  return new Map(tokenize(query).map((token) => [token, hit?.weights.get(token) ?? 1]));
}

/** 0 to 1. */
function toCoverage(hits: readonly Hit[]): number {
  return Math.max(0, ...hits.map(({ coverage }) => coverage));
}

function toDescription({ name, settings }: AgentRecord): string {
  return `${name}\n${settings.description}`;
}

/** How much of the words' weight the text holds: 0 to 1. */
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
