import type { Session } from '../../../shared/api/session.ts';
import type { ConversationAction } from '../../conversation/access.ts';
import type { ThreadAddress } from '../../conversation/address.ts';
import { explainError } from '../../conversation/errors.ts';
import type { Forgotten } from '../../conversation/forgetting.ts';
import { NotAskedError } from '../../conversation/questions.ts';
import {
  type Action,
  type ActionContext,
  type Command,
  defineAction,
  type Outcome,
} from '../command.ts';
import { askToConfirm } from '../outcomes.ts';
import { chooseSession, renderTitle, sessionOption } from './choose-session.ts';
import { exportSession, list, show } from './reading.ts';

/**
 * `/session forget`: deletes all that the requester asked, and the answers. Nobody does it for others:
 * the access table says so.
 */
const forgetOwn = defineAction({
  description: 'session forget own',
  shownTo: 'private',
  changes: true,
  needsNoChatbot: true,
  isOwn: true,
  options: {},
  async *run(context) {
    const { forgetting, requester, platform, workspace, signal, confirmed } = context;
    const texts = context.texts.session.forget;
    const person = { id: requester.id, name: requester.name, platform, workspace };
    const questions = await forgetting.count(person);
    if (questions === 0) yield texts.none;
    else if (confirmed) {
      const steps = forgetting.forget(person, signal);
      let step = await steps.next();
      for (; !step.done; step = await steps.next())
        yield texts.doing(step.value.done, step.value.all);
      yield renderForgotten(step.value, context);
    } else {
      yield askToConfirm(context, {
        question: texts.ask(questions),
        label: context.texts.deleteLabel,
      });
    }
  },
});

function renderForgotten(to: Forgotten, { texts: all, slash }: ActionContext): string {
  const { done, left: texts } = all.session.forget;
  const { running, unsupported, unknown, failed, posts, whyFailed, whyPosts } = to.left;
  const lines = [
    running > 0 ? texts.running(running) : [],
    unsupported > 0 ? texts.unsupported(unsupported) : [],
    unknown > 0 ? texts.unknown(unknown) : [],
    failed > 0 ? texts.failed(failed, explainError(whyFailed, all)) : [],
    posts > 0 ? texts.posts(posts, explainError(whyPosts, all)) : [],
  ].flat();
  const deleted = `🗑️ ${done(to.questions, to.answers, to.posts)}`;
  if (lines.length === 0) return deleted;
  const list = lines.map((line) => `- ${line}`).join('\n');
  const again = running + failed + posts > 0 ? `\n\n${texts.again(slash('session forget'))}` : '';
  return `${deleted}\n\n⚠️ ${texts.heading}\n${list}${again}`;
}

const startNew = defineAction({
  description: 'session new',
  shownTo: 'private',
  changes: true,
  options: {
    question: { type: 'text', description: 'session question', maxLength: 2000 },
    forget: { type: 'boolean', description: 'session forget' },
  },
  run: (context, { question, forget = false }) => startSession(context, question, forget),
});

const deleteSession = defineAction({
  description: 'session delete',
  shownTo: 'private',
  changes: true,
  options: { session: sessionOption },
  async run(context, { session }) {
    const { texts, confirmed, signal } = context;
    const chosen = await chooseSession(context, session, 'delete');
    if ('problem' in chosen) return chosen.problem;
    const { uuid, place } = chosen;
    const messages = await context.client.listMessages(uuid, signal);
    const title = await renderTitle(uuid, context);
    if (!confirmed) {
      return askToConfirm(context, {
        question: texts.session.deleteAsk(title, messages.length),
        label: texts.deleteLabel,
        values: { session: uuid },
      });
    }
    await context.client.deleteSession(uuid, signal);
    await context.threads.forget(uuid, place);
    context.changed({ what: { uuid }, before: { messages: messages.length } });
    return `🗑️ ${texts.deleted(title)}`;
  },
});

/**
 * Starts a new session in the thread where it is used, with this question or the next one; elsewhere
 * each question starts its own thread and session. The session so far can still be read by those who
 * could read it, unless it is to be forgotten.
 */
async function startSession(
  context: ActionContext,
  question: string | undefined,
  forget: boolean,
): Promise<string | Outcome> {
  const { client, bindings, threads, texts, thread, confirmed, slash, signal } = context;
  if (!thread) {
    if (question === undefined) return texts.session.askAnew;
    return texts.asked[await context.ask(question)];
  }
  const before = await threads.sessionIn(thread);
  const old =
    forget && before !== undefined ? await chooseSession(context, undefined, 'delete') : undefined;
  if (old && 'problem' in old) return old.problem;
  if (old && !confirmed) {
    const messages = await client.listMessages(old.uuid, signal);
    return askToConfirm(context, {
      question: texts.session.deleteAsk(await renderTitle(old.uuid, context), messages.length),
      label: texts.deleteLabel,
    });
  }
  const chatbot = await bindings.chatbotFor(context);
  const { uuid, takesKeys } = await client.createSession(chatbot, signal);
  await threads.continueWith(thread, { session: uuid, chatbot, takesKeys });
  context.changed({
    what: { uuid },
    ...(before !== undefined && { before: { session: before } }),
    after: { session: uuid },
  });
  if (old) {
    await client.deleteSession(old.uuid, signal);
    await threads.forget(old.uuid, { ...old.place, isCurrent: false });
    context.changed({ what: { uuid: old.uuid } });
  }
  const kept = texts.session.startedAnew(slash('session list'));
  const started = before === undefined || old ? texts.session.started : kept;
  if (question === undefined) return started;
  try {
    return `${started} ${texts.asked[await context.ask(question)]}`;
  } catch (error) {
    if (!(error instanceof NotAskedError)) throw error;
    return `${started}\n\n❌ ${error.message}`;
  }
}

function steering(
  name: 'stop' | 'retry' | 'resume',
  done: 'stopped' | 'retried' | 'resumed',
): Action {
  return defineAction({
    description: `session ${name}`,
    shownTo: 'private',
    changes: true,
    options: { session: sessionOption },
    async run(context, { session }) {
      const { texts, requester, locale } = context;
      const found = await findThread(context, session, name);
      if ('problem' in found) return found.problem;
      const problem = await context.threads[name](found.at, { ...requester, locale });
      return problem ?? texts.session[done];
    },
  });
}

/** The thread of the named session, or else the one where the command was used. */
async function findThread(
  context: ActionContext,
  named: Session | undefined,
  action: ConversationAction,
): Promise<{ at: ThreadAddress } | { problem: string }> {
  const { thread, texts } = context;
  // A thread may be streaming its first reply, or be handed over, before it has a session.
  if (thread && !named) return { at: thread };
  const chosen = await chooseSession(context, named, action === 'stop' ? 'show' : action);
  if ('problem' in chosen) return chosen;
  const { address, isCurrent } = chosen.place;
  return isCurrent ? { at: address } : { problem: texts.session.notOurs };
}

const stop = steering('stop', 'stopped');

const retry = steering('retry', 'retried');

const resume = steering('resume', 'resumed');

/** `/session`: conversations with the chatbot. */
export const session: Command = {
  name: 'session',
  description: 'session',
  actions: {
    new: startNew,
    list,
    show,
    export: exportSession,
    stop,
    retry,
    resume,
    delete: deleteSession,
    forget: forgetOwn,
  },
};
