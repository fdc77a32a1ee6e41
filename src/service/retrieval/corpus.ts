import { LRUCache } from 'lru-cache';
import { createOnceAtATime } from '../../shared/primitives/cache.ts';
import { sum } from '../../shared/primitives/iterables.ts';
import { splitPassageId, toNumbers } from '../store/passage-draft.ts';
import type { Queries, Row } from '../store/schema.ts';
import { indexVersion } from './terms.ts';

/** A source whose passages search sees. They are next to each other among the rows of the corpus. */
export interface CorpusSource {
  uuid: string;
  /** Of its live version. */
  number: number;
  titleTerms: ReadonlySet<string>;
  /** Whether the terms of its passages are stored as this version of Causeway makes them. */
  isCurrent: boolean;
  firstRow: number;
  passages: number;
}

/** All that a chatbot's search sees at one moment: passages, each of which is a row. */
export interface Corpus {
  id: number;
  /** Differs after each change; empty while there is nothing. */
  version: string;
  /** In the order of their rows. */
  sources: readonly CorpusSource[];
  byNumber: ReadonlyMap<number, CorpusSource>;
  byTitleTerm: ReadonlyMap<string, readonly CorpusSource[]>;
  /** How many terms each passage has. */
  lengths: Uint32Array;
  usualLength: number;
}

const emptyCorpus: Corpus = {
  id: 0,
  version: '',
  sources: [],
  byNumber: new Map(),
  byTitleTerm: new Map(),
  lengths: new Uint32Array(),
  usualLength: 1,
};

const columns = ['number', 'source', 'titleTerms', 'lengths', 'indexVersion'] as const;

const maxBytes = 16 * 1024 * 1024;
/** About what a source takes up in memory, with the terms of its title. */
const sourceBytes = 1000;

/** Returns a function that reads what a chatbot's search sees now. Recent ones stay in memory. */
export function createReadCorpus(db: Queries): (chatbot: string) => Promise<Corpus> {
  const known = new LRUCache<string, Corpus>({
    maxSize: maxBytes,
    sizeCalculation: ({ sources, lengths }) =>
      1 + sources.length * sourceBytes + lengths.byteLength,
  });
  const once = createOnceAtATime<Corpus>();

  async function load(id: number, version: string): Promise<Corpus> {
    const rows = await db
      .selectFrom('sourceVersions')
      .innerJoin('corpora', 'corpora.id', 'corpus')
      .select(['version', ...columns])
      .where('corpus', '=', id)
      .where('state', '=', 'live')
      .orderBy('number')
      .execute();
    // It may have changed in the meantime: rows and version are from the same moment.
    return toCorpus(id, rows[0]?.version ?? version, rows);
  }

  return async (chatbot) => {
    const row = await db
      .selectFrom('corpora')
      .select(['id', 'version'])
      .where('chatbot', '=', chatbot)
      .executeTakeFirst();
    if (!row) return emptyCorpus;
    const found = known.get(chatbot);
    if (found?.version === row.version) return found;
    const corpus = await once(row.version, () => load(row.id, row.version));
    known.set(chatbot, corpus);
    return corpus;
  };
}

function toCorpus(
  id: number,
  version: string,
  rows: readonly Pick<Row<'sourceVersions'>, (typeof columns)[number]>[],
): Corpus {
  const sources: CorpusSource[] = [];
  const parts = rows.map(({ lengths }) => toNumbers(lengths));
  const lengths = new Uint32Array(sum(parts.map((part) => part.length)));
  let firstRow = 0;
  for (const [index, row] of rows.entries()) {
    const passages = parts[index]?.length ?? 0;
    lengths.set(parts[index] ?? [], firstRow);
    sources.push({
      uuid: row.source,
      number: row.number,
      titleTerms: new Set(JSON.parse(row.titleTerms) as string[]),
      isCurrent: row.indexVersion === indexVersion,
      firstRow,
      passages,
    });
    firstRow += passages;
  }
  const byTitleTerm = new Map<string, CorpusSource[]>();
  for (const source of sources) {
    for (const term of source.titleTerms) {
      const titled = byTitleTerm.get(term);
      if (titled) titled.push(source);
      else byTitleTerm.set(term, [source]);
    }
  }
  return {
    id,
    version,
    sources,
    byNumber: new Map(sources.map((source) => [source.number, source])),
    byTitleTerm,
    lengths,
    usualLength: sum(lengths) / lengths.length || 1,
  };
}

/** The source of a passage; undefined if no search sees the passage. */
export function sourceOf({ byNumber }: Corpus, passage: number): CorpusSource | undefined {
  return byNumber.get(splitPassageId(passage).version);
}
