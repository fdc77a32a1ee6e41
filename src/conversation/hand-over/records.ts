import { handOverId, type HandOverRecord, isWithPeople, remember, rephrase } from './record.ts';
import type { IncomingMessage, KeyedStore, ThreadAddress } from '../ports.ts';
import { createQueue } from '../../primitives/queue.ts';
import { turnId } from '../turns.ts';

/** The hand-overs in the store. What happens to one of them happens one after another. */
export interface HandOverRecords {
  /** Does something with a hand-over, by its id, after what was begun before. */
  inOrder<Result>(id: string, task: () => Promise<Result>): Promise<Result>;
  /** Whether something is being done with a hand-over. */
  isBusy(id: string): boolean;
  get(id: string): Promise<HandOverRecord | undefined>;
  save(record: HandOverRecord): Promise<void>;
  /** Saves a hand-over with something that was said among people. */
  note(record: HandOverRecord, message: IncomingMessage): Promise<void>;
  /** Keeps what a message, by its `turnId`, says now of what was said; nothing of an empty text. */
  correct(message: string, text: string): Promise<void>;
  /** Forgets a thread's hand-over, unless people have it. */
  forget(thread: ThreadAddress): Promise<void>;
  /** Resolves once nothing is being done. */
  idle(): Promise<void>;
}

/** After this time nothing is left of a hand-over, its button included. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

export function createHandOverRecords(options: {
  store: KeyedStore<HandOverRecord>;
  /** The hand-overs that messages were said in: a deletion does not tell its thread. */
  saidIn: KeyedStore<string>;
  now: () => number;
}): HandOverRecords {
  const { store, saidIn, now } = options;
  const order = createQueue();

  async function save(record: HandOverRecord): Promise<void> {
    await store.set(handOverId(record.address), record, keptMs);
  }

  return {
    inOrder: (id, task) => order.run(id, task),
    isBusy: (id) => order.length(id) > 0,
    get: (id) => store.get(id),
    save,
    async note(record, message) {
      const { author, text } = message;
      const id = turnId(message);
      await saidIn.set(id, handOverId(record.address), keptMs);
      const said = remember(record.said, { id, name: author.name, text });
      await save({ ...record, saidAt: now(), said });
    },
    async correct(message, text) {
      const id = await saidIn.get(message);
      if (id === undefined) return;
      await order.run(id, async () => {
        const record = await store.get(id);
        if (record) await save({ ...record, said: rephrase(record.said, message, text) });
      });
    },
    forget: (thread) =>
      order.run(handOverId(thread), async () => {
        const record = await store.get(handOverId(thread));
        if (record && !isWithPeople(record, now())) await store.delete(handOverId(thread));
      }),
    idle: () => order.idle(),
  };
}
