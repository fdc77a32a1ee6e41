import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { atOnce, type Steps } from '../../shared/primitives/steps.ts';
import type { Passage } from '../ingestion/passages.ts';
import type { Candidate } from '../retrieval/score.ts';
import { type Families, indexVersion, packTerms, toTerms } from '../retrieval/terms.ts';
import { createReadCandidates } from './candidates.ts';
import { atomically, readRows } from './database.ts';
import { createPassageIndex, type NumberedSource } from './passage-index.ts';
import {
  createPassageVersions,
  type PassageSource,
  type PassageVersions,
} from './passage-versions.ts';
import { createPostings, type Frequencies } from './postings.ts';
import { createPassageChanges, createSeenPassages, type PassageScope } from './seen-passages.ts';

export interface StoredPassage extends Passage {
  id: number;
  source: PassageSource;
}

/** Each call is synchronous and atomic; it can run inside the caller's transaction. */
export interface PassageStore extends PassageVersions {
  /**
   * Adds a source, whose passages are searched as they are added, or updates the title, file name
   * and type of a known one.
   */
  putSource(chatbot: string, source: PassageSource): void;
  /**
   * Updates the title, file name and type of a source and its drafts, if they are known. Passages are
   * found by the new title once the steps are done.
   */
  retitle(source: PassageSource): Steps<void>;
  /**
   * Appends to a known source. Ten passages per call, with pauses in between, keep the event loop
   * free.
   */
  add(sourceUuid: string, passages: Passage[]): void;
  /** The ids of the best passages by BM25, best first; each contains at least one of the tokens. */
  search(tokens: string[], scope: PassageScope, limit: number): number[];
  /** A source's first passages, in their order. */
  listFirst(sourceUuid: string, limit: number): StoredPassage[];
  /**
   * The passages with these ids that are in scope, in the order of the ids, as far as ranking needs
   * them for tokens of these families.
   */
  candidates(ids: readonly number[], scope: PassageScope, families: Families): Candidate[];
  frequencies(tokens: string[], chatbot: string): Frequencies;
  /** Uuids of sources whose passages were indexed in another way: see `indexVersion`. */
  listOutdated(): string[];
  /** Indexes a source's passages again, a few per step; they stay searchable. */
  indexAnew(sourceUuid: string): Generator<void>;
  /** Erases the words of removed passages from the full-text index, a few pages per step. */
  purge(): Steps<void>;
  /** The passages with these ids that are in scope, in the order of the ids. */
  get(ids: readonly number[], scope: PassageScope): StoredPassage[];
}

type Row = Record<string, SQLOutputValue>;

const passageColumns = `passage.id, text, headings, page, "start", "end", tokens, uuid, title,
  file_name, passage_source.type`;

/**
 * Only this many first passages are indexed with the source's title, so that a new title is quick
 * to index.
 */
const maxTitledPassages = 100;

/** Number of them indexed per step. */
const titledPerStep = 20;

/** Number of passages indexed again per step. */
const batchSize = 10;

