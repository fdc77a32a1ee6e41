import type { DatabaseSync } from 'node:sqlite';
import { createLru } from '../../shared/primitives/cache.ts';
import type { Candidate } from '../retrieval/score.ts';
import {
  type Families,
  indexVersion,
  packTerms,
  toTerms,
  unpackTerms,
} from '../retrieval/terms.ts';
import { toHeadingTokens } from '../retrieval/tokenize.ts';
import { readRows } from './database.ts';
import { type PassageScope, type SeenPassages, sourceNumberOf } from './seen-passages.ts';

/** A source, as far as its candidates need it. */
interface Source {
  uuid: string;
  titleTokens: ReadonlySet<string>;
  /** Whether the terms of its passages are stored as this version makes them. */
  isCurrent: boolean;
  /** `SeenPassages.version` when it was read. */
  seenVersion: string;
}

interface SourceRow {
  number: number;
  uuid: string;
  title: string;
  tokens_version: number;
}

interface TermsRow {
  id: number;
  terms: Uint8Array;
}

/** Sources kept in memory, more than the candidates of a question have. */
const maxSources = 1000;

/**
 * Returns a function that reads the passages that may answer a question, as far as ranking needs them:
 * those with these ids that are in scope, in the order of the ids, with the terms of these families.
 */
export function createReadCandidates(
  database: DatabaseSync,
  seenOf: (chatbot: string) => SeenPassages,
) {
  const getSources = database.prepare(
    `SELECT number, uuid, title, tokens_version
     FROM json_each(?) JOIN passage_source ON number = value`,
  );
  const getTerms = database.prepare(`
    SELECT wanted.value AS id, terms FROM json_each(?) AS wanted
    JOIN passage_terms ON passage = wanted.value ORDER BY wanted.key
  `);
  const getText = database.prepare('SELECT text, headings FROM passage WHERE id = ?');
  const known = createLru<Source, number>(maxSources);

  /** Reads those that are not in memory, together. */
  const load = (numbers: ReadonlySet<number>, version: string): void => {
    const missing = [...numbers].filter((number) => known.get(number)?.seenVersion !== version);
    if (missing.length === 0) return;
    for (const row of readRows<SourceRow>(getSources, JSON.stringify(missing))) {
      known.set(row.number, toSource(row, version));
    }
  };

  /** The sources of the passages that are in scope, by the passages' ids. */
  const sourcesOf = (
    ids: readonly number[],
    { chatbot, sources }: PassageScope,
  ): Map<number, Source> => {
    const seen = seenOf(chatbot);
    const among = sources && new Set(sources);
    const numbers = new Map<number, number>();
    for (const id of ids) {
      const number = sourceNumberOf(seen, id);
      if (number !== undefined) numbers.set(id, number);
    }
    load(new Set(numbers.values()), seen.version);
    const found = new Map<number, Source>();
    for (const [id, number] of numbers) {
      const source = known.get(number);
      if (source?.seenVersion !== seen.version || among?.has(source.uuid) === false) continue;
      found.set(id, source);
    }
    return found;
  };

  const makeTerms = (id: number): Uint8Array | undefined => {
    const row = getText.get(id);
    if (row === undefined) return undefined;
    const headings = JSON.parse(String(row['headings'])) as string[];
    return packTerms(toTerms({ text: String(row['text']), headings }));
  };

  return (ids: readonly number[], scope: PassageScope, families: Families): Candidate[] => {
    const sourceOf = sourcesOf(ids, scope);
    const rows = readRows<TermsRow>(getTerms, JSON.stringify([...sourceOf.keys()]));
    return rows.flatMap(({ id, terms: stored }) => {
      const source = sourceOf.get(id);
      // Terms of another version are made anew until the passage is indexed again.
      const packed = source?.isCurrent ? stored : makeTerms(id);
      if (source === undefined || packed === undefined) return [];
      const terms = unpackTerms(packed, families);
      return [{ id, terms, headings: withTokens(source.titleTokens, terms.headings) }];
    });
  };
}

function toSource({ uuid, title, tokens_version }: SourceRow, seenVersion: string): Source {
  return {
    uuid,
    titleTokens: new Set(toHeadingTokens({ headings: [] }, title)),
    isCurrent: tokens_version === indexVersion,
    seenVersion,
  };
}

function withTokens(tokens: ReadonlySet<string>, more: readonly string[]): ReadonlySet<string> {
  return more.length === 0 ? tokens : new Set([...tokens, ...more]);
}
