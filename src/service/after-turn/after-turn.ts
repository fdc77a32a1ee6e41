import type { ChatMessage } from '../model/chat-request.ts';
import { createFence, type Fence } from '../answer/fence.ts';
import { completeWhole, type LanguageModel } from '../model/language-model.ts';
import { renderTurn, takeRecent, toRoom, type Turn } from '../answer/prompt.ts';
import { isLearnable } from '../answer/variables.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { createTasks } from '../../shared/primitives/tasks.ts';
import type { AgentRecord } from '../store/agent-store.ts';
import type { MessageRecord } from '../store/message-store.ts';
import type { SessionRecord } from '../store/session-store.ts';
import type { Store } from '../store/store.ts';
import {
  findLabelers,
  parseLabels,
  parseVariables,
  toLabelPrompt,
  toVariablesPrompt,
} from './prompts.ts';

/** Work on a turn after its reply has ended; nobody waits for it. Disposing aborts what is running. */
export interface AfterTurn extends AsyncDisposable {
  begin(message: MessageRecord): Promise<void>;
  /** Number of tasks still to do for a message, in the process that generated its reply. */
  countPending(message: string): number;
  /** Resolves when no task is left. */
  settled(): Promise<void>;
}

interface Task {
  message: MessageRecord;
  run(signal: AbortSignal): Promise<void>;
}

const concurrency = 4;
/** With more waiting than this, tasks arrive faster than they finish. */
const maxWaiting = 1000;
const maxTurns = 20;
const tokenBudget = 3000;

/**
 * One model call labels the conversation for all background agents; another reads the variables of
 * the agent that answered. A few calls run at once, those of a session one after the other. Without
 * a model, nothing is done.
 */
export function createAfterTurn(parts: {
  store: Store;
  model: LanguageModel | undefined;
  createFenceName: () => string;
  log: Log;
}): AfterTurn {
  const { store, model, createFenceName, log } = parts;
  const waiting: Task[] = [];
  /** The number of tasks still to do, by message. */
  const pending = new Map<string, number>();

  const tasks = createTasks({
    concurrency,
    next(running) {
      const at = waiting.findIndex(({ message }) => !running.has(message.session));
      const [task] = at === -1 ? [] : waiting.splice(at, 1);
      return task && { key: task.message.session, run: (signal) => run(task, signal) };
    },
  });

  const run = async (task: Task, signal: AbortSignal) => {
    const { uuid, session } = task.message;
    try {
      await task.run(signal);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, session }, 'work after a turn failed');
    } finally {
      const left = (pending.get(uuid) ?? 1) - 1;
      if (left > 0) pending.set(uuid, left);
      else pending.delete(uuid);
    }
  };

  const add = (task: Task) => {
    const { uuid, session } = task.message;
    if (waiting.length >= maxWaiting) {
      log.warn({ session }, 'work after a turn was skipped: too much is waiting');
      return;
    }
    pending.set(uuid, (pending.get(uuid) ?? 0) + 1);
    waiting.push(task);
    tasks.wake();
  };

  /** Asks the model about as much of a conversation as it can read beside its instructions. */
  const ask = async (
    model: LanguageModel,
    { turns, named }: { turns: readonly MessageRecord[]; named: string | undefined },
    toPrompt: (conversation: string, fence: Fence) => ChatMessage[],
    signal: AbortSignal,
  ) => {
    const fence = createFence(createFenceName());
    const { tokens = Infinity, count } = toRoom(await model.contextTokens(named, signal));
    const render = (turn: Turn) => renderTurn(turn, fence);
    const recent = takeRecent(turns, Math.min(tokenBudget, tokens / 2), { render, count });
    const messages = toPrompt(recent.join('\n\n'), fence);
    return await completeWhole(model, { messages, model: named }, signal);
  };

  const label = async (
    model: LanguageModel,
    { uuid, session }: MessageRecord,
    labelers: readonly AgentRecord[],
    signal: AbortSignal,
  ) => {
    const named = labelers.find(({ settings }) => settings.model !== undefined)?.settings.model;
    const turns = await store.messages.listRecent(session, maxTurns);
    const toPrompt = (conversation: string, fence: Fence) =>
      toLabelPrompt(labelers, conversation, fence);
    const labels = parseLabels(await ask(model, { turns, named }, toPrompt, signal), labelers);
    if (labels) await store.transaction((tx) => tx.messages.setLabels(uuid, labels));
    else log.warn({ message: uuid }, 'the model’s labels for a conversation were not JSON');
  };

  const learn = async (
    model: LanguageModel,
    session: SessionRecord,
    { settings }: AgentRecord,
    signal: AbortSignal,
  ) => {
    const variables = settings.variables.filter((variable) => isLearnable(variable, session));
    const turns = await store.messages.listRecent(session.uuid, maxTurns);
    if (turns.length === 0) return;
    const asked = { turns, named: settings.model };
    const toPrompt = (conversation: string, fence: Fence) =>
      toVariablesPrompt(variables, conversation, fence);
    const answer = await ask(model, asked, toPrompt, signal);
    const values = parseVariables(answer, variables);
    await store.transaction(async (tx) => {
      // Nothing is learned from a message that was deleted meanwhile.
      if (!(await tx.messages.areThere(turns.map(({ uuid }) => uuid)))) return;
      await tx.sessions.learn(session.uuid, values);
    });
  };

  return {
    async begin(message) {
      if (model === undefined || message.errorMessage !== '' || message.response === '') return;
      const session = await store.sessions.find(message.session);
      if (session === undefined) return;
      const agents = await store.agents.list(session.chatbot);
      const answering = agents.find(({ uuid }) => uuid === message.meta.agent?.uuid);
      if (answering?.settings.variables.some((variable) => isLearnable(variable, session))) {
        add({ message, run: (signal) => learn(model, session, answering, signal) });
      }
      const labelers = findLabelers(agents);
      if (labelers.length > 0) {
        add({ message, run: (signal) => label(model, message, labelers, signal) });
      }
    },
    countPending: (message) => pending.get(message) ?? 0,
    settled: tasks.settled,
    [Symbol.asyncDispose]: () => tasks[Symbol.asyncDispose](),
  };
}
