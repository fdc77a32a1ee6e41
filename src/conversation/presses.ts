import { renderPassages } from './reply/citations.ts';
import { announcements } from './hand-over/announcements.ts';
import type { HandOver } from './hand-over/hand-over.ts';
import type { Author, ButtonPress, Reports, Thread, ThreadAddress } from './ports.ts';
import { createQueue } from '../primitives/queue.ts';
import type { RunningTurns } from './running-turns.ts';
import type { Feedback, TurnRecord, Turns } from './turns.ts';

const forgotten = 'This answer is too old: I no longer know what it was about.';
const underWay = 'I’m still answering that. Stop it first, or wait until it is done.';
const thanks: Record<Feedback, string> = {
  helpful: 'Thank you! I’ve noted that this answer was helpful.',
  unhelpful: 'Thank you. I’ve noted that this answer was not helpful.',
};

/**
 * What the buttons below a reply do. Resolves with Markdown for the one who pressed, where there is
 * something to say.
 */
export function createPresses(options: {
  turns: Turns;
  running: RunningTurns;
  /** Resolves when the new reply has ended. */
  askAgain(record: TurnRecord): Promise<void>;
  openThread(address: ThreadAddress): Thread | undefined;
  handOver: HandOver | undefined;
  reports: Reports | undefined;
}): (press: ButtonPress) => Promise<string | undefined> {
  const { turns, running, handOver } = options;
  /** Changes of one turn's feedback, one after another. */
  const changes = createQueue();

  async function rate(id: string, reader: string, choice: Feedback): Promise<string> {
    return changes.run(id, async () => {
      const record = await turns.find(id);
      if (!record) return forgotten;
      await turns.update(id, { feedback: { ...record.feedback, [reader]: choice } });
      options.reports?.rated(record.address.platform, choice);
      return thanks[choice];
    });
  }

  async function retry(id: string): Promise<string | undefined> {
    if (running.has(id)) return underWay;
    const record = await turns.find(id);
    if (!record) return forgotten;
    const handedOver = await handOver?.find(record.address);
    if (handedOver && !handedOver.ended) return announcements.alreadyRequested;
    // Pressed twice, it may have begun while the record was read.
    if (running.has(id)) return underWay;
    await options.askAgain(record);
    return undefined;
  }

  async function requestPerson(id: string, by: Author): Promise<string | undefined> {
    const record = await turns.find(id);
    const thread = record && options.openThread(record.address);
    if (!thread) return forgotten;
    if (!handOver) return announcements.notOffered;
    const { author, query } = record;
    const others = author.id !== by.id && { onBehalfOf: author };
    return handOver.request({ thread, by, query, ...others });
  }

  async function showPassages(id: string): Promise<string> {
    const record = await turns.find(id);
    if (!record?.sources) return forgotten;
    return renderPassages(record.sources) || 'This answer quotes no passages.';
  }

  return async ({ action, turn, by }) => {
    switch (action) {
      case 'stop':
        return running.stop(turn, by);
      case 'retry':
        return retry(turn);
      case 'passages':
        return showPassages(turn);
      case 'helpful':
      case 'unhelpful':
        return rate(turn, by.id, action);
      case 'person':
        return requestPerson(turn, by);
      case 'resume':
        return handOver ? handOver.resume(turn, by) : announcements.notHandedOver;
    }
  };
}
