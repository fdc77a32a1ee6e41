import type { DatabaseSync } from 'node:sqlite';
import type { Passage } from '../ingestion/passages.ts';
import { toHeadingTokens, tokenize } from '../retrieval/tokenize.ts';
import type { Steps } from '../../shared/primitives/steps.ts';
import { readRows } from './database.ts';

/** The fields of a source that its passages are found by. */
interface IndexedSource {
  uuid: string;
  chatbot: string;
  title: string;
}

export interface NumberedSource extends IndexedSource {
  number: number;
}

/** The full-text index of passages, by their ids. */
export interface PassageIndex {
  put(
    id: number | bigint,
    passage: Pick<Passage, 'text' | 'headings'>,
    source: IndexedSource,
  ): void;
  /**
   * Indexes stored passages of a source again, starting after one of them.
   *
   * @returns them; fewer than `limit` if there are no more
   */
  renew(source: NumberedSource, from: { after: number; limit: number }): IndexedPassage[];
  /** Removes a source's first passages, by the source's number; they must still exist. */
  removeSome(source: number, limit: number): void;
  /**
   * Removes the words of removed passages from the index's pages, a few pages per step. Until then
   * they are only marked as removed.
   */
  purge(): Steps<void>;
}

const chatbotSeparator = '·';

/** Pages of the index written per step. */
const pagesPerStep = 8;

interface IndexedPassage {
  id: number;
  text: string;
  headings: string[];
}

export function createPassageIndex(database: DatabaseSync): PassageIndex {
  const put = database.prepare(
    'INSERT INTO passage_index (rowid, source, headings, body) VALUES (?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM passage_index WHERE rowid = ?');
  const removeSome = database.prepare(
    `DELETE FROM passage_index
     WHERE rowid IN (SELECT id FROM passage WHERE source = ? ORDER BY id LIMIT ?)`,
  );

  const some = database.prepare(
    'SELECT id, text, headings FROM passage WHERE source = ? AND id > ? ORDER BY id LIMIT ?',
  );

  // A deletion leaves the rowid of one of FTS5's own rows behind, above 2^53. Node.js throws when a
  // statement would return it as a number. The next insert replaces it, so this count is one.
  for (const deletion of [remove, removeSome]) deletion.setReadBigInts(true);
  const countRemoval = database.prepare(
    'REPLACE INTO passage_removals SELECT id, removed + 1, purged FROM passage_removals',
  );
  const readRemovals = database.prepare('SELECT removed, purged FROM passage_removals');
  const setPurged = database.prepare('UPDATE passage_removals SET purged = ?');
  const merge = database.prepare(
    "INSERT INTO passage_index (passage_index, rank) VALUES ('merge', ?)",
  );
  const totalChanges = database.prepare('SELECT total_changes() AS changes');

  /** Whether there was anything to merge (https://sqlite.org/fts5.html#the_merge_command). */
  const mergeSome = (pages: number) => {
    const before = Number(totalChanges.get()?.['changes']);
    merge.run(pages);
    return Number(totalChanges.get()?.['changes']) - before >= 2;
  };

  const index: PassageIndex['put'] = (id, passage, { uuid, chatbot, title }) => {
    const headings = toIndexed(toHeadingTokens(passage, title), chatbot);
    put.run(id, uuid, headings, toIndexed(tokenize(passage.text), chatbot));
  };

  return {
    put: index,
    renew(source, { after, limit }) {
      const passages = readRows<{ id: number; text: string; headings: string }>(
        some,
        source.number,
        after,
        limit,
      ).map((row): IndexedPassage => ({ ...row, headings: JSON.parse(row.headings) }));
      if (passages.length > 0) countRemoval.run();
      for (const passage of passages) {
        remove.run(passage.id);
        index(passage.id, passage, source);
      }
      return passages;
    },
    removeSome(source, limit) {
      removeSome.run(source, limit);
      countRemoval.run();
    },
    *purge() {
      const { removed, purged } = readRemovals.get() as { removed: number; purged: number };
      if (removed === purged) return;
      // A negative number starts to merge the whole index, a positive one continues.
      for (let pages = -pagesPerStep; mergeSome(pages); pages = pagesPerStep) yield;
      setPurged.run(removed);
    },
  };
}

function toIndexed(tokens: string[], chatbot: string): string {
  return tokens.map((token) => toTerm(token, chatbot)).join(' ');
}

/** A chatbot's token in the index. */
export function toTerm(token: string, chatbot: string): string {
  return chatbot + chatbotSeparator + token;
}
