import { type Command, defineAction } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { askFirst } from '../confirm.ts';
import { english } from '../../messages/messages.ts';
import { chooseSession, sessionOption } from './choose-session.ts';
import { readingActions } from './reading.ts';
import { startSession } from './start-session.ts';
import { steeringActions } from './steering.ts';

const says = english.descriptions;

/** `/session`: what was said to the chatbot. */
export function createSessionCommand(tools: CommandTools): Command {
  const { client, threads } = tools;

  return {
    name: 'session',
    description: says['session'],
    actions: {
      new: defineAction({
        description: says['session new'],
        shownTo: 'private',
        options: {
          question: { type: 'text', description: says['session question'], maxLength: 2000 },
        },
        run: (context, { question }) => startSession(tools, context, question),
      }),
      ...readingActions(tools),
      ...steeringActions(tools),
      delete: defineAction({
        description: says['session delete'],
        shownTo: 'private',
        managersOnly: true,
        options: { session: sessionOption },
        async *run(context, { session }) {
          const { texts, confirmed, signal } = context;
          const chosen = await chooseSession(tools, context, session);
          if ('problem' in chosen) {
            yield chosen.problem;
            return;
          }
          const { uuid, at } = chosen;
          const messages = await client.listMessages(uuid, signal);
          if (!confirmed) {
            yield askFirst(context, {
              command: 'session',
              action: 'delete',
              question: texts.session.deleteAsk(`\`${uuid}\``, messages.length),
              label: texts.deleteLabel,
              values: { session: uuid },
            });
            return;
          }
          await client.deleteSession(uuid, signal);
          if (at) await threads.forget(at);
          context.changed({ what: { uuid }, before: { messages: messages.length } });
          yield `🗑️ ${texts.deleted(`\`${uuid}\``)}`;
        },
      }),
    },
  };
}
