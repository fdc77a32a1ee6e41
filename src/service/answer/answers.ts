import { splitContext } from '../../api/query-context.ts';
import type { Hit } from '../retrieval/retrieve.ts';
import type { Search } from '../retrieval/search.ts';
import type { AgentRecord } from '../store/agent-store.ts';
import type { MessageMeta } from '../store/message-store.ts';
import type { Store } from '../store/store.ts';
import { toScope } from './agent-scope.ts';
import type { AnswerOutcome, AskedQuestion } from './asked-question.ts';
import { type ChosenAgent, rankAgents } from './choose-agent.ts';
import { searchDocuments } from './document-search.ts';
import { answerFromPassages } from './extractive.ts';
import { createFence } from './fence.ts';
import type { LanguageModel } from './language-model.ts';
import { answerWithModel } from './model-answer.ts';
import { type Pace, toPaced } from './pace.ts';

export interface Answers {
  /** @throws {AnswerError} here or from the deltas */
  begin(
    question: AskedQuestion,
    signal: AbortSignal,
  ): Promise<{ meta: MessageMeta; deltas: AsyncGenerator<string, AnswerOutcome> }>;
}

/** The model name that agents and messages show when there is no language model. */
export const extractiveModel = 'extractive';

/** The model name for an agent that replies with its fixed message. */
const preCannedModel = 'pre-canned';

const maxHits = 10;
const maxNamedAgents = 10;

/** Without `model`, an answer quotes the best sentences of the passages, at reading speed. */
export function createAnswers(parts: {
  store: Store;
  search: Search;
  model: LanguageModel | undefined;
  pace: Pace;
  /** Of a prompt's fence: another one for each request. */
  createFenceName: () => string;
}): Answers {
  const { store, search, model, pace, createFenceName } = parts;

  const toPace = ({ isWatched }: AskedQuestion): Pace =>
    isWatched ? pace : { ...pace, deltaMs: 0 };

  async function* answerWithSentences(
    question: AskedQuestion,
    hits: Hit[],
    signal: AbortSignal,
  ): AsyncGenerator<string, AnswerOutcome> {
    const { chatbot, query, documents } = question;
    const all = [...searchDocuments(query, documents, maxHits), ...hits];
    const { text, citations } = answerFromPassages(query, all, {
      showCitations: chatbot.showCitations,
    });
    yield* toPaced(text, toPace(question), signal);
    return { finishReason: 'stop', citations };
  }

  async function* answerWithMessage(
    question: AskedQuestion,
    { settings }: AgentRecord,
    signal: AbortSignal,
  ): AsyncGenerator<string, AnswerOutcome> {
    yield* toPaced(settings.default_message, toPace(question), signal);
    return { finishReason: 'stop', citations: {} };
  }

  return {
    async begin(sent, signal) {
      const { chatbot, history } = sent;
      const before = history.at(-1);
      // The model reads what people said before; the search uses only the question.
      const question = { ...sent, query: toAskedText(sent) };
      const earlier = before && toAskedText(before);
      const hitsOf = await search.begin(question.query, earlier, signal);
      const ranked = rankAgents(store.agents.list(chatbot.uuid), question, (agent) =>
        hitsOf(toScope(agent, store.tags), maxHits),
      );
      const [{ agent, hits }] = ranked;
      if (agent.type === 'pre-canned') {
        const meta = toMeta(ranked, preCannedModel);
        return { meta, deltas: answerWithMessage(question, agent, signal) };
      }
      if (model === undefined) {
        const meta = toMeta(ranked, extractiveModel);
        return { meta, deltas: answerWithSentences(question, hits, signal) };
      }
      const meta = toMeta(ranked, agent.settings.model ?? model.defaultModel);
      const fence = createFence(createFenceName());
      const asked = { question: sent, agent, hits, fence };
      return { meta, deltas: answerWithModel(model, asked, signal) };
    },
  };
}

function toAskedText({ query }: { query: string }): string {
  return splitContext(query).query;
}

/** Who answered and, if there was a choice, how well each agent fitted. */
function toMeta(ranked: readonly [ChosenAgent, ...ChosenAgent[]], model: string): MessageMeta {
  const [{ agent }, ...others] = ranked;
  const { uuid, name } = agent;
  if (others.length === 0) return { agent: { uuid, name }, model };
  const agents = ranked.slice(0, maxNamedAgents).map(({ agent, fit }) => ({
    uuid: agent.uuid,
    name: agent.name,
    fit: Math.round(fit * 100) / 100,
  }));
  return { agent: { uuid, name }, agents, model };
}
