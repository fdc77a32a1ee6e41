import { createLru } from '../../shared/primitives/cache.ts';
import type { Changes } from '../changes.ts';
import type { SessionStatus, SlackChange } from './model.ts';

/** The app's session with a thread. */
interface Session {
  status: SessionStatus;
  title?: string;
}

/** What threads show of the app as an agent: docs.slack.dev/ai/agent-sessions. */
export interface AgentSessions {
  /**
   * Sets the status of a thread's session, and starts the session if needed. Its title never
   * changes.
   */
  set(channel: string, thread: string, status: SessionStatus, title?: string): Session;
  find(channel: string, thread: string): Session | undefined;
  /** Sets what the thread shows as "Causeway is thinking…"; an empty status removes it. */
  setStatus(channel: string, thread: string, status: string): void;
  /** What the thread shows; empty if there is nothing. */
  status(channel: string, thread: string): string;
}

/** Max time a session stays `processing`, in ms. */
const processingMs = 3_600_000;
/** Slack removes a status after 2 minutes, or when the app posts. */
const statusMs = 120_000;
const maxThreads = 1_000;

/** Sessions and statuses are kept in memory, at most a thousand of each. Changes are announced. */
export function createAgentSessions(
  changes: Changes<SlackChange>,
  now: () => number,
): AgentSessions {
  const sessions = createLru<Session & { since: number }>(maxThreads);
  const statuses = createLru<{ status: string; expires: number }>(maxThreads);

  function setStatus(channel: string, thread: string, status: string): void {
    const key = `${channel}:${thread}`;
    statuses.delete(key);
    if (status) statuses.set(key, { status, expires: now() + statusMs });
    changes.announce({ kind: 'status', channel, thread, status });
  }

  changes.subscribe((change) => {
    if (change.kind !== 'message' || change.event !== 'posted' || !change.message.bot_id) return;
    const { channel, thread } = change;
    if (thread && statuses.has(`${channel}:${thread}`)) setStatus(channel, thread, '');
  });

  return {
    set(channel, thread, status, title) {
      const key = `${channel}:${thread}`;
      const known = sessions.get(key)?.title ?? title;
      const session: Session = { status, ...(known !== undefined && { title: known }) };
      sessions.set(key, { ...session, since: now() });
      changes.announce({ kind: 'session', channel, thread, status });
      return session;
    },
    find(channel, thread) {
      const found = sessions.get(`${channel}:${thread}`);
      if (!found) return undefined;
      const { since, ...session } = found;
      const over = session.status === 'processing' && now() - since >= processingMs;
      return over ? { ...session, status: 'active' } : session;
    },
    setStatus,
    status(channel, thread) {
      const found = statuses.get(`${channel}:${thread}`);
      return found && found.expires > now() ? found.status : '';
    },
  };
}
