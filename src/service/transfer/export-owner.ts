import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { privateMode } from '../../primitives/private-files.ts';
import { RefusedError } from '../../primitives/refused-error.ts';
import { openDatabaseBeside, readRows } from '../store/database.ts';
import { createOwnerStore, type OwnerRecord, type OwnerStore } from '../store/owner-store.ts';
import {
  filesFolder,
  jsonColumns,
  manifestName,
  passages,
  tables,
  type TransferTable,
  version,
} from './format.ts';

/** Equal data gives equal exports, so no entry has a time of its own. */
const mtime = new Date(Date.UTC(2000, 0, 1));
const options = { mtime, forceDosTimestamp: true };

/**
 * Writes everything of an owner to a zip file, as it is at one moment, also beside a running service.
 * docs/operate.md describes the file.
 * @param owner a name; if not given, the only one’s
 * @returns the owner’s name
 * @throws {RefusedError} when the file exists, or it isn't clear whose data is meant
 */
export async function exportOwner(
  dataDir: string,
  { file, owner: asked }: { file: string; owner?: string },
): Promise<string> {
  if (existsSync(file)) throw new RefusedError(`${file} exists already. Name a new file.`);
  using database = openToExport(join(dataDir, 'service.sqlite'));
  const { id, name } = chooseOwner(createOwnerStore(database), asked);
  const owner = name ?? id;
  const zip = new ZipFile();
  const manifest = { format: 'causeway-export', version, owner };
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest)}\n`), manifestName, options);
  for (const table of [...tables, passages]) {
    zip.addReadStreamLazy(`${table.name}.jsonl`, options, (done) =>
      done(undefined, Readable.from(readLines(database, table, id))),
    );
  }
  const sources = database.prepare(
    `SELECT sources.uuid FROM sources JOIN chatbots ON chatbots.uuid = chatbot
     WHERE owner = ? ORDER BY sources.id`,
  );
  for (const { uuid } of readRows<{ uuid: string }>(sources, id)) {
    const path = join(dataDir, 'files', 'sources', uuid);
    if (existsSync(path))
      zip.addFile(path, `${filesFolder}${uuid}`, { ...options, mode: 0o100600 });
  }
  zip.end();
  const unfinished = `${file}.unfinished`;
  const failed = new Promise<never>((_, reject) => zip.on('error', reject));
  try {
    const written = createWriteStream(unfinished, { flags: 'w', mode: privateMode });
    await Promise.race([pipeline(zip.outputStream, written), failed]);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  return owner;
}

/** @throws {RefusedError} when there is no database, or one of another version */
function openToExport(path: string): DatabaseSync {
  if (!existsSync(path)) {
    throw new RefusedError(`There is nothing to export: ${path} does not exist. Set DATA_DIR.`);
  }
  const database = openDatabaseBeside(path);
  // All reads see the same moment.
  database.exec('BEGIN');
  database.prepare('SELECT count(*) FROM chatbots').get();
  return database;
}

/** @throws {RefusedError} when it isn't clear whose data is meant */
function chooseOwner(store: OwnerStore, asked: string | undefined): OwnerRecord {
  const owners = store.list().filter(({ id }) => store.hasData(id));
  const list = owners.map(({ name }) => name).join(', ');
  const [only, ...others] = owners.filter(({ name }) => asked === undefined || name === asked);
  if (only === undefined) {
    const who = asked === undefined ? 'Nobody has data' : `${asked} has no data`;
    const hint = list === '' ? '' : ` Owners with data: ${list}.`;
    throw new RefusedError(`There is nothing to export: ${who}.${hint}`);
  }
  if (others.length === 0) return only;
  throw new RefusedError(`Several owners have data: ${list}. Choose one with --owner.`);
}

function* readLines(
  database: DatabaseSync,
  table: TransferTable,
  owner: string,
): Generator<string> {
  const { name, Row, from, expressions = {} } = table;
  const columns = Object.keys(Row.shape).map(
    (column) => `${expressions[column] ?? `${name}.${column}`} AS "${column}"`,
  );
  const json = jsonColumns(table);
  const rows = database.prepare(`SELECT ${columns.join(', ')} FROM ${from}`);
  for (const row of rows.iterate(owner)) {
    for (const column of json) row[column] = JSON.parse(String(row[column]));
    yield `${JSON.stringify(row)}\n`;
  }
}
