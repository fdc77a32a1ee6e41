import { DatabaseSync } from 'node:sqlite';
import { stopWords } from '../../../src/service/retrieval/word-lists.ts';
import type { JudgedCollection } from './collections.ts';

/**
 * What a textbook does, to compare with: BM25 over Porter's stems without stop words, the title twice, by
 * SQLite's full-text search. Chinese is indexed by pairs of characters.
 */
export function createPlainBm25(sources: JudgedCollection['sources']) {
  const database = new DatabaseSync(':memory:');
  database.exec("CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'porter unicode61')");
  const insert = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
  for (const [place, { title, text }] of sources.entries())
    insert.run(place, toWords(`${title} ${title} ${text}`).join(' '));
  const find = database.prepare(
    'SELECT rowid AS place FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?',
  );
  return {
    /** The places of the best sources, best first. */
    rank(question: string, limit: number): number[] {
      const query = toWords(question)
        .filter((word) => !stopWords.has(word.toLowerCase()))
        .map((word) => `"${word}"`)
        .join(' OR ');
      return query === '' ? [] : find.all(query, limit).map(({ place }) => Number(place));
    },
  };
}

function toWords(text: string): string[] {
  const runs = text.match(/\p{Script=Han}+|[[\p{L}\p{M}\p{N}]--\p{Script=Han}]+/gv) ?? [];
  return runs.flatMap((run) => {
    if (!/^\p{Script=Han}{2}/u.test(run)) return [run];
    const characters = Array.from(run);
    return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  });
}
