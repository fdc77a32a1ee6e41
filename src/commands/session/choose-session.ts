import type { Session } from '../../api/session.ts';
import type { ThreadAddress } from '../../conversation/ports.ts';
import type { ActionContext } from '../command.ts';

/** Names a session; that of the thread is meant where none is named. */
export const sessionOption = {
  type: 'reference',
  to: 'session',
  description: 'session name or here',
} as const;

/** A session that may be seen, and the thread that continues it, where one does. */
interface ChosenSession {
  uuid: string;
  at?: ThreadAddress;
}

/**
 * The session that was named, or else the thread's, or why there is none to be seen. One chatbot may
 * serve several workspaces: what is said in another is nobody's here, its managers' neither.
 */
export async function chooseSession(
  context: ActionContext,
  named: Session | undefined,
): Promise<ChosenSession | { problem: string }> {
  const { threads, texts, thread, slash, platform, workspace, channel, isManager } = context;
  const uuid = named?.uuid ?? (thread && (await threads.sessionIn(thread)));
  if (uuid === undefined) return { problem: texts.session.noneHere(slash('session list')) };
  const at = (await threads.threadsBySession()).get(uuid);
  if (!at) return isManager ? { uuid } : { problem: texts.session.elsewhere };
  const isOfWorkspace = at.platform === platform && at.workspace === workspace;
  const maySee = isOfWorkspace && (isManager || at.channel === channel);
  return maySee ? { uuid, at } : { problem: texts.session.elsewhere };
}
