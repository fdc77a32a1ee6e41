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
import { openDatabase } from '../../src/service/store/database.ts';
import { createPassageStore } from '../../src/service/store/passage-store.ts';
import { offTopic, offTopicHeldOut } from './retrieval-questions.ts';
import { readSquad, type Squad, type SquadQuestion } from './squad.ts';

const hitLimit = 6;

const squad = readSquad();
if (squad) measure(squad);

function measure({ paragraphs, questions, unanswerable }: Squad): void {
  const store = createPassageStore(openDatabase(':memory:'));
  for (const [index, text] of paragraphs.entries()) {
    const uuid = toUuid(index);
    store.putSource('bench', { uuid, title: '', file_name: `${uuid}.txt`, type: 'file' });
    store.add(uuid, toPassages(toDocument(fromText(text))));
  }
  const retriever = createRetriever(store);
  const retrieve = (query: string) =>
    retriever.retrieve(query, { chatbot: 'bench' }, { limit: hitLimit });
  const answer = (query: string) =>
    answerFromPassages(query, retrieve(query), { showCitations: true });
  const rank = ({ question, paragraph }: SquadQuestion) =>
    retrieve(question).findIndex(({ passage }) => passage.source.uuid === toUuid(paragraph));
  const isAnswered = ({ question, answers }: SquadQuestion) => {
    const reply = answer(question).text.toLowerCase();
    return answers.some((text) => reply.includes(text.toLowerCase()));
  };
  const isRefused = (query: string) => Object.keys(answer(query).citations).length === 0;

  const report = (measure: string, share: number, goal?: number) =>
    process.stdout.write(
      `${JSON.stringify({ bench: 'retrieval', measure, value: round(share), goal })}\n`,
    );
  const reportRanks = (which: string, asked: SquadQuestion[], goals: [number?, number?] = []) => {
    const ranks = asked.map(rank);
    const first = shareOf(ranks, (rank) => rank === 0);
    const topThree = shareOf(ranks, (rank) => rank >= 0 && rank < 3);
    report(`paragraph first${which}`, first, goals[0]);
    report(`paragraph in top three${which}`, topThree, goals[1]);
  };
  reportRanks('', questions, [0.85, 0.95]);
  reportRanks(
    ', tuned on',
    questions.filter((_, place) => place % 2 === 0),
  );
  reportRanks(
    ', held out',
    questions.filter((_, place) => place % 2 === 1),
  );
  reportRanks(', unanswerable', unanswerable);
  report('answer in reply', shareOf(questions, isAnswered), 0.88);
  report(
    'answerable refused',
    shareOf(questions, ({ question }) => isRefused(question)),
  );
  report('off topic refused', shareOf(offTopic, isRefused), 0.98);
  report('off topic refused, held out', shareOf(offTopicHeldOut, isRefused), 0.98);
  const lengths = questions.map(({ question }) => answer(question).text.length);
  report(
    'characters of a reply',
    lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
  );
  report('questions', questions.length);
}

function toUuid(index: number): string {
  return `paragraph-${index}`;
}

function shareOf<Item>(items: Item[], holds: (item: Item) => boolean): number {
  return items.filter(holds).length / items.length;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
