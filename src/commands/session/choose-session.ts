import type { Session } from '../../api/session.ts';
import type { ThreadAddress } from '../../conversation/ports.ts';
import type { ActionContext } from '../command.ts';

/** Names a session; by default the thread's. */
export const sessionOption = {
  type: 'reference',
  to: 'session',
  description: 'session name or here',
} as const;

/** A session that the requester may see, and its thread, if it has one. */
interface ChosenSession {
  uuid: string;
  at?: ThreadAddress;
}

/**
 * Finds the named session, or else the thread's, or says why there is none to show. A chatbot may
 * serve several workspaces: nobody, managers included, may see another workspace's sessions.
 */
export async function chooseSession(
  context: ActionContext,
  named: Session | undefined,
): Promise<ChosenSession | { problem: string }> {
  const { threads, texts, thread, slash, isManager } = context;
  const uuid = named?.uuid ?? (thread && (await threads.sessionIn(thread)));
  if (uuid === undefined) return { problem: texts.session.noneHere(slash('session list')) };
  const at = (await threads.threadsBySession()).get(uuid);
  if (!at) return isManager ? { uuid } : { problem: texts.session.elsewhere };
  return maySee(at, context) ? { uuid, at } : { problem: texts.session.elsewhere };
}

/** Whether the requester may see what is said in a thread. */
export function maySee(at: ThreadAddress, context: ActionContext): boolean {
  const { platform, workspace, channel, isManager } = context;
  const isOfWorkspace = at.platform === platform && at.workspace === workspace;
  return isOfWorkspace && (isManager || at.channel === channel);
}
