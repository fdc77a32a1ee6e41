import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { copyData, type CopyOptions } from '../../src/app/copy.ts';
import { openStore } from '../../src/bridge/stores/open-store.ts';
import { copyCommand } from '../../src/cli/copy-command.ts';
import { explainFailure } from '../../src/cli/run-until-stopped.ts';
import { createDatabaseLocks } from '../../src/shared/stores/database-lock.ts';
import type { DatabasePlace } from '../../src/shared/stores/open-database.ts';
import { postgres, queryBeside } from '../fixtures/databases.ts';
import { readRows } from '../fixtures/kept-data.ts';
import { createDatabase, findPostgres, runOnServer } from '../fixtures/postgres-server.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { bertsKey, handbook, startTestService, type TestService } from '../service/fixture.ts';

const patience = { timeout: 60_000 };
const query = { query: 'When does the lighthouse open?' };

/** A data folder for SQLite. */
const createFiles = () => filesIn(createTemporaryFolder());

function filesIn(dataDir: string) {
  const path = join(dataDir, 'causeway.sqlite');
  return { dataDir, path, service: join(dataDir, 'service.sqlite'), url: `sqlite:${path}` };
}

type Files = ReturnType<typeof createFiles>;

async function addSource(service: TestService, chatbot: string, key?: string): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([String(handbook.content)]), handbook.name);
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const headers = key === undefined ? undefined : { authorization: `Bearer ${key}` };
  expect((await service.fetch(path, { method: 'POST', body: form, headers })).status).toBe(200);
  await service.service.settled();
}

async function ask(service: TestService, session: string, key?: string): Promise<unknown> {
  const path = `/api/v1/session/${session}/message/non-stream`;
  const answer = await service.post(path, query, key);
  expect(answer).toMatchObject({ status: 200 });
  const { response, citations } = answer.json;
  expect(response).toContain('nine in the morning');
  return { response, citations };
}

/** The service’s data of an owner: a chatbot, a source and a session with an answer. */
async function fillOwner(service: TestService, key?: string) {
  const { json: chatbot } = await service.post('/api/v1/chatbot/create', { name: 'Test' }, key);
  await addSource(service, chatbot.uuid, key);
  const path = `/api/v1/chatbot/${chatbot.uuid}/session/create`;
  const { json: session } = await service.post(path, undefined, key);
  return { session: String(session.uuid), answer: await ask(service, session.uuid, key) };
}

let filled: ReturnType<typeof fillFiles> | undefined;

/** Files of their own with rows in every table, with all that the databases store differently. */
async function fill() {
  filled ??= fillFiles(mkdtempSync(join(tmpdir(), 'causeway-filled-')));
  const { files: made, ...rest } = await filled;
  const files = createFiles();
  copyFileSync(made.path, files.path);
  copyFileSync(made.service, files.service);
  return { files, ...rest };
}

afterAll(async () => {
  if (filled) rmSync((await filled).files.dataDir, { recursive: true });
});

/** Fills a folder, once for all tests. */
async function fillFiles(dataDir: string) {
  const files = filesIn(dataDir);
  {
    await using store = await openStore(files.url);
    await store.keyv('note').set('zero', 'before\0after');
  }
  await using service = await startTestService({ dataDir: files.dataDir });
  const anna = await fillOwner(service);
  const bert = await fillOwner(service, bertsKey);
  await service[Symbol.asyncDispose]();
  using bridge = new DatabaseSync(files.path);
  bridge.exec(`
    INSERT INTO inbox (id, revision, state, created_at, attempts, value)
      VALUES ('one', 1, 'handled', 1790000000000, 0, '{}'), ('last', 1, 'handled', 1, 0, '{}');
    DELETE FROM inbox WHERE id = 'last';
    INSERT INTO questions (id, attempt, workspace, channel, thread, person, asked_ms, posts)
      VALUES ('one', 0, 'slack:T1', 'slack:T1:C1', 'slack:T1:C1:1', 'U1', 1790000000000, '[]');
    INSERT INTO leases (scope, holder, epoch) VALUES ('slack:T1', 'gone', 3);
    INSERT INTO processes (id, until_ms) VALUES ('gone', 1);
  `);
  using database = new DatabaseSync(files.service);
  database.exec(`
    INSERT INTO keys (hash, owner, name, prefix, created_ms)
      SELECT CAST(id AS BLOB), id, 'of' || char(0) || name, 'cw_x', 1 FROM owners;
    INSERT INTO tags (uuid, chatbot, name, color, created_ms, modified_ms)
      SELECT 'tag-' || id, uuid, 'Tag', 'red', 1, 1 FROM chatbots;
    INSERT INTO agent_sources (holder, source)
      SELECT agents.uuid, sources.uuid FROM agents JOIN sources USING (chatbot);
    INSERT INTO agent_tags (agent, tag)
      SELECT agents.uuid, tags.uuid FROM agents JOIN tags USING (chatbot);
    INSERT INTO tag_sources (holder, source)
      SELECT tags.uuid, sources.uuid FROM tags JOIN sources USING (chatbot);
    INSERT INTO session_documents (uuid, owner, session, file_name, document, created_ms)
      SELECT 'document-' || id, owner, NULL, 'a.txt', '{}', 9000000000000 FROM chatbots;
    INSERT INTO passage_vectors (passage, version, model, vector)
      SELECT id, version, 'none', x'00ff' FROM passages;
    INSERT INTO sessions (uuid, chatbot, variables, learned, created_ms, modified_ms)
      SELECT 'session-' || value, (SELECT uuid FROM chatbots ORDER BY id LIMIT 1), '{}', '{}', 1, 1
      FROM (WITH RECURSIVE counted (value) AS
        (SELECT 1 UNION ALL SELECT value + 1 FROM counted WHERE value < 450) SELECT * FROM counted);
    UPDATE sessions SET variables = 'a' || char(0) || 'b', modified_ms = 2 WHERE uuid = 'session-7';
  `);
  return { files, anna, bert };
}

