/**
 * How well sources are found, quoted and refused, beside plain BM25. Prints a JSON line for each
 * collection and ranker:
 *
 * - ndcg10, map, recall10: of judged collections, over the first fifty
 * - first, top3: the source that answers is the first, or one of three
 * - gold: the reply holds what people marked as the answer
 * - refused: of questions that a source answers (as few as possible), of near misses and off topic (as
 *   many as possible). A near miss is asked while its own source is missing and its neighbours are there;
 *   SQuAD brings some of its own.
 *
 * - weak: answered, with a word of caution
 *
 * What can be tuned is tuned on one half of the questions alone (`--half tuned`). `--curve` prints what would
 * be refused if more or less evidence were needed.
 *
 *     npm run bench -- retrieval [--half tuned|all] [--curve]
 */
import { parseArgs } from 'node:util';
import { answerFromPassages, weigh } from '../../src/service/answer/extractive.ts';
import { toDocument } from '../../src/service/ingestion/document.ts';
import { fromText } from '../../src/service/ingestion/kinds/text.ts';
import { toPassages } from '../../src/service/ingestion/passages.ts';
import { createRetriever, type Hit } from '../../src/service/retrieval/retrieve.ts';
import { openStore } from '../../src/service/store/store.ts';
import { addSource } from '../fixtures/add-source.ts';
import {
  type Half,
  type JudgedCollection,
  type JudgedQuestion,
  readCollections,
  toHalf,
} from './retrieval/collections.ts';
import { averagePrecision, mean, ndcg10, recall10, within } from './retrieval/measures.ts';
import { createPlainBm25 } from './retrieval/plain-bm25.ts';

const rankedLimit = 50;
const hitLimit = 10;
/** Chatbots of near misses: each lacks every fifth source, so that every source is missing once. */
const folds = 5;

/** Multiples of the evidence that an answer needs. */
const curve = [0.8, 0.9, 1, 1.1, 1.25, 1.5, 2];

const { values } = parseArgs({
  options: {
    half: { type: 'string', default: 'held out' },
    curve: { type: 'boolean', default: false },
  },
});
const half = values.half as Half | 'all';

for (const collection of readCollections()) await measure(collection);

async function measure({ name, sources, ...asked }: JudgedCollection): Promise<void> {
  await using store = await openStore(':memory:');
  const isJudged = asked.questions.every(({ answers }) => answers.length === 0);
  for (const chatbot of isJudged ? ['whole'] : ['whole', ...Array(folds).keys()]) {
    for (const [place, { title, text }] of sources.entries()) {
      if (place % folds === chatbot) continue;
      const source = { uuid: `${chatbot}/${place}`, title, file_name: '', type: 'file' };
      await addSource(store, `${chatbot}`, source, toPassages(toDocument(fromText(text))));
    }
  }
  const retriever = createRetriever(store);
  const questions = toHalf(asked.questions, half);

  const rank = async (question: string) => {
    // What was judged whole is ranked as for a model, which reads several.
    const options = { limit: rankedLimit, feedback: isJudged };
    const hits = await retriever.retrieve(question, { chatbot: 'whole' }, options);
    return [...new Set(hits.map(({ passage }) => Number(passage.source.uuid.split('/')[1])))];
  };
  const find = (question: string, chatbot: string | number = 'whole') =>
    retriever.retrieve(question, { chatbot: `${chatbot}` }, { limit: hitLimit });

  const plain = createPlainBm25(sources);
  const rankings = [
    { ranker: 'plain BM25', rank: (question: string) => plain.rank(question, rankedLimit) },
    { ranker: 'Causeway', rank },
  ];
  for (const { ranker, rank } of rankings) {
    const ranked = await Promise.all(questions.map(async ({ text }) => rank(text)));
    const row = isJudged ? toGraded(questions, ranked) : toPlaced(questions, ranked);
    const replies = isJudged || ranker === 'plain BM25' ? {} : await measureReplies();
    const bench = { bench: 'retrieval', collection: name, half, questions: questions.length };
    process.stdout.write(`${JSON.stringify({ ...bench, ranker, ...row, ...replies })}\n`);
  }

  async function measureReplies() {
    const found = await Promise.all(questions.map(({ text }) => find(text)));
    const replies = questions.map(({ text }, index) =>
      answerFromPassages(text, found[index] ?? [], { showCitations: true }),
    );
    const holdsAnswer = ({ answers }: JudgedQuestion, index: number) => {
      const reply = replies[index]?.text.toLowerCase() ?? '';
      return answers.some((each) => reply.includes(each.toLowerCase())) ? 1 : 0;
    };
    const findAll = (asked: readonly string[]) =>
      Promise.all(toHalf(asked, half).map((each) => find(each)));
    const groups = {
      answerable: found,
      near_misses: await Promise.all(
        questions.map(({ text, relevant: [place = 0] }) => find(text, place % folds)),
      ),
      squad_near_misses: await findAll(asked.nearMisses),
      off_topic: await findAll(asked.offTopic),
    };
    if (values.curve) printCurve(groups);
    const share = (evidence: ReturnType<typeof weigh>) =>
      Object.entries(groups).map(([group, all]) => [
        group,
        mean(all.map((hits) => (weigh(hits) === evidence ? 1 : 0))),
      ]);
    return {
      gold: mean(questions.map(holdsAnswer)),
      characters: Math.round(mean(replies.map(({ text }) => text.length)) ?? 0),
      refused: Object.fromEntries(share('none')),
      weak: Object.fromEntries(share('weak')),
    };
  }

  function printCurve(groups: Record<string, Hit[][]>) {
    for (const evidence of curve) {
      const isLess = (hits: Hit[]) =>
        hits.slice(0, 3).every((hit) => hit.evidence < evidence) ? 1 : 0;
      const refused = Object.entries(groups).map(([group, all]) => [group, mean(all.map(isLess))]);
      const row = { bench: 'retrieval', collection: name, half, evidence };
      process.stdout.write(`${JSON.stringify({ ...row, refused: Object.fromEntries(refused) })}\n`);
    }
  }
}

function toGraded(questions: readonly JudgedQuestion[], ranked: readonly number[][]) {
  const over = (measure: typeof ndcg10) =>
    mean(questions.map(({ relevant }, index) => measure(ranked[index] ?? [], relevant)));
  return { ndcg10: over(ndcg10), map: over(averagePrecision), recall10: over(recall10) };
}

function toPlaced(questions: readonly JudgedQuestion[], ranked: readonly number[][]) {
  const over = (count: number) =>
    mean(questions.map(({ relevant }, index) => within(count)(ranked[index] ?? [], relevant)));
  return { first: over(1), top3: over(3) };
}
