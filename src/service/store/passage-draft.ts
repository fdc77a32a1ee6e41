import { sum, toBatches } from '../../shared/primitives/iterables.ts';
import type { Passage } from '../ingestion/passages.ts';
import { countTerms, indexVersion, renderTerms, toTerms } from '../retrieval/terms.ts';
import type { Database } from '../../shared/stores/database.ts';
import { createUuid } from '../identifiers.ts';
import { toHeadingTokens } from '../retrieval/tokenize.ts';
import type { Queries, ServiceTables } from './schema.ts';

/** The source of a passage, for citations. */
export interface PassageSource {
  uuid: string;
  title: string;
  file_name: string;
  type: string;
}

/** A version of a source's passages that is being written. Search does not see it. */
export interface Draft {
  readonly version: number;
  add(passages: readonly Passage[]): Promise<void>;
  /** Writes the rest of the index; nothing is added after it. */
  finish(): Promise<void>;
  /** How many terms each passage has, as `source_versions` has it. */
  lengths(): Uint8Array;
}

/** The place of a passage in its version is below this. */
const maxPassages = 2 ** 20;

/** A passage's id: its version's number, and its place in the version. */
export function passageId(version: number, place: number): number {
  return version * maxPassages + place;
}

/** The version and the place in an id. */
export function splitPassageId(id: number): { version: number; place: number } {
  return { version: Math.floor(id / maxPassages), place: id % maxPassages };
}

/** Passages whose terms are written together: the more, the fewer rows. */
const passagesPerPart = 500;
/** Rows written by one statement. */
const batchSize = 200;

/** Numbers as they are stored: 32 bits each, in the order of this machine, little-endian everywhere. */
function toBytes(numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(numbers).buffer);
}

export function toNumbers(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

/** New versions of the passages of sources. */
export interface Drafts {
  /** Begins a new version of a source's passages. */
  begin(chatbot: string, source: PassageSource): Promise<Draft>;
}

/**
 * What is written of drafts survives the death of the process, but not a power cut until they are
 * published: after either, they are written anew.
 */
export function createDrafts(database: Database<ServiceTables>): Drafts {
  async function findCorpus(tx: Queries, chatbot: string): Promise<number> {
    await tx
      .insertInto('corpora')
      .values({ chatbot, version: createUuid() })
      .onConflict((oc) => oc.column('chatbot').doNothing())
      .execute();
    const row = await tx
      .selectFrom('corpora')
      .select('id')
      .where('chatbot', '=', chatbot)
      .executeTakeFirstOrThrow();
    return row.id;
  }

  return {
    begin: (chatbot, { uuid, title, file_name: fileName, type }) =>
      database.transaction(async (tx) => {
        const corpus = await findCorpus(tx, chatbot);
        const row = await tx
          .insertInto('sourceVersions')
          .values({
            corpus,
            source: uuid,
            state: 'draft',
            title,
            titleTerms: toTitleTerms(title),
            fileName,
            type,
            lengths: new Uint8Array(),
            indexVersion,
          })
          .returning('number')
          .executeTakeFirstOrThrow();
        return createDraft(database, { version: row.number, corpus });
      }),
  };
}

/** The terms of a title, as `source_versions` has them. */
export function toTitleTerms(title: string): string {
  return JSON.stringify([...new Set(toHeadingTokens({ headings: [] }, title))]);
}

function createDraft(
  database: Database<ServiceTables>,
  { version, corpus }: { version: number; corpus: number },
): Draft {
  const lengths: number[] = [];
  /** By term, the places and counts of the passages whose terms are not written yet. */
  let postings = new Map<string, number[]>();
  let part = 0;

  function index(place: number, counts: ReadonlyMap<string, number>): void {
    for (const [term, count] of counts) {
      const posting = postings.get(term);
      if (posting) posting.push(place, count);
      else postings.set(term, [place, count]);
    }
  }

  async function writePart(): Promise<void> {
    const rows = [...postings].map(([term, numbers]) => {
      return { corpus, term, version, part, data: toBytes(numbers) };
    });
    postings = new Map();
    part += 1;
    // In the order in which the table keeps them.
    rows.sort((one, other) => (one.term < other.term ? -1 : 1));
    await database.relaxed(async (tx) => {
      for (const batch of toBatches(rows, batchSize)) {
        await tx.insertInto('postings').values(batch).execute();
      }
    });
  }

  function toRow(passage: Passage) {
    const place = lengths.length;
    if (place === maxPassages) throw new Error('A source has more passages than can be numbered.');
    const terms = toTerms(passage);
    const counts = countTerms(terms);
    const inText = sum(terms.units.map(({ places }) => places.length));
    lengths.push(inText + terms.headings.length);
    index(place, counts);
    const { text, headings, page = null, start, end, tokens } = passage;
    return {
      id: passageId(version, place),
      version,
      text,
      headings: JSON.stringify(headings),
      page,
      start,
      end,
      tokens,
      sentences: renderTerms(terms),
    };
  }

  return {
    version,
    async add(passages) {
      if (passages.length === 0) return;
      const rows = passages.map(toRow);
      await database.relaxed(async (tx) => {
        for (const batch of toBatches(rows, batchSize)) {
          await tx.insertInto('passages').values(batch).execute();
        }
      });
      if (lengths.length >= (part + 1) * passagesPerPart) await writePart();
    },
    finish: writePart,
    lengths: () => toBytes(lengths),
  };
}
