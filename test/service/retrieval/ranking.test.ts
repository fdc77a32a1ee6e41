import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRetriever } from '../../../src/service/retrieval/retrieve.ts';
import { createFilledStore, guideText, historyText } from './sample.ts';

/** What the first ranking gave, which tokenized every candidate for every query. */
const expected = JSON.parse(
  readFileSync(new URL('ranking.json', import.meta.url), 'utf8'),
) as Record<string, [string, number, number][]>;

const words =
  'Norman Normandy religion religious conquer conquest Straße strasse Écoles source sources adding PORT the in was 1066 2024 Rollo rollo king King C++ quelle Quellen 東京 の tower towers keeper Ticket tickets'.split(
    ' ',
  );

/** Drawn with a fixed seed, so that words, names and headings repeat in many passages. */
function toNotes(): string {
  let state = 5;
  const random = (below: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
  const sentence = () =>
    `${Array.from({ length: 6 + random(8) }, () => words[random(words.length)]).join(' ')}.`;
  const section = (_: unknown, index: number) =>
    `## Note ${index} ${words[random(words.length)]}\n\n${Array.from({ length: 3 }, sentence).join(' ')}`;
  return `# Notes\n\n${Array.from({ length: 80 }, section).join('\n\n')}\n`;
}

const retriever = createRetriever(
  createFilledStore({ guide: guideText, history: historyText, notes: toNotes() }),
);

test.each(Object.entries(expected))('%s is ranked as ever', (query, hits) => {
  const [own = '', previousQuery] = query.split(' | ').toReversed();
  const options = { previousQuery, limit: 10 };
  const rank = () =>
    retriever
      .retrieve(own, { chatbot: 'bot' }, options)
      .map(({ passage, score, coverage }) => [
        `${passage.source.uuid} ${passage.start}`,
        Number(score.toFixed(6)),
        Number(coverage.toFixed(6)),
      ]);
  expect(rank()).toEqual(hits);
  // From what is remembered of the passages.
  expect(rank()).toEqual(hits);
});
