import { createWriteStream, existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { createPrivateFolder, privateMode } from '../../primitives/private-files.ts';
import { RefusedError } from '../../primitives/refused-error.ts';
import { createFiles } from '../files.ts';
import { type ApiKey, createOwners } from '../owners.ts';
import type { Passage as IndexedPassage } from '../ingestion/passages.ts';
import { openDatabaseBeside } from '../store/database.ts';
import { createOwnerStore } from '../store/owner-store.ts';
import { type SourceRecord, toPassageSource } from '../store/source-store.ts';
import { createStore, type Store } from '../store/store.ts';
import { type ArchiveReader, openArchiveFile } from './archive-reader.ts';
import {
  filesFolder,
  Manifest,
  manifestName,
  Passage,
  passages,
  tables,
  type TransferTable,
  version,
} from './format.ts';

type Row = Record<string, unknown>;

/** Larger than any upload may be. */
const maxFileBytes = 64 * 1024 * 1024;

/** Passages are indexed this many at a time. */
const batchSize = 10;

/**
 * Adds what an export contains to a data folder that no process uses: all of it or nothing. Sources
 * that were not ready yet are ingested by the next start.
 * @param owner the name of whom it becomes, created if missing; if not given, the same as before
 * @param keys those of the environment, which may have owners without names
 * @returns the owner’s name
 * @throws {RefusedError} when the file is not an export of a known version, is damaged or contradicts
 *   itself, or something of it is here already
 */
export async function importOwner(
  dataDir: string,
  { file, owner: asked, keys = [] }: { file: string; owner?: string; keys?: readonly ApiKey[] },
): Promise<string> {
  if (!existsSync(file)) throw new RefusedError(`${file} does not exist.`);
  using archive = await openArchiveFile(file);
  const manifest = await readManifest(archive, file);
  checkNames(archive);
  createPrivateFolder(dataDir);
  checkSpace(archive, dataDir);
  const name = asked ?? manifest.owner;
  using database = openDatabaseBeside(join(dataDir, 'service.sqlite'));
  const store = createStore(database);
  database.exec('BEGIN IMMEDIATE');
  try {
    const owner = createOwners(createOwnerStore(database), keys, Date.now).named(name);
    const imported = createReferences();
    for (const table of tables)
      await importTable(archive, table, { database, store, owner, imported });
    await importPassages(archive, store, imported);
    await importFiles(archive, dataDir, { store, imported });
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw explain(error);
  }
  return name;
}

async function readManifest(archive: ArchiveReader, file: string) {
  if (archive.size(manifestName) > 10_000) throw refusal(`${manifestName} is too long`);
  for await (const line of archive.lines(manifestName)) {
    const manifest = Manifest.safeParse(parseJson(line)).data;
    if (!manifest) break;
    if (manifest.version === version) return manifest;
    throw new RefusedError(
      `${file} has version ${manifest.version} of the format; this version of Causeway reads ${version}. Export it again with this version.`,
    );
  }
  throw new RefusedError(`${file} is no export of Causeway.`);
}

function checkNames(archive: ArchiveReader): void {
  const known = new Set([
    manifestName,
    ...[...tables, passages].map(({ name }) => `${name}.jsonl`),
  ]);
  for (const name of archive.names()) {
    if (known.has(name)) continue;
    if (!/^files\/[0-9a-f]{32}$/.test(name)) throw refusal(`it contains ${name.slice(0, 100)}`);
    if (archive.size(name) > maxFileBytes) throw refusal(`${name} is too large`);
  }
}

/** What a zip bomb would fill is known before anything is unpacked. */
function checkSpace(archive: ArchiveReader, dataDir: string): void {
  const { bavail, bsize } = statfsSync(dataDir);
  if (archive.bytes < bavail * bsize) return;
  throw refusal(`it needs ${archive.bytes} bytes, and ${dataDir} has less`);
}

/** The imported rows that others may name, and the chatbot that each belongs to. */
function createReferences() {
  const chatbots = new Map<string, string>();
  return {
    /** @param noun what the columns that name such a row are called */
    add: (noun: string, uuid: string, chatbot: string) =>
      void chatbots.set(`${noun} ${uuid}`, chatbot),
    has: (noun: string, uuid: string) => chatbots.has(`${noun} ${uuid}`),
    /**
     * The chatbot of the rows that a row names: a row may name only what is imported with it, of one
     * chatbot, and nothing that is here already and someone else’s.
     * @throws {RefusedError}
     */
    chatbotOf(row: Row, columns: readonly string[]): string | undefined {
      const named = columns
        .filter((column) => row[column] !== null)
        .map((column) => chatbots.get(`${column} ${String(row[column])}`));
      if (named.some((chatbot) => chatbot === undefined || chatbot !== named[0])) {
        throw refusal(`a row’s ${columns.join(' or ')} is not part of it`);
      }
      return named[0];
    },
  };
}

type References = ReturnType<typeof createReferences>;

interface ImportParts {
  database: DatabaseSync;
  store: Store;
  owner: string;
  imported: References;
}

async function importTable(
  archive: ArchiveReader,
  table: TransferTable,
  { database, store, owner, imported }: ImportParts,
): Promise<void> {
  const { name, Row, references } = table;
  const insert = prepareInsert(table, { database, store });
  const find =
    'uuid' in Row.shape ? database.prepare(`SELECT 1 FROM ${name} WHERE uuid = ?`) : undefined;
  for await (const read of readRows(archive, table)) {
    const row: Row = { ...read, owner };
    const chatbot = imported.chatbotOf(row, references);
    const uuid = String(row['uuid']);
    if (find?.get(uuid)) {
      throw new RefusedError(
        `${uuid} of ${name} exists here already, or twice in the file. Nothing was imported.`,
      );
    }
    insert(row);
    if (find)
      imported.add(name.replace(/s$/, ''), uuid, name === 'chatbots' ? uuid : (chatbot ?? ''));
  }
}

function prepareInsert(
  { name, Row, chosenBy: noun }: TransferTable,
  { database, store }: Pick<ImportParts, 'database' | 'store'>,
): (row: Row) => void {
  if (noun !== undefined) {
    return (row) => store.choices.add({ noun, uuid: String(row[noun]) }, String(row['source']));
  }
  const hasOwner = name === 'chatbots' || name === 'session_documents';
  const columns = [...Object.keys(Row.shape), ...(hasOwner ? ['owner'] : [])];
  const insert = database.prepare(
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  return (row) => void insert.run(...columns.map((column) => toValue(row[column])));
}

async function importPassages(
  archive: ArchiveReader,
  store: Store,
  imported: References,
): Promise<void> {
  let source: SourceRecord | undefined;
  let draft = '';
  let batch: IndexedPassage[] = [];
  const write = () => {
    if (batch.length > 0) store.passages.add(draft, batch);
    batch = [];
  };
  const publish = () => {
    write();
    if (source) store.passages.publish(draft, source.modifiedMs);
  };
  for await (const read of readRows(archive, passages)) {
    const { source: uuid, page, ...passage } = Passage.parse(read);
    if (uuid !== source?.uuid) {
      publish();
      imported.chatbotOf({ source: uuid }, passages.references);
      source = store.sources.find(uuid);
      if (!source) throw refusal(`it has passages of ${uuid}, which is no source`);
      draft = store.passages.draft(source.chatbot, toPassageSource(source));
    }
    batch.push({ ...passage, page: page ?? undefined });
    if (batch.length === batchSize) write();
  }
  publish();
}

/** The next start removes files without a source, so that a cut off import leaves nothing. */
async function importFiles(
  archive: ArchiveReader,
  dataDir: string,
  { store, imported }: { store: Store; imported: References },
): Promise<void> {
  const files = createFiles(join(dataDir, 'files'), new Set(store.sources.listUuids()));
  for (const name of archive.names()) {
    if (!name.startsWith(filesFolder)) continue;
    const uuid = name.slice(filesFolder.length);
    if (!imported.has('source', uuid)) {
      throw refusal(`${name} belongs to none of its sources`);
    }
    const path = files.createIncomingPath();
    await pipeline(await archive.stream(name), createWriteStream(path, { mode: privateMode }));
    files.keep(path, uuid);
  }
}

async function* readRows(
  archive: ArchiveReader,
  { name, Row }: TransferTable,
): AsyncGenerator<Row> {
  let number = 0;
  for await (const line of archive.lines(`${name}.jsonl`)) {
    number += 1;
    const row = parseJson(line);
    const { success, error } = Row.safeParse(row);
    // As it was written: parsed, its properties would have another order.
    if (success) yield row as Row;
    else {
      const [issue] = error?.issues ?? [];
      const place = issue?.path.join('.') ?? '';
      throw refusal(`line ${number} of ${name}.jsonl is wrong: ${place} ${issue?.message}`);
    }
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function toValue(value: unknown): SQLInputValue {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as SQLInputValue);
}

function refusal(reason: string): RefusedError {
  return new RefusedError(`The file can’t be imported: ${reason}. Nothing was imported.`);
}

/** What SQLite or the unpacking refuses, as a sentence. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof RefusedError) return error;
  const isFull = 'code' in error && error.code === 'ENOSPC';
  return isFull ? error : refusal(error.message);
}
