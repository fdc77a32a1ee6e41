import { toBatches } from '../../shared/primitives/iterables.ts';
import type { Passage } from '../ingestion/passages.ts';
import { countTerms, renderTerms, toTerms } from '../retrieval/terms.ts';
import type { Queries } from './schema.ts';

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
export function toBytes(numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(numbers).buffer);
}

export function toNumbers(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

/** A draft whose row exists. What it writes is of no use until it is published. */
export function createDraft(
  db: Queries,
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
    for (const batch of toBatches(rows, batchSize)) {
      await db.insertInto('postings').values(batch).execute();
    }
  }

  function toRow(passage: Passage) {
    const place = lengths.length;
    if (place === maxPassages) throw new Error('A source has more passages than can be numbered.');
    const terms = toTerms(passage);
    const counts = countTerms(terms);
    const inText = terms.units.reduce((sum, { places }) => sum + places.length, 0);
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
      await db.insertInto('passages').values(passages.map(toRow)).execute();
      if (lengths.length >= (part + 1) * passagesPerPart) await writePart();
    },
    finish: writePart,
    lengths: () => toBytes(lengths),
  };
}