/** All rows, in an order of their own, and the last number of each table that gives numbers. */
function readAll({ path, service }: Pick<Files, 'path' | 'service'>) {
  const left = new Set(['kysely_migration', 'kysely_migration_lock', 'leases', 'processes']);
  return [path, service].map((file) => {
    using database = new DatabaseSync(file, { readOnly: true });
    const tables = Object.entries(readRows(file)).filter(([name]) => !left.has(name));
    const triggers = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
      .all();
    return {
      rows: Object.fromEntries(
        tables.map(([name, rows]) => [
          name,
          rows.map((row) => JSON.stringify(row, toJson)).toSorted(),
        ]),
      ),
      sequences: database.prepare('SELECT name, seq FROM sqlite_sequence ORDER BY name').all(),
      triggers: triggers.map(({ name }) => String(name)).toSorted(),
    };
  });
}

const toJson = (_: string, value: unknown) => (value instanceof Uint8Array ? value.toHex() : value);

/** Copies, and gives the lines that it says. */
async function copy(options: Pick<CopyOptions, 'from' | 'to'> & Partial<CopyOptions>) {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const usual = { dataDir: createTemporaryFolder(), replace: false, patienceMs: 1_000, say };
  await copyData({ ...usual, ...options });
  return lines;
}

/** Breaks a copy off once it says a line that begins so. */
async function breakOff(options: Parameters<typeof copy>[0], at: string): Promise<void> {
  const say = (line: string) => {
    if (line.startsWith(at)) throw new Error('The power is gone.');
  };
  await expect(copy({ ...options, say })).rejects.toThrow('The power is gone.');
}

function startOn(place: DatabasePlace, options: object = {}) {
  return startTestService({ place, dataDir: createTemporaryFolder(), ...options });
}

