import { expect, test } from 'vitest';
import { answerFromPassages } from '../../../src/service/answer/extractive.ts';
import { createRetriever, type Hit } from '../../../src/service/retrieval/retrieve.ts';
import { openStore } from '../../../src/service/store/store.ts';
import { databases } from '../../fixtures/databases.ts';
import { type Collection, collections, toGenerated } from './collections.ts';

/** The texts of the others belong to other people, so the project does not repeat them. */
const ownTexts = new Set(['sample', 'generated']);

/** After a change that is meant to rank differently, run this with `-u` and judge the difference. */
test.for(Object.entries(collections))(
  'ranks and answers as ranking/%s.txt says',
  async ([name, collection], { skip }) => {
    if (typeof collection === 'string') {
      process.stdout.write(`\nRanking was not tested with ../shared/data/${collection}: missing\n`);
      return skip();
    }
    await using store = await openStore(':memory:');
    // Passages of other chatbots change nothing.
    if (name === 'squad') await toGenerated().fill(store);
    await collection.fill(store);
    const retriever = createRetriever(store);
    const report = async (asked: Collection['asked'][number], index: number) => {
      const { query, previousQuery, scope } = asked;
      const hits = await retriever.retrieve(query, scope, { previousQuery, limit: 10 });
      const { text, citations } = answerFromPassages(query, hits, { showCitations: true });
      const cited = Object.values(citations).map((each) => each.data_source_uuid);
      return [
        ownTexts.has(name) ? toQuestion(asked) : `Question ${index + 1}`,
        ...hits.slice(0, 3).map(toLine),
        ...(hits.length > 3 ? [`  then: ${hits.slice(3).map(toPlace).join(', ')}`] : []),
        `  says: ${ownTexts.has(name) ? JSON.stringify(text) : `${text.length} characters`}`,
        ...(cited.length > 0 ? [`  citing: ${cited.join(', ')}`] : []),
        '',
      ].join('\n');
    };
    const file = `ranking/${name}.txt`;
    const reportAll = async () => (await Promise.all(collection.asked.map(report))).join('\n');
    await expect(await reportAll()).toMatchFileSnapshot(file);
    // Again, from caches.
    await expect(await reportAll()).toMatchFileSnapshot(file);
  },
);

test.runIf(databases.length > 1).for(['sample', 'generated'])(
  'all databases give equal answers to the questions of %s',
  async (name, { skip }) => {
    const answerAll = async ({ createPlaces }: (typeof databases)[number]) => {
      // Each filling draws new texts.
      const collection = name === 'generated' ? toGenerated() : collections[name];
      if (collection === undefined || typeof collection === 'string') return skip();
      await using store = await openStore((await createPlaces()).service);
      await collection.fill(store);
      const retriever = createRetriever(store);
      const answers: unknown[] = [];
      for (const { query, previousQuery, scope } of collection.asked) {
        const hits = await retriever.retrieve(query, scope, { previousQuery, limit: 10 });
        const ranked = hits.map(({ passage: { source, start, text }, score }) => ({
          place: [source.uuid, start],
          text,
          score,
        }));
        answers.push({ ranked, ...answerFromPassages(query, hits, { showCitations: true }) });
      }
      return answers;
    };
    const [one, ...others] = await Promise.all(databases.map(answerAll));
    for (const other of others) expect(other).toEqual(one);
  },
);

function toQuestion({ query, previousQuery, scope }: Collection['asked'][number]): string {
  const before = previousQuery === undefined ? '' : `${previousQuery} | `;
  return [`${before}${query}`, ...(scope.sources ?? [])].join(' | in ');
}

/** A hit's place, score and coverage. */
function toLine(hit: Hit): string {
  return `  ${toPlace(hit)}: ${hit.score.toFixed(6)}, ${hit.coverage.toFixed(6)}`;
}

function toPlace({ passage }: Hit): string {
  return `${passage.source.uuid} at ${passage.start}`;
}
