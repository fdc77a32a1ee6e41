import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { privateMode } from '../../primitives/private-files.ts';
import { retry } from '../../primitives/retry.ts';
import { sleep } from '../../primitives/sleep.ts';
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
const options = { mtime, forceDosTimestamp: true, mode: 0o100600 };

/** How often the export begins anew, because a file was deleted meanwhile. */
const maxTries = 5;

/**
 * Writes everything of an owner to a zip file, as it is at one moment, also beside a running service.
 * docs/operate.md describes the file.
 * @param owner a name; if not given, the only one’s
 * @returns the owner’s name
 * @throws {RefusedError} when the file exists or its folder doesn't, or it isn't clear whose data is meant
 */
export async function exportOwner(
  dataDir: string,
  { file, owner }: { file: string; owner?: string },
): Promise<string> {
  if (existsSync(file)) throw new RefusedError(`${file} exists already. Name a new file.`);
  if (!existsSync(dirname(file))) throw new RefusedError(`There is no folder ${dirname(file)}.`);
  const unfinished = `${file}.unfinished`;
  try {
    const name = await retry(() => writeOwner(dataDir, { file: unfinished, owner }), {
      waitMs: (error, failures) => (isGone(error) && failures < maxTries ? 0 : undefined),
      sleep,
    });
    renameSync(unfinished, file);
    return name;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** @throws {Error} also when a file of a source is deleted meanwhile */
async function writeOwner(
  dataDir: string,
  { file, owner: asked }: { file: string; owner?: string },
): Promise<string> {
  using database = openToExport(join(dataDir, 'service.sqlite'));
  const { id, name } = chooseOwner(createOwnerStore(database), asked);
  const owner = name ?? id;
  rmSync(file, { force: true });
  const written = createWriteStream(file, { flags: 'wx', mode: privateMode });
  const fail = (error: Error) => void written.destroy(error);
  const zip = new ZipFile();
  zip.on('error', fail);
  const pass = async (openStream: () => Promise<Readable>, done: (stream: Readable) => void) => {
    try {
      done((await openStream()).on('error', fail));
    } catch (error) {
      fail(error as Error);
    }
  };
  /** Its stream is opened when its turn has come. */
  const addEntry = (entry: string, openStream: () => Promise<Readable>) =>
    zip.addReadStreamLazy(entry, options, (done) => {
      void pass(openStream, (stream) => done(undefined, stream));
    });

  const manifest = { format: 'causeway-export', version, owner };
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest)}\n`), manifestName, options);
  for (const table of [...tables, passages]) {
    addEntry(`${table.name}.jsonl`, async () => Readable.from(readLines(database, table, id)));
  }
  const sources = database.prepare(
    `SELECT sources.uuid FROM sources JOIN chatbots ON chatbots.uuid = chatbot
     WHERE owner = ? ORDER BY sources.id`,
  );
  for (const { uuid } of readRows<{ uuid: string }>(sources, id)) {
    const path = join(dataDir, 'files', 'sources', uuid);
    if (!existsSync(path)) continue;
    // Its size is not asked for: a page that is fetched again meanwhile may have another.
    addEntry(`${filesFolder}${uuid}`, async () => (await open(path)).createReadStream());
  }
  zip.end();
  await pipeline(zip.outputStream, written);
  return owner;
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
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
