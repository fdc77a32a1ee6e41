import { existsSync, readFileSync } from 'node:fs';
import type { Passage } from '../../../src/service/ingestion/passages.ts';
import type { PassageScope } from '../../../src/service/store/passage-store.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { addSource } from '../../fixtures/add-source.ts';
import { sharedData } from '../../fixtures/shared-data.ts';
import { addDocuments, createRandom, guideText, historyText } from './sample.ts';

/** Passages, and what is asked about them. */
export interface Collection {
  fill(store: Store): Promise<void>;
  asked: { query: string; previousQuery?: string; scope: PassageScope }[];
}

const noteWords =
  'Norman Normandy religion religious conquer conquest Straße strasse Écoles source sources adding PORT the in was 1066 2024 Rollo rollo king King C++ quelle Quellen 東京 の tower towers keeper Ticket tickets'.split(
    ' ',
  );

/** Two documents, and notes in which their words, names and headings repeat. */
function toSample(): Collection {
  const random = createRandom(5);
  const draw = (below: number) => Math.floor(random() * below);
  const word = () => noteWords[draw(noteWords.length)];
  const sentence = () => `${Array.from({ length: 6 + draw(8) }, word).join(' ')}.`;
  const section = (_: unknown, index: number) =>
    `## Note ${index} ${word()}\n\n${Array.from({ length: 3 }, sentence).join(' ')}`;
  const notes = `# Notes\n\n${Array.from({ length: 80 }, section).join('\n\n')}\n`;
  return {
    fill: (store) => addDocuments(store, { guide: guideText, history: historyText, notes }),
    asked: sampleQuestions.map(([query, previousQuery]) => ({
      query,
      previousQuery,
      scope: { chatbot: 'bot' },
    })),
  };
}

const sampleQuestions: [query: string, previousQuery?: string][] = [
  ['How do I add a source?'],
  ['Who conquered England?'],
  ['Which port does it listen on?'],
  ['norman religion'],
  ['What religious King was in Normandy?'],
  ['When did Rollo swear fealty?'],
  ['Straße und Quelle'],
  ['ecoles'],
  ['東京'],
  ['C++ towers and keepers'],
  ['Where do I buy tickets?'],
  ['When did he die?', 'Who captured Sicily?'],
  ['And where is it?', 'What is the database of Causeway?'],
  ['list of sources'],
  ['how many conquests in 1066'],
  ['rollo'],
  ['King Rollo'],
  ['Which ones?'],
];

/** Made from a fixed seed: words after Zipf's law, names, numbers, lists, and texts that are the same. */
export function toGenerated(): Collection {
  const random = createRandom(11);
  const draw = (below: number) => Math.floor(random() * below);
  const words = (count: number, between = ' ') =>
    Array.from({ length: count }, () => toWord(Math.floor(800 ** random()))).join(between);
  const sentence = () =>
    `${toName(draw(40))} ${words(3 + draw(9))} ${1000 + draw(1000)} ${words(draw(6))} ${toName(draw(40))}.`;
  const text = () =>
    draw(4) === 0
      ? `${sentence()} ${words(3)}:\n- ${words(4)}\n- ${words(5)}\n2. ${words(3)}`
      : Array.from({ length: 1 + draw(6) }, sentence).join(' ');
  const known: string[] = [];
  const passage = (): Passage => {
    const own = draw(6) === 0 && known.length > 0 ? (known[draw(known.length)] ?? '') : text();
    known.push(own);
    const headings = Array.from({ length: draw(3) }, () => words(2));
    return { text: own, headings, start: known.length, end: 0, tokens: 1 };
  };
  const source = (uuid: string) => ({ uuid, title: words(2), file_name: '', type: 'upload' });

  return {
    async fill(store) {
      for (const chatbot of ['first', 'second']) {
        for (let number = 0; number < 12; number += 1) {
          const uuid = `${chatbot}${number}`;
          const own = source(uuid);
          const passages = Array.from({ length: number === 5 ? 110 : 12 }, passage);
          await addSource(store, chatbot, own, passages);
        }
        await store.passages.retitle(source(`${chatbot}5`));
        const again = source(`${chatbot}7`);
        await addSource(store, chatbot, again, Array.from({ length: 12 }, passage));
        await store.passages.remove(`${chatbot}8`);
      }
      await store.passages.deleteHidden(new AbortController().signal);
    },
    asked: Array.from({ length: 45 }, (_, index) => {
      const chatbot = index % 3 === 0 ? 'second' : 'first';
      const sources = [1, 5, 7, 8].map((number) => `${chatbot}${number}`);
      const begin = ['When did', 'Who is', 'How many', 'Where is', 'list', ''][index % 6];
      return {
        query: `${begin} ${words(1 + draw(7))} ${draw(2) === 0 ? toName(draw(40)).toLowerCase() : ''}?`,
        previousQuery: index % 5 === 0 ? words(3) : undefined,
        scope: { chatbot, sources: index % 4 === 0 ? sources : undefined },
      };
    }),
  };
}

