import { addressKey, parseAddressKey, type ThreadAddress } from './address.ts';
import { ChatbotError, isChatbotError } from './errors.ts';
import type { Bindings } from './bindings.ts';
import type { Chatbot } from './chatbot.ts';
import type { KeyedStore } from './keyed-store.ts';

/** A thread's session at the service, and its chatbot. */
export interface SessionRecord {
  session: string;
  chatbot: string;
  /** Whether its queries may carry a key; undefined if the service was not asked, as before 0.3.0. */
  takesKeys?: boolean;
  /** ISO 8601. */
  createdAt: string;
  /** The id of the thread's last turn. */
  lastTurn?: string;
  /**
   * The id of the session's newest message when that turn ended: empty if there was none, undefined
   * if it is not known.
   */
  lastMessage?: string;
}

/** Where a session is, or was. */
export interface SessionPlace {
  address: ThreadAddress;
  /** Whether the thread still continues it. */
  isCurrent: boolean;
}

/** A session that is ready for a query. */
export interface OpenSession extends SessionRecord {
  /** The service does not know the chatbot chosen here, so another one answers. */
  usesFallback?: true;
}

type Tags = readonly string[];

/**
 * Which session each thread continues. Rejects when the store is down, because that does not mean
 * "no session".
 */
export interface Sessions {
  find(address: ThreadAddress): Promise<SessionRecord | undefined>;
  /**
   * Finds or creates the thread's session. Called by one turn per thread at a time.
   * @param tags ids of the tags of the post that the thread is
   */
  findOrCreate(address: ThreadAddress, signal: AbortSignal, tags?: Tags): Promise<OpenSession>;
  /**
   * Creates a session in place of one that the service no longer knows. While none can be created,
   * the thread keeps the one it has.
   */
  renew(
    address: ThreadAddress,
    gone: string,
    signal: AbortSignal,
    tags?: Tags,
  ): Promise<OpenSession>;
  /** Creates a session that no thread continues, of the chatbot that answers there. */
  openApart(address: ThreadAddress, signal: AbortSignal): Promise<OpenSession>;
  /** Records the thread's last turn and the session's newest message, if it has that session. */
  remember(
    address: ThreadAddress,
    last: { session: string | undefined; turn: string; message: string | undefined },
  ): Promise<void>;
  /** Records whether the session's queries may carry a key, if the thread continues it. */
  noteKeys(address: ThreadAddress, session: string, takesKeys: boolean): Promise<void>;
  /** Makes a thread continue another session from now on. The one before keeps its address. */
  replace(
    address: ThreadAddress,
    session: Pick<SessionRecord, 'session' | 'chatbot' | 'takesKeys'>,
  ): Promise<void>;
  /** The places of all sessions, by session uuid. */
  places(): Promise<Map<string, SessionPlace>>;
  /** Forgets a session that was deleted, and its place. */
  forget(session: string, place: SessionPlace | undefined): Promise<void>;
}

export function createSessions(options: {
  store: KeyedStore<SessionRecord>;
  /** The addresses of sessions that their threads no longer continue, by session uuid. */
  former: KeyedStore<ThreadAddress>;
  chatbot: Chatbot;
  bindings: Pick<Bindings, 'candidatesFor' | 'mayAnswer' | 'note'>;
}): Sessions {
  const { store, former, chatbot, bindings } = options;

  async function findOrCreate(address: ThreadAddress, signal: AbortSignal, tags?: Tags) {
    const known = await store.get(addressKey(address));
    if (known && (await bindings.mayAnswer(address, known.chatbot))) return known;
    return renew(address, known?.session, signal, tags);
  }

  async function renew(
    address: ThreadAddress,
    old: string | undefined,
    signal: AbortSignal,
    tags?: Tags,
  ): Promise<OpenSession> {
    const { usesFallback, ...created } = await create(address, signal, tags);
    if (old !== undefined) await former.set(old, address);
    // Meanwhile, a command may have given the thread another one.
    const { after = created } = await store.update(addressKey(address), (known) =>
      known === undefined || known.session === old ? created : known,
    );
    return usesFallback && after.session === created.session ? { ...after, usesFallback } : after;
  }

  /** Creates a session of the first candidate that the service knows. */
  async function create(
    address: ThreadAddress,
    signal: AbortSignal,
    tags?: Tags,
  ): Promise<OpenSession> {
    let gone: unknown;
    for await (const uuid of bindings.candidatesFor(address, tags)) {
      try {
        const opened = await chatbot.createSession(uuid, signal);
        bindings.note(uuid, 'there');
        const record = { ...opened, chatbot: uuid, createdAt: now(), lastMessage: '' };
        return gone === undefined ? record : { ...record, usesFallback: true };
      } catch (error) {
        if (!isChatbotError(error, 'not_found')) throw error;
        bindings.note(uuid, 'gone');
        gone = error;
      }
    }
    throw new ChatbotError('misconfigured', 'The default chatbot does not exist', { cause: gone });
  }

  return {
    find: (address) => store.get(addressKey(address)),
    findOrCreate,
    renew,
    openApart: create,
    async remember(address, { session, turn, message }) {
      await store.update(addressKey(address), (known) => {
        if (!known) return undefined;
        const lastMessage = known.session === session ? message : known.lastMessage;
        return { ...known, lastTurn: turn, lastMessage };
      });
    },
    async noteKeys(address, session, takesKeys) {
      await store.update(addressKey(address), (known) =>
        known?.session === session ? { ...known, takesKeys } : known,
      );
    },
    async replace(address, continued) {
      const key = addressKey(address);
      const record = { ...continued, createdAt: now() };
      // First, because a crash may come before the next step.
      const known = await store.get(key);
      if (known) await former.set(known.session, address);
      const { before } = await store.update(key, () => record);
      // Meanwhile, a turn may have given the thread another one.
      if (before && before.session !== known?.session) await former.set(before.session, address);
    },
    async places() {
      const found = new Map<string, SessionPlace>();
      for await (const [session, address] of former.entries()) {
        found.set(session, { address, isCurrent: false });
      }
      for await (const [key, { session }] of store.entries()) {
        const address = parseAddressKey(key);
        if (address) found.set(session, { address, isCurrent: true });
      }
      return found;
    },
    async forget(session, place) {
      // By now, the thread may continue another one.
      if (place?.isCurrent) {
        await store.update(addressKey(place.address), (known) =>
          known?.session === session ? undefined : known,
        );
      }
      await former.delete(session);
    },
  };
}

function now(): string {
  return new Date().toISOString();
}
