import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A question of the set, with the texts that people marked as its answer. */
export interface SquadQuestion {
  question: string;
  answers: string[];
  /** The paragraph it was asked about, by its place. */
  paragraph: number;
}

export interface Squad {
  paragraphs: string[];
  /** Those that have an answer. */
  questions: SquadQuestion[];
  /** Those that were asked about a paragraph which does not answer them; nothing was tuned on them. */
  unanswerable: SquadQuestion[];
}

interface SquadFile {
  data: {
    paragraphs: {
      context: string;
      qas: { question: string; is_impossible: boolean; answers: { text: string }[] }[];
    }[];
  }[];
}

const defaultFile = fileURLToPath(
  new URL('../../../shared/data/squad2-normans.json', import.meta.url),
);

/** Reads a SQuAD 2 file: that of `SQUAD_FILE`, else `../shared/data` beside the project. Undefined where there is none. */
export function readSquad(path = process.env.SQUAD_FILE ?? defaultFile): Squad | undefined {
  if (!existsSync(path)) {
    process.stderr.write(`No SQuAD file at ${path}: set SQUAD_FILE to one.\n`);
    return undefined;
  }
  const file: SquadFile = JSON.parse(readFileSync(path, 'utf8'));
  const paragraphs = file.data.flatMap((article) => article.paragraphs);
  const asked = paragraphs.flatMap(({ qas }, paragraph) => qas.map((qa) => ({ qa, paragraph })));
  const select = (isImpossible: boolean): SquadQuestion[] =>
    asked
      .filter(({ qa }) => qa.is_impossible === isImpossible)
      .map(({ qa: { question, answers }, paragraph }) => ({
        question,
        answers: answers.map(({ text }) => text),
        paragraph,
      }));
  return {
    paragraphs: paragraphs.map(({ context }) => context),
    questions: select(false),
    unanswerable: select(true),
  };
}