/** A SQuAD file: each paragraph is a source. */
function readParagraphs(name: string, path: string): Collection | string {
  const file = readData(path);
  if (file === undefined) return path;
  const { data }: SquadFile = JSON.parse(file);
  const paragraphs = data.flatMap((article) => article.paragraphs);
  const texts = paragraphs.map(({ context }) => ({ title: '', text: context }));
  const questions = paragraphs.flatMap(({ qas }) => qas.map(({ question }) => question));
  return toCollection(name, texts, questions);
}

interface SquadFile {
  data: { paragraphs: { context: string; qas: { question: string }[] }[] }[];
}

/** The abstracts and queries of CISI. */
function readAbstracts(abstractsPath: string, queriesPath: string): Collection | string {
  const abstracts = readData(abstractsPath);
  const queries = readData(queriesPath);
  if (abstracts === undefined) return abstractsPath;
  if (queries === undefined) return queriesPath;
  const texts = toRecords(abstracts)
    .slice(0, 250)
    .map((record) => ({ title: toField(record, 'T'), text: toField(record, 'W') }));
  const asked = toRecords(queries).map((record) => toField(record, 'W'));
  return toCollection('cisi', texts, asked);
}

/** Reads a file of `../shared/data`; undefined if it is missing. */
function readData(path: string): string | undefined {
  const url = new URL(path, sharedData);
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined;
}

function toRecords(file: string): string[] {
  return file.split(/^\.I .*$/mu).slice(1);
}

function toField(record: string, name: string): string {
  const [, field = ''] = record.split(new RegExp(`^\\.${name}$`, 'mu'));
  return (
    field
      .split(/^\.[A-Z]$/mu)[0]
      ?.replaceAll(/\s+/gu, ' ')
      .trim() ?? ''
  );
}

const maxAsked = 20;

function toCollection(
  chatbot: string,
  texts: { title: string; text: string }[],
  questions: string[],
): Collection {
  const step = Math.ceil(questions.length / maxAsked);
  return {
    async fill(store) {
      for (const [index, { title, text }] of texts.entries()) {
        const uuid = `${chatbot}${index}`;
        const source = { uuid, title, file_name: '', type: 'upload' };
        const passage = { text, headings: [], start: 0, end: text.length, tokens: 1 };
        await addSource(store, chatbot, source, [passage]);
      }
    },
    asked: questions
      .filter((_, index) => index % step === 0)
      .map((query) => ({ query, scope: { chatbot } })),
  };
}

function toWord(rank: number): string {
  return `${'bcdfghklmnprstvz'[rank % 16]}${'aeiou'[rank % 5]}${'lmnrst'[rank % 6]}${'aeiou'[rank % 4]}${rank % 7 === 0 ? 'ing' : 'ta'}`;
}

function toName(rank: number): string {
  const word = toWord(rank * 17);
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** By name; a string says which file a collection needs that is missing. */
export const collections: Record<string, Collection | string> = {
  sample: toSample(),
  generated: toGenerated(),
  squad: readParagraphs('squad', 'squad2-normans.json'),
  german: readParagraphs('german', 'xquad/xquad.de.json'),
  chinese: readParagraphs('chinese', 'xquad/xquad.zh.json'),
  cisi: readAbstracts('cisi/CISI.ALL', 'cisi/CISI.QRY'),
};
