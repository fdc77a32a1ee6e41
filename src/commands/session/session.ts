import { type Command, defineAction } from '../command.ts';
import { askToConfirm } from '../confirm.ts';
import { english } from '../../messages/messages.ts';
import { chooseSession, sessionOption } from './choose-session.ts';
import { exportSession, list, show } from './reading.ts';
import { startSession } from './start-session.ts';
import { resume, retry, stop } from './steering.ts';

const says = english.descriptions;

const startNew = defineAction({
  description: says['session new'],
  shownTo: 'private',
  options: {
    question: { type: 'text', description: says['session question'], maxLength: 2000 },
  },
  run: (context, { question }) => startSession(context, question),
});

const deleteSession = defineAction({
  description: says['session delete'],
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

/** `/session`: what was said to the chatbot. */
export const session: Command = {
  name: 'session',
  description: says['session'],
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
