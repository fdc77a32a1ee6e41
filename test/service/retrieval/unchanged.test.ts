import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { answerFromPassages } from '../../../src/service/answer/extractive.ts';
import { createRetriever } from '../../../src/service/retrieval/retrieve.ts';
import { openDatabase } from '../../../src/service/store/database.ts';
import { createPassageStore } from '../../../src/service/store/passage-store.ts';
import {
  type Collection,
  readAbstracts,
  readParagraphs,
  toGenerated,
} from './unchanged/collections.ts';

const collections: Record<string, Collection | undefined> = {
  generated: toGenerated(),
  squad: readParagraphs('squad2-normans.json'),
  german: readParagraphs('xquad/xquad.de.json'),
  chinese: readParagraphs('xquad/xquad.zh.json'),
  cisi: readAbstracts(),
};

/**
 * A digest of hits, scores and answer for each query. SQLite's own BM25 and a ranking without caches
 * have written the files.
 */
test.each(Object.entries(collections))('hits and answers are as ever: %s', async (name, given) => {
  if (given === undefined) return;
  const store = createPassageStore(openDatabase(':memory:'));
  // What other chatbots have counts too.
  if (name === 'squad') toGenerated().fill(store);
  given.fill(store);
  const retriever = createRetriever(store);
  const answer = ({ query, previousQuery, scope }: Collection['asked'][number]) => {
    const hits = retriever.retrieve(query, scope, { previousQuery, limit: 10 });
    const { text, citations } = answerFromPassages(query, hits, { showCitations: true });
    const ranked = hits.map(({ passage, score, coverage }) => [
      passage,
      score.toFixed(6),
      coverage.toFixed(6),
    ]);
    return createHash('sha256')
      .update(JSON.stringify([ranked, text, citations]))
      .digest('hex');
  };
  const answers = () => given.asked.map((asked) => `${answer(asked).slice(0, 8)}\n`).join('');
  const file = `unchanged/${name}.txt`;
  await expect(answers()).toMatchFileSnapshot(file);
  // From caches.
  await expect(answers()).toMatchFileSnapshot(file);
});
