import { messagesFor } from '../messages/messages.ts';
import { renderPassages } from './reply/citations.ts';
import type { HandOver } from './hand-over/hand-over.ts';
import type { Author, ButtonPress, Reports, Thread, ThreadAddress } from './ports.ts';
import type { TurnStore } from './turns/turn-store.ts';
import { createQueue } from '../primitives/queue.ts';
import type { RunningTurns } from './turns/running-turns.ts';
import { asTurn, type Feedback, type TurnRecord } from './turns/turn-record.ts';

/**
 * Handles the buttons below a reply. Resolves with Markdown to show only to the person who pressed,
 * or undefined.
 */
export function createButtonActions(options: {
  turns: TurnStore;
  running: RunningTurns;
  /** Resolves when the new reply has ended. */
  askAgain(record: TurnRecord): Promise<void>;
  openThread(address: ThreadAddress): Thread | undefined;
  handOver: HandOver | undefined;
  reports: Reports | undefined;
}): (press: ButtonPress) => Promise<string | undefined> {
  const { turns, running, handOver } = options;
  /** Changes to a turn's feedback run one after another. */
  const changes = createQueue();

  const find = async (id: string) => asTurn(await turns.get(id));

  async function rate(id: string, by: Author, choice: Feedback): Promise<string> {
    const { forgotten, thanks } = messagesFor(by.locale).thread;
    return changes.run(id, async () => {
      const record = await find(id);
      if (!record) return forgotten;
      await turns.update(id, { feedback: { ...record.feedback, [by.id]: choice } });
      options.reports?.rated(record.address.platform, choice);
      return thanks[choice];
    });
  }

  async function retry(id: string, by: Author): Promise<string | undefined> {
    const { thread, handOver: announcements } = messagesFor(by.locale);
    if (running.has(id)) return thread.stillAnswering;
    const record = await find(id);
    if (!record) return thread.forgotten;
    const handedOver = await handOver?.find(record.address);
    if (handedOver && !handedOver.ended) return announcements.alreadyRequested;
    // After a double press, it may have started while the record was read.
    if (running.has(id)) return thread.stillAnswering;
    await options.askAgain(record);
    return undefined;
  }

  async function requestPerson(id: string, by: Author): Promise<string | undefined> {
    const record = await find(id);
    const thread = record && options.openThread(record.address);
    const messages = messagesFor(by.locale);
    if (!thread) return messages.thread.forgotten;
    if (!handOver) return messages.handOver.notOffered;
    const { author, query } = record;
    const others = author.id !== by.id && { onBehalfOf: author };
    return handOver.request({ thread, by, query, ...others });
  }

  async function showPassages(id: string, by: Author): Promise<string> {
    const { forgotten, noPassages } = messagesFor(by.locale).thread;
    const record = await find(id);
    if (!record?.sources) return forgotten;
    return renderPassages(record.sources) || noPassages;
  }

  return async ({ action, turn, by }) => {
    switch (action) {
      case 'stop':
        return running.stop(turn, by);
      case 'retry':
        return retry(turn, by);
      case 'passages':
        return showPassages(turn, by);
      case 'helpful':
      case 'unhelpful':
        return rate(turn, by, action);
      case 'person':
        return requestPerson(turn, by);
      case 'resume':
        return handOver ? handOver.resume(turn, by) : messagesFor(by.locale).handOver.notHandedOver;
    }
  };
}
