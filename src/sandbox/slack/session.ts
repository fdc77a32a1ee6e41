/** The status of an agent in a thread; with `processing`, people see a button to stop it. */
export type SessionStatus = 'active' | 'processing' | 'suspended' | 'closed';

/** The app's session with a thread. */
export interface Session {
  status: SessionStatus;
  title?: string;
}
