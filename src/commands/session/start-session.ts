import type { ActionContext } from '../command.ts';

/**
 * Has the thread that it is used in begin anew, with the question asked there next; elsewhere a
 * question opens a thread, which is a session of its own.
 */
export async function* startSession(
  context: ActionContext,
  question: string | undefined,
): AsyncGenerator<string> {
  const { client, bindings, threads, texts, thread, signal } = context;
  if (!thread) {
    if (question === undefined) yield texts.session.askAnew;
    else {
      await context.ask(question);
      yield texts.asked;
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