describe.runIf(postgres.isInstalled)('a copy to Postgres', patience, () => {
  const { createPlaces } = postgres;

  test('and back has equal rows in every table, and answers equally in between', async () => {
    const { files, anna } = await fill();
    const there = await createPlaces();
    const lines = await copy({ from: files.url, to: there.storeUrl, dataDir: files.dataDir });
    expect(lines).toContain('service: sessions: 452 rows');
    const back = createFiles();
    await copy({ from: there.storeUrl, to: back.url, dataDir: back.dataDir });
    const before = readAll(files);
    // So that no table is forgotten.
    const tables = before.flatMap(({ rows }) => Object.entries(rows));
    expect(tables.filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(readAll(back)).toEqual(before);

    await using store = await openStore(there.storeUrl);
    expect(await store.keyv('note').get('zero')).toBe('before\0after');
    await using service = await startOn(there.service);
    expect(await ask(service, anna.session)).toEqual(anna.answer);
    // New numbers are above all that were ever given.
    await service.createChatbot();
    const rows = await queryBeside(
      there.bridge,
      `INSERT INTO inbox (id, revision, state, created_at, attempts, value)
        VALUES ('next', 1, 'handled', 1, 0, '{}') RETURNING arrival`,
    );
    expect(rows).toEqual([{ arrival: 3 }]);
    expect(await queryBeside(there.bridge, 'SELECT * FROM leases')).toEqual([]);
    // The triggers count again.
    const [owner] = await queryBeside(
      there.service,
      "SELECT (SELECT sum(bytes + 200 + octet_length(name) + octet_length(rate_limit_message)) FROM chatbots WHERE owner = owners.id) + (SELECT sum(200 + octet_length(file_name) + octet_length(document)) FROM session_documents WHERE owner = owners.id) AS counted, bytes FROM owners WHERE name = 'anna'",
    );
    expect(owner?.['bytes']).toBe(owner?.['counted']);
  });

  test('that breaks off goes on where it ended, and nothing starts with the half of it', async () => {
    const { files } = await fill();
    const { storeUrl, service } = await createPlaces();
    const options = { from: files.url, to: storeUrl, dataDir: files.dataDir };
    const main = new URL('../../src/start.js', import.meta.url).pathname;
    const env = { ...process.env, DATA_DIR: files.dataDir };
    const child = spawn(process.execPath, [main, 'copy', '--from', files.url, '--to', storeUrl], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await breakOff(options, 'service: messages');
    await expect(startOn(service)).rejects.toThrow('holds a copy that is not finished');
    // As if it ended in the middle of a table.
    const { Client } = (await import('pg')).default;
    const client = new Client(storeUrl);
    await client.connect();
    await client.query('DELETE FROM causeway_service.messages');
    await client.query('DELETE FROM causeway_service.sessions WHERE id > 200');
    await client.end();
    expect(await copy(options)).toContain('service: continues a copy that broke off');
    const back = createFiles();
    const backwards = { from: storeUrl, to: back.url, dataDir: back.dataDir };
    await breakOff(backwards, 'bridge: comparing');
    await expect(openStore(back.url)).rejects.toThrow('holds a copy that is not finished');
    // Between the ends of both databases.
    await breakOff(backwards, 'bridge: complete');
    await copy(backwards);
    expect(readAll(back)).toEqual(readAll(files));
  });

  test('notices when the source has changed meanwhile, and begins anew with --replace', async () => {
    const { files } = await fill();
    const { storeUrl } = await createPlaces();
    const options = { from: files.url, to: storeUrl, dataDir: files.dataDir };
    await breakOff(options, 'service: comparing');
    {
      using database = new DatabaseSync(files.service);
      database.exec("UPDATE chatbots SET name = 'Other'");
    }
    await expect(copy(options)).rejects.toThrow(/The copy of owners differs.*--replace/);
    await copy({ ...options, replace: true });
    const back = createFiles();
    await copy({ from: storeUrl, to: back.url, dataDir: back.dataDir });
    expect(readAll(back)).toEqual(readAll(files));
  });

  test('is refused where there is other data, another copy, or a process', async () => {
    const { files } = await fill();
    const { storeUrl, service: place } = await createPlaces();
    const options = { from: files.url, to: storeUrl, dataDir: files.dataDir };
    {
      using locks = createDatabaseLocks([files.service]);
      locks.take();
      await expect(copy(options)).rejects.toThrow(
        /A process uses .*service\.sqlite\. Stop it first/,
      );
    }
    {
      await using service = await startOn(place);
      await service.createChatbot();
      await expect(copy(options)).rejects.toThrow('A process of Causeway uses postgres://');
    }
    await expect(copy(options)).rejects.toThrow('There is data in the target already.');
    await breakOff({ ...options, replace: true }, 'service: sources');
    const other = await fill();
    const another = { ...options, from: other.files.url, dataDir: other.files.dataDir };
    await expect(copy(another)).rejects.toThrow(
      `Another copy to the target is not finished: the one from ${files.url}.`,
    );
    await copy({ ...another, replace: true });
    await expect(copy({ from: files.url, to: createFiles().url })).rejects.toThrow(
      'both name SQLite',
    );
    const service = `sqlite:${files.service}`;
    await expect(copy({ ...options, from: service })).rejects.toThrow(
      `--from names ${files.service}, which is for other data.`,
    );
    await expect(copy({ from: storeUrl, to: storeUrl })).rejects.toThrow('the same database');
    await expect(copy({ from: 'redis:x', to: storeUrl })).rejects.toThrow(
      '--from has an unknown scheme',
    );
    const empty = createFiles();
    await expect(copy({ ...options, from: empty.url, dataDir: empty.dataDir })).rejects.toThrow(
      'There is nothing to copy',
    );
    expect(existsSync(empty.path)).toBe(false);
    const missing = join(files.dataDir, 'elsewhere', 'causeway.sqlite');
    await expect(copy({ ...options, from: `sqlite:${missing}` })).rejects.toThrow(
      `--from names ${missing}, which does not exist.`,
    );
  });

  test('that is refused for the data of one part leaves the other part as it was, however often it is tried', async () => {
    const { files } = await fill();
    const { storeUrl, service: place } = await createPlaces();
    const options = { from: files.url, to: storeUrl, dataDir: files.dataDir };
    {
      await using store = await openStore(storeUrl);
      await store.keyv('note').set('own', 'here');
    }
    for (let times = 0; times < 2; times += 1) {
      await expect(copy(options)).rejects.toThrow('There is data in the target already.');
    }
    await using service = await startOn(place);
    await service.createChatbot();
  });

  test('of the service alone says that the bridge has no data', async () => {
    const { files } = await fill();
    const { storeUrl } = await createPlaces();
    rmSync(files.path);
    const lines = await copy({ from: files.url, to: storeUrl, dataDir: files.dataDir });
    expect(lines[0]).toBe(`bridge: left out, as ${files.path} has no data`);
    expect(lines.at(-1)).toBe('service: complete');
  });

  test('of one owner leaves out others, and comes beside those of the target', async () => {
    const { files, anna } = await fill();
    const there = await createPlaces();
    const bertsNewKey = 'berts-new-key';
    const keys = [{ key: bertsNewKey, owner: 'bert' }];
    let bert;
    {
      await using service = await startOn(there.service);
      bert = await fillOwner(service, bertsKey);
      await queryBeside(
        there.service,
        "INSERT INTO keys (hash, owner, name, prefix, created_ms) SELECT decode(repeat('6b', 32), 'hex'), id, 'kept', 'cw_k', 1 FROM owners WHERE name = 'anna'",
      );
    }
    const options = { from: files.url, to: there.storeUrl, dataDir: files.dataDir };
    await expect(copy({ ...options, owner: 'nobody' })).rejects.toThrow('There is no owner nobody');
    await expect(copy({ ...options, owner: 'bert' })).rejects.toThrow(
      'There is data of bert in the target already.',
    );
    await breakOff({ ...options, owner: 'anna' }, 'service: postings');
    await expect(copy(options)).rejects.toThrow('Another copy to the target is not finished');
    expect(await copy({ ...options, owner: 'anna' })).toContain('service: owners: 1 rows');
    await using service = await startOn(there.service, {
      keys: [{ key: 'annas-key', owner: 'anna' }, ...keys],
    });
    expect(await ask(service, anna.session)).toEqual(anna.answer);
    expect(await ask(service, bert.session, bertsNewKey)).toEqual(bert.answer);
    const found = await queryBeside(
      there.service,
      'SELECT owners.name, count(*) AS count FROM keys JOIN owners ON owners.id = keys.owner GROUP BY owners.name',
    );
    // The one that it brings, and the one that was there.
    expect(found).toEqual([{ name: 'anna', count: 2 }]);
    const owners = await queryBeside(there.service, 'SELECT name FROM owners ORDER BY name');
    expect(owners.map(({ name }) => name)).toEqual(['anna', 'bert', 'local']);
  });

  test('by the command says what it does, without passwords', async () => {
    const { files } = await fill();
    const { storeUrl } = await createPlaces();
    const to = Object.assign(new URL(storeUrl), { password: 'se-cret' }).href;
    const env = { ...process.env, DATA_DIR: files.dataDir };
    const refusal = async (options: Record<string, string>) =>
      explainFailure(
        await copyCommand
          .run({ env, argument: undefined, options })
          .catch((error: unknown) => error),
      );
    expect(await refusal({ from: files.url })).toContain('--to is missing.');
    const away = await refusal({ from: files.url, to: to.replace(/:\d+\//, ':1/') });
    expect(away).toContain('Check that the server runs');
    const main = new URL('../../src/start.js', import.meta.url).pathname;
    const child = spawn(process.execPath, [main, 'copy', '--from', files.url, '--to', to], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(out).toMatch(
      /^service: owners: 3 rows\n.*bridge: keyv: 1 rows\n.*Both sides have the same checksums\. Set STORE_URL/s,
    );
    expect(away + out + error).not.toContain('se-cret');
  });

  test('is in a dump of pg_dump, with which the service starts and answers', async ({ skip }) => {
    const programs = findPostgres();
    const dump = join(programs ?? '', 'pg_dump');
    if (!existsSync(dump)) return skip('pg_dump is not installed');
    const { files, anna } = await fill();
    const there = await createPlaces();
    await copy({ from: files.url, to: there.storeUrl, dataDir: files.dataDir });
    const file = join(createTemporaryFolder(), 'monday.dump');
    execFileSync(dump, ['--format=custom', `--file=${file}`, there.storeUrl]);
    const name = `restored_${process.pid}_${Date.now()}`;
    const url = await createDatabase(there.storeUrl, name);
    onTestFinished(() => runOnServer(there.storeUrl, `DROP DATABASE ${name} WITH (FORCE)`));
    execFileSync(join(programs ?? '', 'pg_restore'), ['--exit-on-error', `--dbname=${url}`, file]);
    await using store = await openStore(url);
    expect(await store.keyv('note').get('zero')).toBe('before\0after');
    await using service = await startOn({ url, schema: 'causeway_service' });
    expect(await ask(service, anna.session)).toEqual(anna.answer);
    await service.createChatbot();
  });
});
