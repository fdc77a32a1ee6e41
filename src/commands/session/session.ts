import { type ActionContext, type Command, defineAction } from '../command.ts';
import { askToConfirm } from '../confirm.ts';
import { chooseSession, sessionOption } from './choose-session.ts';
import { exportSession, list, show } from './reading.ts';
import { resume, retry, stop } from './steering.ts';

const startNew = defineAction({
  description: 'session new',
  shownTo: 'private',
  changes: true,
  options: {
    question: { type: 'text', description: 'session question', maxLength: 2000 },
  },
  run: (context, { question }) => startSession(context, question),
});

const deleteSession = defineAction({
  description: 'session delete',
  shownTo: 'private',
  managersOnly: true,
  options: { session: sessionOption },
  async *run(context, { session }) {
    const { texts, confirmed, signal } = context;
    const chosen = await chooseSession(context, session);
    if ('problem' in chosen) {
      yield chosen.problem;
      return;
    }
    const { uuid, at } = chosen;
    const messages = await context.client.listMessages(uuid, signal);
    if (!confirmed) {
      yield askToConfirm(context, {
        command: 'session',
        action: 'delete',
        question: texts.session.deleteAsk(`\`${uuid}\``, messages.length),
        label: texts.deleteLabel,
        values: { session: uuid },
      });
      return;
    }
    await context.client.deleteSession(uuid, signal);
    if (at) await context.threads.forget(at);
    context.changed({ what: { uuid }, before: { messages: messages.length } });
    yield `🗑️ ${texts.deleted(`\`${uuid}\``)}`;
  },
});

/**
 * Starts a new session in the thread where it is used, with the next question; elsewhere each
 * question starts its own thread and session.
 */
async function* startSession(
  context: ActionContext,
  question: string | undefined,
): AsyncGenerator<string> {
  const { client, bindings, threads, texts, thread, signal } = context;
  if (!thread) {
    if (question === undefined) yield texts.session.askAnew;
    else {
      const where = await context.ask(question);
      yield texts.asked[where];
    }
    return;
  }
  const before = await threads.sessionIn(thread);
  const chatbot = await bindings.chatbotFor(context);
  const { uuid } = await client.createSession(chatbot, signal);
  await threads.continueWith(thread, { uuid, chatbot });
  context.changed({
    what: { uuid },
    ...(before !== undefined && { before: { session: before } }),
    after: { session: uuid },
  });
  yield texts.session.started;
}

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
  },
};
