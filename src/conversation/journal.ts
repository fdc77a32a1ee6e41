import { messageKey } from './address.ts';
import type { IncomingMessage, KeyedStore, ThreadAddress } from './ports.ts';

/** A turn that has begun, as far as it must be known after a crash. */
export interface JournalEntry {
  address: ThreadAddress;
  messageId: string;
  query: string;
  session?: string;
  /** The ids of the messages that the reply stands in, in order. */
  posted: string[];
}

/** The turns not yet finished. */
export interface Journal {
  open(message: IncomingMessage): Promise<JournalRecord>;
  /** What an earlier run left unfinished. */
  unfinished(): AsyncIterable<[string, JournalEntry]>;
  close(key: string): Promise<void>;
}

/** One turn's page in the journal. */
export interface JournalRecord {
  update(change: Partial<Pick<JournalEntry, 'session' | 'posted'>>): Promise<void>;
  close(): Promise<void>;
}

export function createJournal(store: KeyedStore<JournalEntry>): Journal {
  async function open(message: IncomingMessage): Promise<JournalRecord> {
    const key = messageKey(message);
    let entry: JournalEntry = {
      address: message.thread.address,
      messageId: message.id,
      query: message.text,
      posted: [],
    };
    await store.set(key, entry);
    return {
      async update(change) {
        entry = { ...entry, ...change };
        await store.set(key, entry);
      },
      close: () => close(key),
    };
  }

  async function close(key: string): Promise<void> {
    await store.delete(key);
  }

  return { open, close, unfinished: () => store.entries() };
}
