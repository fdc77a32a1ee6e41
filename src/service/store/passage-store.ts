import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { toHeadingTokens, tokenize } from '../retrieval/tokenize.ts';
import type { Passage } from '../ingestion/passages.ts';

/** What a citation says of a passage's source. */
export interface PassageSource {
  uuid: string;
  title: string;
  file_name: string;
  type: string;
}

/** The passages a search may see: a chatbot's, or only those of some of its sources. */
export interface PassageScope {
  chatbot: string;
  sources?: string[];
}

export interface StoredPassage extends Passage {
  id: number;
  source: PassageSource;
}

/** How common tokens are among a chatbot's passages. */
export interface Frequencies {
  passages: number;
  /** How many passages hold the token: 0 for one that is nowhere. */
  of: Map<string, number>;
}

/** Each call is synchronous and atomic; it may stand within a transaction of the caller's. */
export interface PassageStore {
  /** Makes a source known, or gives a known one its new title, file name and type. */
  putSource(chatbot: string, source: PassageSource): void;
  /** Appends to a known source. Ten passages a call, and a pause between, keep the event loop free. */
  add(sourceUuid: string, passages: Passage[]): void;
  /** Forgets a source and all its passages. */
  remove(sourceUuid: string): void;
  /** The best passages by BM25, best first: each holds at least one of the tokens. */
  search(tokens: string[], scope: PassageScope, limit: number): StoredPassage[];
  frequencies(tokens: string[], chatbot: string): Frequencies;
  /** The passages of these ids that are in scope, in the order of the ids. */
  get(ids: readonly number[], scope: PassageScope): StoredPassage[];
}

/**
 * Tokens are indexed with the chatbot's uuid before them: a search reads the postings of its own
 * chatbot only, and the index's own count of a token is that chatbot's. SQLite's `ascii` tokenizer
 * keeps every character above U+007F, so that what `tokenize` gives stays whole in any script.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS passage_source (
    number INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    chatbot TEXT NOT NULL,
    title TEXT NOT NULL,
    file_name TEXT NOT NULL,
    type TEXT NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS passage_source_chatbot ON passage_source (chatbot);
  CREATE TABLE IF NOT EXISTS passage (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES passage_source (number),
    text TEXT NOT NULL,
    headings TEXT NOT NULL,
    page INTEGER,
    "start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    tokens INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS passage_of_source ON passage (source);
  CREATE VIRTUAL TABLE IF NOT EXISTS passage_index USING fts5 (
    source, headings, body, content='', contentless_delete=1, tokenize="ascii tokenchars '+#'"
  );
  CREATE VIRTUAL TABLE IF NOT EXISTS passage_token USING fts5vocab (passage_index, 'row');
`;

/** A source is found by its title through its first passages alone: so many can be indexed anew at once. */
const TITLED = 100;

/** Weights of the index's columns: the source only narrows, a word in a heading counts double. */
const RANKING = 'bm25(0.0, 2.0, 1.0)';

const SEARCH = `
  SELECT passage.*, uuid, title, file_name, type
  FROM (
    SELECT rowid AS id, rank AS score FROM passage_index
    WHERE passage_index MATCH ? AND rank MATCH '${RANKING}'
    ORDER BY rank LIMIT ?
  ) AS found
  JOIN passage USING (id)
  JOIN passage_source ON number = passage.source
  ORDER BY score, id
`;

/**
 * Keeps passages and their full-text index in tables of its own, which it creates where missing.
 *
 * @param onRemove told which chatbot has lost passages
 */
