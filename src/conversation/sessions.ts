import { addressKey, parseAddressKey } from './address.ts';
import type { Bindings, Chatbot, KeyedStore, ThreadAddress } from './ports.ts';

/** A thread's session at the service, and the chatbot it was opened with. */
export interface SessionRecord {
  session: string;
  chatbot: string;
  /** ISO 8601. */
  createdAt: string;
  /** The id of the thread's last turn. */
  lastTurn?: string;
}

/** Which session a thread continues. Rejects where the store is down: that is never "no session". */
export interface Sessions {
  find(address: ThreadAddress): Promise<SessionRecord | undefined>;
  /** The thread's session, created where there is none yet. Called by one turn of a thread at a time. */
  findOrCreate(address: ThreadAddress, signal: AbortSignal): Promise<SessionRecord>;
  /** Notes the thread's last turn, where the thread has a session. */
  remember(address: ThreadAddress, turn: string): Promise<void>;
  /** Has a thread continue another session from now on. */
  replace(
    address: ThreadAddress,
    session: Pick<SessionRecord, 'session' | 'chatbot'>,
  ): Promise<void>;
  /** The threads that continue sessions, by the sessions. */
  threads(): Promise<Map<string, ThreadAddress>>;
  /** Ends the thread's session here; the service keeps its messages. */
  forget(address: ThreadAddress): Promise<void>;
}

export function createSessions(options: {
  store: KeyedStore<SessionRecord>;
  chatbot: Chatbot;
  bindings: Bindings;
}): Sessions {
  const { store, chatbot, bindings } = options;

  async function findOrCreate(address: ThreadAddress, signal: AbortSignal) {
    const key = addressKey(address);
    const known = await store.get(key);
    if (known) return known;
    const uuid = await bindings.chatbotFor(address);
    const session = await chatbot.createSession(uuid, signal);
    const record = { session, chatbot: uuid, createdAt: new Date().toISOString() };
    await store.set(key, record);
    return record;
  }

  return {
    find: (address) => store.get(addressKey(address)),
    findOrCreate,
    async remember(address, turn) {
      const key = addressKey(address);
      const known = await store.get(key);
      if (known) await store.set(key, { ...known, lastTurn: turn });
    },
    async replace(address, { session, chatbot }) {
      const createdAt = new Date().toISOString();
      await store.set(addressKey(address), { session, chatbot, createdAt });
    },
    async threads() {
      const threads = new Map<string, ThreadAddress>();
      for await (const [key, { session }] of store.entries()) {
        const address = parseAddressKey(key);
        if (address) threads.set(session, address);
      }
      return threads;
    },
    async forget(address) {
      await store.delete(addressKey(address));
    },
  };
}
