import type { Session } from '../../../shared/api/session.ts';
import type { ConversationAction } from '../../conversation/access.ts';
import type { ThreadAddress } from '../../conversation/ports.ts';
import { type Action, type ActionContext, defineAction } from '../command.ts';
import { chooseSession, sessionOption } from './choose-session.ts';

function steering(
  name: 'stop' | 'retry' | 'resume',
  done: 'stopped' | 'retried' | 'resumed',
): Action {
  return defineAction({
    description: `session ${name}`,
    shownTo: 'private',
    changes: true,
    options: { session: sessionOption },
    async *run(context, { session }) {
      const { texts, requester, locale } = context;
      const found = await findThread(context, session, name);
      if ('problem' in found) {
        yield found.problem;
        return;
      }
      const problem = await context.threads[name](found.at, { ...requester, locale });
      yield problem ?? texts.session[done];
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

export const stop = steering('stop', 'stopped');

export const retry = steering('retry', 'retried');

export const resume = steering('resume', 'resumed');