/** Passages and their full-text index in the database. */
export function createPassageStore(database: DatabaseSync): PassageStore {
  const changes = createPassageChanges(database);
  const index = createPassageIndex(database);
  const versions = createPassageVersions(database, index, changes);
  const seenOf = createSeenPassages(database, changes);
  const postings = createPostings(database, seenOf);
  const putSource = database.prepare(`
    INSERT INTO passage_source (chatbot, uuid, title, file_name, type, tokens_version)
    VALUES (?, ?, ?, ?, ?, ${indexVersion})
  `);
  const getSource = database.prepare('SELECT * FROM passage_source WHERE uuid = ?');
  const getDrafts = database.prepare(
    "SELECT * FROM passage_source WHERE state = 'draft' AND draft_of = ?",
  );
  const setTitle = database.prepare(
    'UPDATE passage_source SET title = ?, file_name = ?, type = ? WHERE number = ?',
  );
  const addPassage = database.prepare(`
    INSERT INTO passage (source, text, headings, page, "start", "end", tokens) VALUES (?, ?, ?, ?, ?, ?, ?)
  `);
  const putTerms = database.prepare(
    `INSERT INTO passage_terms VALUES (?, ?)
     ON CONFLICT (passage) DO UPDATE SET terms = excluded.terms`,
  );
  const countPassages = database.prepare(
    'UPDATE passage_source SET passages = passages + ? WHERE number = ?',
  );
  const outdated = database.prepare(
    `SELECT uuid FROM passage_source
     WHERE tokens_version <> ${indexVersion} AND state = 'live' ORDER BY number`,
  );
  const setVersion = database.prepare(
    `UPDATE passage_source SET tokens_version = ${indexVersion} WHERE number = ?`,
  );
  const getPassages = database.prepare(`
    SELECT ${passageColumns} FROM json_each(?) AS wanted
    JOIN passage ON passage.id = wanted.value
    JOIN passage_source ON number = passage.source
    WHERE chatbot = ? AND state = 'live' ORDER BY wanted.key
  `);
  const firstPassages = database.prepare(`
    SELECT ${passageColumns} FROM passage JOIN passage_source ON number = passage.source
    WHERE uuid = ? AND state = 'live' ORDER BY passage.id LIMIT ?
  `);
  const readTitle = database.prepare('SELECT title FROM passage_source WHERE number = ?');

  /** Each step takes the title that the source has then: it may have got another one meanwhile. */
  function* indexTitle(known: Row, uuid: string): Steps<void> {
    const number = Number(known.number);
    const chatbot = String(known.chatbot);
    let after: number | undefined = 0;
    for (let done = 0; after !== undefined && done < maxTitledPassages; done += titledPerStep) {
      const row = readTitle.get(number);
      if (!row) return;
      const titled = { number, uuid, chatbot, title: String(row.title) };
      const from = { after, limit: titledPerStep };
      atomically(database, () => {
        const passages = index.renew(titled, from);
        after = passages.length < titledPerStep ? undefined : passages.at(-1)?.id;
        changes.add(chatbot);
      });
      yield;
    }
  }

  function* indexTitles(changed: Row[], uuid: string): Steps<void> {
    for (const row of changed) yield* indexTitle(row, uuid);
  }

  function retitle(known: Row[], source: PassageSource): Steps<void> {
    const { uuid, title } = source;
    for (const { number } of known) {
      setTitle.run(title, source.file_name, source.type, Number(number));
    }
    return indexTitles(
      known.filter((row) => row.title !== title),
      uuid,
    );
  }

  return {
    ...versions,

    putSource(chatbot, source) {
      const known = getSource.get(source.uuid);
      if (known) atOnce(retitle([known], source));
      else putSource.run(chatbot, source.uuid, source.title, source.file_name, source.type);
    },

    retitle(source) {
      const known = [getSource.get(source.uuid), ...getDrafts.all(source.uuid)];
      return retitle(
        known.filter((row) => row !== undefined),
        source,
      );
    },

    add(sourceUuid, passages) {
      const source = getSource.get(sourceUuid);
      if (source === undefined)
        throw new Error(`No source ${sourceUuid}: put it before its passages`);
      const { number, chatbot, title } = source;
      atomically(database, () => {
        for (const [place, passage] of passages.entries()) {
          const { lastInsertRowid } = addPassage.run(
            Number(number),
            passage.text,
            JSON.stringify(passage.headings),
            passage.page ?? null,
            passage.start,
            passage.end,
            passage.tokens,
          );
          putTerms.run(lastInsertRowid, packTerms(toTerms(passage)));
          const isTitled = Number(source.passages) + place < maxTitledPassages;
          index.put(lastInsertRowid, passage, {
            uuid: String(source.draft_of ?? sourceUuid),
            chatbot: String(chatbot),
            title: isTitled ? String(title) : '',
          });
        }
        countPassages.run(passages.length, Number(number));
        if (source.state === 'live') changes.add(String(chatbot));
      });
    },

    search(tokens, scope, limit) {
      if (tokens.length === 0 || scope.sources?.length === 0) return [];
      return postings.best(tokens, scope, limit);
    },

    frequencies: postings.frequencies,

    listOutdated: () => readRows<{ uuid: string }>(outdated).map(({ uuid }) => uuid),

    *indexAnew(sourceUuid) {
      let done = 0;
      for (let after: number | undefined = 0; after !== undefined; done += batchSize) {
        const source = getSource.get(sourceUuid) as NumberedSource | undefined;
        if (source === undefined) return;
        const from = { after, limit: batchSize };
        const titled = done < maxTitledPassages ? source : { ...source, title: '' };
        atomically(database, () => {
          const passages = index.renew(titled, from);
          for (const passage of passages) {
            putTerms.run(passage.id, packTerms(toTerms(passage)));
          }
          after = passages.length < batchSize ? undefined : passages.at(-1)?.id;
          changes.add(source.chatbot);
          if (after === undefined) setVersion.run(source.number);
        });
        yield;
      }
    },

    purge: index.purge,

    get(ids, { chatbot, sources }) {
      const found = getPassages.all(JSON.stringify(ids), chatbot).map(toStoredPassage);
      const among = sources && new Set(sources);
      return among ? found.filter(({ source }) => among.has(source.uuid)) : found;
    },

    listFirst: (sourceUuid, limit) => firstPassages.all(sourceUuid, limit).map(toStoredPassage),

    candidates: createReadCandidates(database, seenOf),
  };
}

function toStoredPassage(row: Row): StoredPassage {
  return {
    id: Number(row.id),
    text: String(row.text),
    headings: JSON.parse(String(row.headings)),
    page: row.page === null ? undefined : Number(row.page),
    start: Number(row.start),
    end: Number(row.end),
    tokens: Number(row.tokens),
    source: {
      uuid: String(row.uuid),
      title: String(row.title),
      file_name: String(row.file_name),
      type: String(row.type),
    },
  };
}
