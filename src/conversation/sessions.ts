import { addressKey, parseAddressKey } from './address.ts';
import { ChatbotError } from './chatbot-error.ts';
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

/** A session to ask in. */
export interface OpenSession extends SessionRecord {
  /** The chatbot that had been chosen here was deleted at the service: the usual one answers again. */
  usesFallback?: true;
}

/** Which session a thread continues. Rejects where the store is down: that is never "no session". */
export interface Sessions {
  find(address: ThreadAddress): Promise<SessionRecord | undefined>;
  /** The thread's session, created where there is none yet. Called by one turn of a thread at a time. */
  findOrCreate(address: ThreadAddress, signal: AbortSignal): Promise<OpenSession>;
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

  async function findOrCreate(address: ThreadAddress, signal: AbortSignal): Promise<OpenSession> {
    const known = await store.get(addressKey(address));
    if (known) return known;
    const chosen = await bindings.chatbotFor(address);
    try {
      return await create(address, chosen, signal);
    } catch (error) {
      const isGone = error instanceof ChatbotError && error.kind === 'not_found';
      if (!isGone || (await bindings.release(chosen)) === 0) throw error;
    }
    const usual = await bindings.chatbotFor(address);
    return { ...(await create(address, usual, signal)), usesFallback: true };
  }

  async function create(
    address: ThreadAddress,
    uuid: string,
    signal: AbortSignal,
  ): Promise<SessionRecord> {
    const session = await chatbot.createSession(uuid, signal);
    const record = { session, chatbot: uuid, createdAt: new Date().toISOString() };
    await store.set(addressKey(address), record);
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