export function createPassageStore(
  database: DatabaseSync,
  onRemove: (chatbot: string) => void = () => undefined,
): PassageStore {
  database.exec(TABLES);
  const putSource = database.prepare(`
    INSERT INTO passage_source (chatbot, uuid, title, file_name, type) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (uuid) DO UPDATE SET title = excluded.title, file_name = excluded.file_name, type = excluded.type
  `);
  const getSource = database.prepare('SELECT * FROM passage_source WHERE uuid = ?');
  const addPassage = database.prepare(`
    INSERT INTO passage (source, text, headings, page, "start", "end", tokens) VALUES (?, ?, ?, ?, ?, ?, ?)
  `);
  const indexPassage = database.prepare(
    'INSERT INTO passage_index (rowid, source, headings, body) VALUES (?, ?, ?, ?)',
  );
  const unindexPassage = database.prepare('DELETE FROM passage_index WHERE rowid = ?');
  const firstPassages = database.prepare(
    `SELECT id, text, headings FROM passage WHERE source = ? ORDER BY id LIMIT ${TITLED}`,
  );
  const countPassages = database.prepare(
    'UPDATE passage_source SET passages = passages + ? WHERE number = ?',
  );
  const unindexSource = database.prepare(
    'DELETE FROM passage_index WHERE rowid IN (SELECT id FROM passage WHERE source = ?)',
  );
  const removePassages = database.prepare('DELETE FROM passage WHERE source = ?');
  const removeSource = database.prepare('DELETE FROM passage_source WHERE number = ?');
  const search = database.prepare(SEARCH);
  const sumPassages = database.prepare(
    'SELECT coalesce(sum(passages), 0) AS passages FROM passage_source WHERE chatbot = ?',
  );
  const getPassages = database.prepare(`
    SELECT passage.*, uuid, title, file_name, passage_source.type FROM json_each(?) AS wanted
    JOIN passage ON passage.id = wanted.value
    JOIN passage_source ON number = passage.source
    WHERE chatbot = ? ORDER BY wanted.key
  `);
  const countToken = database.prepare('SELECT doc FROM passage_token WHERE term = ?');

  function index(
    id: number | bigint,
    passage: Pick<Passage, 'text' | 'headings'>,
    source: { uuid: string; chatbot: string; title: string },
  ): void {
    indexPassage.run(
      id,
      source.uuid,
      toIndexed(toHeadingTokens(passage, source.title), source.chatbot),
      toIndexed(tokenize(passage.text), source.chatbot),
    );
  }

  return {
    putSource(chatbot, source) {
      const { uuid, title } = source;
      const known = getSource.get(uuid);
      atomically(database, () => {
        putSource.run(chatbot, uuid, title, source.file_name, source.type);
        if (known === undefined || known.title === title) return;
        for (const row of firstPassages.all(Number(known.number))) {
          const passage = { text: String(row.text), headings: JSON.parse(String(row.headings)) };
          unindexPassage.run(Number(row.id));
          index(Number(row.id), passage, { uuid, chatbot, title });
        }
      });
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
          const isTitled = Number(source.passages) + place < TITLED;
          index(lastInsertRowid, passage, {
            uuid: sourceUuid,
            chatbot: String(chatbot),
            title: isTitled ? String(title) : '',
          });
        }
        countPassages.run(passages.length, Number(number));
      });
    },

    remove(sourceUuid) {
      const source = getSource.get(sourceUuid);
      if (source === undefined) return;
      const { number = null, chatbot } = source;
      onRemove(String(chatbot));
      atomically(database, () => {
        unindexSource.run(number);
        removePassages.run(number);
        removeSource.run(number);
      });
    },

    search(tokens, scope, limit) {
      if (tokens.length === 0 || scope.sources?.length === 0) return [];
      return search.all(toMatch(tokens, scope), limit).map(toStoredPassage);
    },

    frequencies(tokens, chatbot) {
      const of = new Map(
        tokens.map((token) => [
          token,
          Number(countToken.get(`${chatbot}${MARK}${token}`)?.doc ?? 0),
        ]),
      );
      return { passages: Number(sumPassages.get(chatbot)?.passages ?? 0), of };
    },

    get(ids, { chatbot, sources }) {
      const passages = getPassages.all(JSON.stringify(ids), chatbot).map(toStoredPassage);
      const among = sources && new Set(sources);
      return among ? passages.filter(({ source }) => among.has(source.uuid)) : passages;
    },
  };
}

const MARK = '·';

function toIndexed(tokens: string[], chatbot: string): string {
  return tokens.map((token) => chatbot + MARK + token).join(' ');
}

function toMatch(tokens: string[], scope: PassageScope): string {
  const words = tokens.map((token) => quote(scope.chatbot + MARK + token)).join(' OR ');
  const among = scope.sources?.map(quote).join(' OR ');
  const wanted = `{headings body} : (${words})`;
  return among === undefined ? wanted : `source : (${among}) AND ${wanted}`;
}

function quote(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

function toStoredPassage(row: Record<string, SQLOutputValue>): StoredPassage {
  return {
    id: Number(row.id),
    text: String(row.text),
    headings: JSON.parse(String(row.headings)),
    ...(row.page === null ? {} : { page: Number(row.page) }),
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

/** A savepoint rather than BEGIN, so that the caller's transaction may hold it. */
function atomically(database: DatabaseSync, work: () => void): void {
  database.exec('SAVEPOINT passages');
  try {
    work();
    database.exec('RELEASE passages');
  } catch (error) {
    database.exec('ROLLBACK TO passages; RELEASE passages');
    throw error;
  }
}
