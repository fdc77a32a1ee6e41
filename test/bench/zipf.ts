import type { Passage } from '../../src/service/ingestion/passages.ts';
import { createRandom } from '../service/retrieval/sample.ts';

const wordCount = 30_000;
const wordsPerPassage = 180;

/** Texts whose words are drawn after Zipf's law, with a fixed seed. */
export interface ZipfText {
  passage(): Passage;
  /** Seven words: two that are in most passages, and five as they come. */
  query(): string;
}

export function createZipfText(seed: number): ZipfText {
  const random = createRandom(seed);
  const text = (words: number) => {
    const drawn = Array.from({ length: words }, (_, index) => {
      const word = toWord(Math.floor(wordCount ** random()));
      return index % 15 === 14 ? `${word}.` : word;
    });
    return drawn.join(' ');
  };
  return {
    passage() {
      const own = text(wordsPerPassage);
      const headings = [text(3)];
      return { text: own, headings, start: 0, end: own.length, tokens: wordsPerPassage };
    },
    query: () => `${toWord(3)} ${toWord(10)} ${text(5)}?`,
  };
}

function toWord(rank: number): string {
  return `${'bcdfghklmnprstvz'[rank % 16]}${'aeiou'[rank % 5]}${rank.toString(36)}o`;
}
