/** What an agent is about in a thread; `processing` shows people a button to stop it. */
export type SessionStatus = 'active' | 'processing' | 'suspended' | 'closed';

/** The app's session with one thread. */
export interface Session {
  status: SessionStatus;
  title?: string;
}
