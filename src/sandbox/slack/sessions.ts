import { createLru } from '../../shared/primitives/lru.ts';
import type { Changes } from '../changes.ts';
import type { Session, SessionStatus } from './session.ts';
import type { SlackChange } from './slack-changes.ts';

/** The app's sessions with threads: docs.slack.dev/ai/agent-sessions. */
export interface Sessions {
  /**
   * Sets the status of a thread's session, and starts the session if needed. Its title never
   * changes.
   */
  set(channel: string, thread: string, status: SessionStatus, title?: string): Session;
  find(channel: string, thread: string): Session | undefined;
}

/** Max time a session stays `processing`, in ms. */
const lifetimeMs = 3_600_000;
const maxSessions = 1_000;

/** Sessions are kept in memory, at most a thousand. Every change of status is announced. */
export function createSessions(changes: Changes<SlackChange>, now: () => number): Sessions {
  const sessions = createLru<Session & { since: number }>(maxSessions);
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
      const over = session.status === 'processing' && now() - since >= lifetimeMs;
      return over ? { ...session, status: 'active' } : session;
    },
  };
}
