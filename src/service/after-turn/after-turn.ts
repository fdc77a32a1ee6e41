import { createFence, type Fence } from '../answer/fence.ts';
import { completeWhole, type LanguageModel } from '../answer/language-model.ts';
import { renderTurn, takeRecent, toRoom, type Turn } from '../answer/prompt.ts';
import { isLearnable } from '../answer/variables.ts';
import type { Log } from '../log.ts';
import type { AgentRecord } from '../store/agent-store.ts';
import type { MessageRecord } from '../store/message-store.ts';
import type { SessionRecord } from '../store/session-store.ts';
import type { Store } from '../store/store.ts';
import { findLabelers, parseLabels, toLabelPrompt } from './labels.ts';
import { parseVariables, toVariablesPrompt } from './learn-variables.ts';
import { createWorkQueue } from './work-queue.ts';

/** Work on a turn after its reply has ended; nobody waits for it. */
export interface AfterTurn extends AsyncDisposable {
  begin(message: MessageRecord): void;
  /** Number of tasks still to do for a message. */
  countPending(message: string): number;
  /** Resolves when no task is left. */
  settled(): Promise<void>;
}

const maxTurns = 20;
const tokenBudget = 3000;

/**
 * One model call labels the conversation for all background agents; another reads the variables of
 * the agent that answered. Without a model, nothing is done.
 */
export function createAfterTurn(parts: {
  store: Store;
  model: LanguageModel | undefined;
  createFenceName: () => string;
  log: Log;
}): AfterTurn {
  const { store, model, createFenceName, log } = parts;
  const queue = createWorkQueue(log);
  const pending = new Map<string, number>();

  /** As much of the conversation as the model reads beside its instructions, inside the fence. */
  const readTurns = async (
    { contextTokens }: LanguageModel,
    session: string,
    { named, fence, signal }: { named: string | undefined; fence: Fence; signal: AbortSignal },
  ) => {
    const { tokens = Infinity, count } = toRoom(await contextTokens(named, signal));
    const turns = store.messages.listRecent(session, maxTurns);
    const render = (turn: Turn) => renderTurn(turn, fence);
    return takeRecent(turns, Math.min(tokenBudget, tokens / 2), { render, count }).join('\n\n');
  };

  const label = async (
    model: LanguageModel,
    message: MessageRecord,
    labelers: readonly AgentRecord[],
    signal: AbortSignal,
  ) => {
    const own = labelers.find(({ settings }) => settings.model !== undefined)?.settings.model;
    const fence = createFence(createFenceName());
    const conversation = await readTurns(model, message.session, { named: own, fence, signal });
    const messages = toLabelPrompt(labelers, conversation, fence);
    const answer = await completeWhole(model, { messages, model: own }, signal);
    const labels = parseLabels(answer, labelers);
    if (labels === undefined) {
      log.warn({ message: message.uuid }, 'the model labelled a conversation without JSON');
      return;
    }
    store.messages.setLabels(message.uuid, labels);
  };

  const learn = async (
    model: LanguageModel,
    session: SessionRecord,
    agent: AgentRecord,
    signal: AbortSignal,
  ) => {
    const variables = agent.settings.variables.filter((each) => isLearnable(each, session));
    const named = agent.settings.model;
    const fence = createFence(createFenceName());
    const conversation = await readTurns(model, session.uuid, { named, fence, signal });
    const messages = toVariablesPrompt(variables, conversation, fence);
    const request = { messages, model: named };
    const answer = await completeWhole(model, request, signal);
    store.sessions.learn(session.uuid, parseVariables(answer, variables));
  };

  const add = (message: MessageRecord, work: (signal: AbortSignal) => Promise<void>) => {
    const isAdded = queue.add(message.session, async (signal) => {
      try {
        await work(signal);
      } finally {
        const left = (pending.get(message.uuid) ?? 1) - 1;
        if (left > 0) pending.set(message.uuid, left);
        else pending.delete(message.uuid);
      }
    });
    if (isAdded) pending.set(message.uuid, (pending.get(message.uuid) ?? 0) + 1);
  };

  return {
    begin(message) {
      if (model === undefined || message.errorMessage !== '' || message.response === '') return;
      const session = store.sessions.find(message.session);
      if (session === undefined) return;
      const agents = store.agents.list(session.chatbot);
      const answering = agents.find(({ uuid }) => uuid === message.meta.agent?.uuid);
      if (answering?.settings.variables.some((each) => isLearnable(each, session))) {
        add(message, (signal) => learn(model, session, answering, signal));
      }
      const labelers = findLabelers(agents);
      if (labelers.length > 0) add(message, (signal) => label(model, message, labelers, signal));
    },
    countPending: (message) => pending.get(message) ?? 0,
    settled: queue.settled,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}
