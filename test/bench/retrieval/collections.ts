import { existsSync, readFileSync } from 'node:fs';
import { sharedData } from '../../fixtures/shared-data.ts';
import { createRandom } from '../../service/retrieval/sample.ts';

/** A question, and what is known of its answer. */
export interface JudgedQuestion {
  text: string;
  /** The sources that answer it, by their place. */
  relevant: ReadonlySet<number>;
  /** The texts that people marked as its answer; none where only sources were judged. */
  answers: string[];
}

/** Sources, and questions about them. */
export interface JudgedCollection {
  name: string;
  sources: { title: string; text: string }[];
  questions: JudgedQuestion[];
  /** Questions about the sources' subjects that none of them answers. */
  nearMisses: string[];
  /** Everyday questions about other subjects. */
  offTopic: string[];
}

const offTopic = JSON.parse(
  readFileSync(new URL('off-topic.json', import.meta.url), 'utf8'),
) as Record<string, string[]>;

/** All collections whose files are here; says which are missing. */
export function readCollections(): JudgedCollection[] {
  return [
    readCisi(),
    readSquad('normans', 'en', new URL('squad2-normans.json', sharedData)),
    readSquad('xquad de', 'de', new URL('xquad/xquad.de.json', sharedData)),
    readSquad('xquad zh', 'zh', new URL('xquad/xquad.zh.json', sharedData)),
    readSquad('own ru', 'ru', new URL('questions.ru.json', import.meta.url)),
    readSquad('own es', 'es', new URL('questions.es.json', import.meta.url)),
  ].filter((collection) => collection !== undefined);
}

function read(url: URL): string | undefined {
  if (existsSync(url)) return readFileSync(url, 'utf8');
  process.stderr.write(`Not measured, because it is missing: ${url.pathname}\n`);
  return undefined;
}

interface SquadFile {
  data: {
    paragraphs: {
      context: string;
      qas: { question: string; is_impossible?: boolean; answers: { text: string }[] }[];
    }[];
  }[];
}

/** A file in the format of SQuAD 2: each paragraph is a source without a title. */
function readSquad(name: string, language: string, url: URL): JudgedCollection | undefined {
  const json = read(url);
  if (json === undefined) return undefined;
  const { data } = JSON.parse(json) as SquadFile;
  const paragraphs = data.flatMap((article) => article.paragraphs);
  const asked = paragraphs.flatMap(({ qas }, paragraph) => qas.map((qa) => ({ qa, paragraph })));
  return {
    name,
    sources: paragraphs.map(({ context }) => ({ title: '', text: context })),
    questions: asked
      .filter(({ qa }) => qa.is_impossible !== true)
      .map(({ qa: { question, answers }, paragraph }) => ({
        text: question,
        relevant: new Set([paragraph]),
        answers: answers.map(({ text }) => text),
      })),
    nearMisses: asked.filter(({ qa }) => qa.is_impossible).map(({ qa }) => qa.question),
    offTopic: offTopic[language] ?? [],
  };
}

/** Abstracts of information science, with questions for which people judged all of them. */
function readCisi(): JudgedCollection | undefined {
  const [abstracts, queries, judgements] = ['ALL', 'QRY', 'REL'].map((ending) =>
    read(new URL(`cisi/CISI.${ending}`, sharedData)),
  );
  if (abstracts === undefined || queries === undefined || judgements === undefined)
    return undefined;
  const relevant = Map.groupBy(
    judgements
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/u).map(Number)),
    ([query]) => query,
  );
  return {
    name: 'cisi',
    sources: toRecords(abstracts).map((record) => ({
      title: toField(record, 'T'),
      text: toField(record, 'W'),
    })),
    questions: toRecords(queries).flatMap((record, index) => {
      const judged = relevant.get(index + 1);
      if (!judged) return [];
      const sources = new Set(judged.map(([, source = 0]) => source - 1));
      const text = `${toField(record, 'T')} ${toField(record, 'W')}`;
      return [{ text, relevant: sources, answers: [] }];
    }),
    nearMisses: [],
    offTopic: [],
  };
}

function toRecords(file: string): string[] {
  return file.split(/^\.I .*$/mu).slice(1);
}

function toField(record: string, name: string): string {
  const [, field = ''] = record.split(new RegExp(`^\\.${name}\\s*$`, 'mu'));
  const [text = ''] = field.split(/^\.[A-Z]\s*$/mu);
  return text.replaceAll(/\s+/gu, ' ').trim();
}

export type Half = 'tuned' | 'held out';

/** What is tuned is tuned on one half of the questions; the other tells whether it holds. */
export function toHalf<Item>(items: readonly Item[], half: Half | 'all'): Item[] {
  const random = createRandom(33);
  const halves = items.map((): Half => (random() < 0.5 ? 'tuned' : 'held out'));
  return items.filter((_, index) => half === 'all' || halves[index] === half);
}
