import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { createAgentStore } from '../store/agent-store.ts';
import { createDocumentStore } from '../store/document-store.ts';
import { createPassageStore } from '../store/passage-store.ts';
import { createTagStore } from '../store/tag-store.ts';
import { createVectorStore } from '../store/vector-store.ts';
import { createRanker, type Ranked, type RankedQuestion } from './ranker.ts';

/** A question to the thread. */
export interface RankOrder {
  id: number;
  question: RankedQuestion;
}

/** The thread's answer. */
export type RankAnswer = { id: number; ranked: Ranked } | { id: number; error: Error };

// The thread ranks what would block the event loop. It only reads the database.
const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: 5000 });
const ranker = createRanker({
  agents: createAgentStore(database),
  tags: createTagStore(database),
  documents: createDocumentStore(database),
  passages: createPassageStore(database),
  vectors: createVectorStore(database),
});

parentPort?.on('message', (order: RankOrder) => void rank(order));

async function rank({ id, question }: RankOrder): Promise<void> {
  try {
    send({ id, ranked: await ranker.rank(question) });
  } catch (error) {
    send({ id, error: error instanceof Error ? error : new Error(String(error)) });
  }
}

function send(answer: RankAnswer): void {
  parentPort?.postMessage(answer);
}
