import { sql } from 'kysely';
import { RefusedError } from '../../shared/primitives/refused-error.ts';
import {
  type AnyQueries,
  type CopiedTable,
  deleteRows,
  readLastKey,
} from '../../shared/stores/copied-tables.ts';
import type { CopiedOwner } from '../../shared/stores/copy.ts';
import { passageId } from './passage-draft.ts';

/** An owner's rows of tables that refer to another one, as SQL. */
const owned = (owner: string) => sql`owner = ${owner}`;
const chatbots = (owner: string) => sql`(SELECT uuid FROM chatbots WHERE ${owned(owner)})`;
const ofChatbots = (owner: string) => sql`chatbot IN ${chatbots(owner)}`;
const among = (column: string, table: string) => (owner: string) =>
  sql`${sql.ref(column)} IN (SELECT uuid FROM ${sql.table(table)} WHERE ${ofChatbots(owner)})`;
const corpora = (owner: string) => sql`(SELECT id FROM corpora WHERE ${ofChatbots(owner)})`;
const ofCorpora = (owner: string) => sql`corpus IN ${corpora(owner)}`;
const ofVersions = (owner: string) =>
  sql`version IN (SELECT number FROM source_versions WHERE ${ofCorpora(owner)})`;

/** A table whose rows have ids of their own. */
const withIds = (name: string) => ({
  name,
  key: ['id'],
  serial: 'id',
  numbers: { id: { of: name } },
});

const corpus = { of: 'corpora' };
const version = { of: 'source_versions' };
const passage = { of: 'source_versions', times: passageId(1, 0) };

/** What a copy takes of the service's database: everything. Each table comes after what it refers to. */
export const copiedTables: readonly CopiedTable[] = [
  { name: 'owners', key: ['id'], ofOwner: (owner) => sql`id = ${owner}` },
  { name: 'keys', key: ['hash'], ofOwner: owned },
  { ...withIds('chatbots'), ofOwner: owned },
  { ...withIds('agents'), ofOwner: ofChatbots },
  { ...withIds('tags'), ofOwner: ofChatbots },
  { ...withIds('sources'), ofOwner: ofChatbots },
  // A part is up to 1 MB.
  {
    name: 'source_files',
    key: ['source', 'part'],
    ofOwner: among('source', 'sources'),
    pageLength: 8,
  },
  { name: 'agent_sources', key: ['holder', 'source'], ofOwner: among('holder', 'agents') },
  { name: 'agent_tags', key: ['agent', 'tag'], ofOwner: among('agent', 'agents') },
  { name: 'tag_sources', key: ['holder', 'source'], ofOwner: among('holder', 'tags') },
  { ...withIds('sessions'), ofOwner: ofChatbots },
  { ...withIds('messages'), ofOwner: among('session', 'sessions') },
  { ...withIds('session_documents'), ofOwner: owned, pageLength: 8 },
  { ...withIds('corpora'), ofOwner: ofChatbots },
  {
    name: 'source_versions',
    key: ['number'],
    serial: 'number',
    numbers: { number: version, corpus },
    ofOwner: ofCorpora,
    pageLength: 50,
  },
  { name: 'passages', key: ['id'], numbers: { id: passage, version }, ofOwner: ofVersions },
  {
    name: 'postings',
    key: ['corpus', 'term', 'version', 'part'],
    numbers: { corpus, version },
    ofOwner: ofCorpora,
  },
  {
    name: 'passage_vectors',
    key: ['passage'],
    numbers: { passage, version },
    ofOwner: ofVersions,
  },
];

/**
 * An owner of the source as a copy needs it.
 * @throws {RefusedError} if there is none of this name
 */
export async function findCopiedOwner(source: AnyQueries, name: string): Promise<CopiedOwner> {
  const [owner] = await findOwners(source, { name });
  if (!owner) {
    throw new RefusedError(
      `There is no owner ${name} in the source. npm run keys -- list shows all.`,
    );
  }
  const { id } = owner;
  return {
    id,
    name,
    async makeRoom(tx, replace) {
      let adopts: string | undefined;
      for (const other of await findOwners(tx, owner)) {
        if (replace) await deleteOwned(tx, other.id);
        else await refuseData(tx, other, id);
        await sql`DELETE FROM owners WHERE id = ${other.id}`.execute(tx);
        if (other.id !== id) adopts = other.id;
      }
      return adopts;
    },
    async adopt(tx, from) {
      await sql`UPDATE keys SET owner = ${id} WHERE owner = ${from}`.execute(tx);
    },
  };
}

interface Owner {
  id: string;
  name: string;
}

/** The owners of this name or id. */
async function findOwners(db: AnyQueries, { id = '', name }: Partial<Owner>): Promise<Owner[]> {
  const { rows } = await sql<Owner>`
    SELECT id, name FROM owners WHERE name = ${name} OR id = ${id}
  `.execute(db);
  return rows;
}

/** Keys alone are no data, unless the copy may bring them too. */
async function refuseData(tx: AnyQueries, { id, name }: Owner, copied: string): Promise<void> {
  const counted = new Set(['chatbots', 'session_documents']);
  if (id === copied) counted.add('keys');
  for (const table of copiedTables.filter((each) => counted.has(each.name))) {
    if ((await readLastKey(tx, { table, owner: id })) === undefined) continue;
    throw new RefusedError(
      `There is data of ${name} in the target already. To delete it and copy in its place, add --replace.`,
    );
  }
}

/** Also the owner’s keys. */
async function deleteOwned(tx: AnyQueries, owner: string): Promise<void> {
  for (const table of copiedTables.toReversed()) await deleteRows(tx, { table, owner });
}
