import { messagesFor } from '../../messages/messages.ts';
import type { Say } from './announcements.ts';
import type { PersonRequest, TellContacts } from './notices.ts';
import { handOverId, isWithPeople } from './record.ts';
import type { HandOverRecords } from './records.ts';
import type { Log } from '../ports.ts';
import { createQueue } from '../../primitives/queue.ts';

/** Tells people that somebody asks for a person, and that somebody where nobody was told. */
export interface Telling {
  /** Begins to tell. It takes its time, which the thread does not wait for. */
  begin(request: PersonRequest): void;
  /** Resolves once nobody is being told anything. */
  idle(): Promise<void>;
}

export function createTelling(options: {
  tellContacts: TellContacts;
  say: Say;
  records: HandOverRecords;
  now: () => number;
  log: Log;
}): Telling {
  const { tellContacts, say, records, now, log } = options;
  const queue = createQueue();

  /** Whoever waits in vain is told so, unless somebody came or it has ended meanwhile. */
  async function tell(request: PersonRequest, id: string): Promise<void> {
    const told = await tellContacts(request);
    if (told === 'now') return;
    await records.inOrder(id, async () => {
      const record = await records.get(id);
      if (!record || !isWithPeople(record, now()) || record.takenBy) return;
      const { toldBefore, nobodyTold } = messagesFor(request.by.locale).handOver;
      const why = told === 'before' ? toldBefore : nobodyTold;
      await say(request.thread, why);
    });
  }

  return {
    begin(request) {
      const { address } = request.thread;
      const id = handOverId(address);
      queue
        .run(id, () => tell(request, id))
        .catch((error: unknown) =>
          log.error(
            { err: error, thread: address },
            'a thread could not be told that nobody was notified',
          ),
        );
    },
    idle: () => queue.idle(),
  };
}
