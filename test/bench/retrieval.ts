/**
 * How well sources are found and quoted: each paragraph of a SQuAD article is a source of one chatbot.
 * Prints a JSON line for each measure; run it with `node test/bench/retrieval.ts`. What can be tuned is
 * tuned on the questions of even place alone; those of odd place, and those that their paragraph does
 * not answer, tell whether it holds for others.
 */
import { answerFromPassages } from '../../src/service/answer/extractive.ts';
import { toDocument } from '../../src/service/ingestion/document.ts';
import { fromText } from '../../src/service/ingestion/kinds/text.ts';
import { toPassages } from '../../src/service/ingestion/passages.ts';
import { createRetriever } from '../../src/service/retrieval/retrieve.ts';
import { openStore } from '../../src/service/store/store.ts';
import { addSource } from '../fixtures/add-source.ts';
import { offTopic, offTopicHeldOut } from './retrieval-questions.ts';
import { readSquad, type Squad, type SquadQuestion } from './squad.ts';

const hitLimit = 6;

const squad = readSquad();
if (squad) await measure(squad);

async function measure({ paragraphs, questions, unanswerable }: Squad): Promise<void> {
  await using store = await openStore(':memory:');
  for (const [index, text] of paragraphs.entries()) {
    const uuid = toUuid(index);
    const source = { uuid, title: '', file_name: `${uuid}.txt`, type: 'file' };
    await addSource(store, 'bench', source, toPassages(toDocument(fromText(text))));
  }
  const retriever = createRetriever(store);
  const retrieve = (query: string) =>
    retriever.retrieve(query, { chatbot: 'bench' }, { limit: hitLimit });
  const answer = async (query: string) =>
    answerFromPassages(query, await retrieve(query), { showCitations: true });
  const rank = async ({ question, paragraph }: SquadQuestion) => {
    const hits = await retrieve(question);
    return hits.findIndex(({ passage }) => passage.source.uuid === toUuid(paragraph));
  };
  const isAnswered = async ({ question, answers }: SquadQuestion) => {
    const reply = (await answer(question)).text.toLowerCase();
    return answers.some((text) => reply.includes(text.toLowerCase()));
  };
  const isRefused = async (query: string) =>
    Object.keys((await answer(query)).citations).length === 0;

  const report = (measure: string, share: number, goal?: number) =>
    process.stdout.write(
      `${JSON.stringify({ bench: 'retrieval', measure, value: round(share), goal })}\n`,
    );
  const reportRanks = async (
    which: string,
    asked: SquadQuestion[],
    goals: [number?, number?] = [],
  ) => {
    const ranks = await Promise.all(asked.map(rank));
    const first = await shareOf(ranks, (rank) => rank === 0);
    const topThree = await shareOf(ranks, (rank) => rank >= 0 && rank < 3);
    report(`paragraph first${which}`, first, goals[0]);
    report(`paragraph in top three${which}`, topThree, goals[1]);
  };
  await reportRanks('', questions, [0.85, 0.95]);
  await reportRanks(
    ', tuned on',
    questions.filter((_, place) => place % 2 === 0),
  );
  await reportRanks(
    ', held out',
    questions.filter((_, place) => place % 2 === 1),
  );
  await reportRanks(', unanswerable', unanswerable);
  report('answer in reply', await shareOf(questions, isAnswered), 0.88);
  report('answerable refused', await shareOf(questions, ({ question }) => isRefused(question)));
  report('off topic refused', await shareOf(offTopic, isRefused), 0.98);
  report('off topic refused, held out', await shareOf(offTopicHeldOut, isRefused), 0.98);
  const replies = await Promise.all(questions.map(({ question }) => answer(question)));
  const lengths = replies.map(({ text }) => text.length);
  report(
    'characters of a reply',
    lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
  );
  report('questions', questions.length);
}

function toUuid(index: number): string {
  return `paragraph-${index}`;
}

async function shareOf<Item>(
  items: Item[],
  holds: (item: Item) => boolean | Promise<boolean>,
): Promise<number> {
  const held = await Promise.all(items.map(async (item) => holds(item)));
  return held.filter(Boolean).length / items.length;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
