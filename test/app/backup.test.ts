import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createBackup } from '../../src/app/backup.ts';
import { restoreBackup } from '../../src/app/restore.ts';
import { completeRestore } from '../../src/app/staged-data.ts';
import { createDatabaseLocks } from '../../src/shared/stores/database-lock.ts';
import { openStore, restoredAt } from '../../src/bridge/stores/open-store.ts';
import { readTrace, traced, whyUntraceable } from '../fixtures/strace.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { type TestService, handbook, startTestService } from '../service/fixture.ts';

/** A data folder, and its configuration. */
function createPlace() {
  const dataDir = join(createTemporaryFolder(), 'data');
  return { dataDir, storeUrl: `sqlite:${join(dataDir, 'causeway.sqlite')}` };
}

const newFolder = () => join(createTemporaryFolder(), 'backup');

async function addSource(service: TestService, chatbot: string, name: string): Promise<string> {
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const content = `${String(handbook.content)}\nThis is ${name}.`;
  return String((await service.upload(path, { name, content })).json.uuid);
}

async function listSources(service: TestService, chatbot: string) {
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  return json as { uuid: string; file_name: string; status: string }[];
}

/** A place with a chatbot and one source. */
async function fillPlace() {
  const place = createPlace();
  await using store = await openStore(place.storeUrl);
  await store.keyv('binding').set('here', 'chatbot');
  await using service = await startTestService({ dataDir: place.dataDir });
  const chatbot = await service.createChatbot();
  await addSource(service, chatbot, 'first.md');
  await service.service.settled();
  return { place, chatbot };
}

test('a backup made while others write contains everything written before it started', async () => {
  const place = createPlace();
  const folder = newFolder();
  let chatbot = '';
  let session = '';
  let before: string[] = [];
  {
    await using store = await openStore(place.storeUrl);
    await using service = await startTestService({ dataDir: place.dataDir });
    chatbot = await service.createChatbot();
    session = await service.createSession(chatbot);
    before = await Promise.all(
      ['a.md', 'b.md', 'c.md'].map((name) => addSource(service, chatbot, name)),
    );
    const doomed = await addSource(service, chatbot, 'doomed.md');
    await service.service.settled();
    await store.keyv('binding').set('here', chatbot);

    let isOver = false;
    const write = async () => {
      for (let round = 0; !isOver && round < 20; round += 1) {
        const uuid = await addSource(service, chatbot, `new-${round}.md`);
        if (round === 0) await service.post(`/api/v1/data-source/${doomed}/delete`);
        if (round % 2 === 0) await service.post(`/api/v1/data-source/${uuid}/delete`);
        await store.keyv('binding').set(`there-${round}`, chatbot);
      }
    };
    const writing = write();
    await createBackup(place, folder);
    isOver = true;
    await writing;
  }
  rmSync(place.dataDir, { recursive: true });

  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    expect([0o600, 0o700]).toContain(statSync(join(folder, name)).mode & 0o777);
  }
  await restoreBackup(place, folder, { replace: false });
  await using service = await startTestService({ dataDir: place.dataDir });
  await service.service.settled();
  const sources = await listSources(service, chatbot);
  expect(sources.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(before));
  expect(sources.filter(({ status }) => status !== 'success')).toEqual([]);
  const query = { query: 'When does the lighthouse open?' };
  const reply = await service.post(`/api/v1/session/${session}/message/non-stream`, query);
  expect(reply.json.response).toContain('nine in the morning');
  await using store = await openStore(place.storeUrl);
  expect(await store.keyv('binding').get('here')).toBe(chatbot);
  using database = new DatabaseSync(join(place.dataDir, 'service.sqlite'));
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const files = database.prepare('SELECT DISTINCT source FROM source_files').all();
  expect(files.map(({ source }) => String(source)).toSorted()).toEqual(
    sources.map(({ uuid }) => uuid).toSorted(),
  );
});

test('a restore replaces data only with --replace, and never data that a process uses', async () => {
  const { place, chatbot } = await fillPlace();
  const folder = newFolder();
  await createBackup(place, folder);
  {
    await using service = await startTestService({ dataDir: place.dataDir });
    await addSource(service, chatbot, 'later.md');
    await service.service.settled();
  }
  const restore = (replace: boolean) => restoreBackup(place, folder, { replace });
  await expect(restore(false)).rejects.toThrow(
    /There is data already: .*causeway\.sqlite.*--replace/,
  );
  {
    using locks = createDatabaseLocks([join(place.dataDir, 'service.sqlite')]);
    locks.take();
    await expect(restore(true)).rejects.toThrow(
      /A process uses .*service\.sqlite\. Stop it first\./,
    );
  }
  writeFileSync(join(place.dataDir, 'causeway.sqlite-wal'), 'of the database that is replaced');
  await restore(true);
  await using service = await startTestService({ dataDir: place.dataDir });
  const names = (await listSources(service, chatbot)).map(({ file_name }) => file_name);
  expect(names).toEqual(['first.md']);
  await using store = await openStore(place.storeUrl);
  expect(await store.keyv('binding').get('here')).toBe('chatbot');
  expect(readdirSync(place.dataDir).filter((name) => name.includes('restored'))).toEqual([]);
});

test('neither backup nor restore says that it is done where the data is in Postgres', async () => {
  const { place } = await fillPlace();
  const whole = newFolder();
  await createBackup(place, whole);
  // What is left of the time before.
  writeFileSync(join(place.dataDir, 'sandbox.sqlite'), '');
  const moved = { ...place, storeUrl: 'postgres://causeway:hunter2@db.example/causeway' };
  const refused =
    /^STORE_URL names postgres:\/\/db\.example\/causeway, .* use pg_dump and pg_restore\.$/;
  const folder = newFolder();
  await expect(createBackup(moved, folder)).rejects.toThrow(refused);
  expect(existsSync(folder)).toBe(false);
  await expect(restoreBackup(moved, whole, { replace: true })).rejects.toThrow(refused);
  expect(existsSync(join(place.dataDir, 'sandbox.sqlite'))).toBe(true);
});

test('an incomplete backup is not restored', async () => {
  const { place } = await fillPlace();
  const whole = newFolder();
  await createBackup(place, whole);
  const target = createPlace();
  const spoil = (change: (folder: string) => void) => {
    const folder = newFolder();
    cpSync(whole, folder, { recursive: true });
    change(folder);
    return restoreBackup(target, folder, { replace: false });
  };
  await expect(spoil((folder) => rmSync(join(folder, 'backup.json')))).rejects.toThrow(
    'has no backup.json',
  );
  await expect(
    spoil((folder) => writeFileSync(join(folder, 'backup.json'), '{"version":2')),
  ).rejects.toThrow('was written by another program or another version of Causeway');
  await expect(spoil((folder) => rmSync(join(folder, 'store.sqlite')))).rejects.toThrow(
    'store.sqlite is missing',
  );
  await expect(
    spoil((folder) => truncateSync(join(folder, 'service.sqlite'), 20_000)),
  ).rejects.toThrow(/service\.sqlite is damaged/);
  expect(existsSync(join(target.dataDir, 'service.sqlite'))).toBe(false);
});

test('a backup needs data to copy, and an empty folder to write to', async () => {
  const empty = createPlace();
  await expect(createBackup(empty, newFolder())).rejects.toThrow('There is nothing to back up');
  const { place } = await fillPlace();
  const used = createTemporaryFolder();
  writeFileSync(join(used, 'note.txt'), '');
  await expect(createBackup(place, used)).rejects.toThrow('is not empty. Name a new folder.');
  const emptied = join(place.dataDir, 'files', 'backup');
  await expect(createBackup(place, emptied)).rejects.toThrow(`Each start empties ${emptied}.`);
});

test('a restore that fails changes nothing and leaves no copies', async () => {
  const { place } = await fillPlace();
  const folder = newFolder();
  await createBackup(place, folder);
  const target = createPlace();
  // A folder can't be copied like a file, so the last part fails.
  mkdirSync(join(folder, 'sandbox.sqlite'));
  const restored = restoreBackup(target, folder, { replace: false });
  await expect(restored).rejects.toThrow('EISDIR');
  const left = readdirSync(target.dataDir).filter((name) => !name.endsWith('.lock'));
  expect(left).toEqual([]);
});

test('a backup is restored from where it can only be read', async () => {
  const { place } = await fillPlace();
  const folder = newFolder();
  await createBackup(place, folder);
  for (const name of readdirSync(folder)) {
    chmodSync(join(folder, name), 0o400);
    // Modes don't bind root, whom these keep from files beside a database.
    if (name.endsWith('.sqlite')) mkdirSync(join(folder, `${name}-wal`));
  }
  chmodSync(folder, 0o500);
  onTestFinished(() => chmodSync(folder, 0o700));
  const target = createPlace();
  await restoreBackup(target, folder, { replace: false });
  await using store = await openStore(target.storeUrl);
  expect(await store.keyv('binding').get('here')).toBe('chatbot');
});

test('a part of a backup that can’t be read is not called damaged or missing', async () => {
  const { place } = await fillPlace();
  const folder = newFolder();
  await createBackup(place, folder);
  const target = createPlace();
  for (const [name, advice] of [
    ['store.sqlite', 'Check its disk'],
    ['backup.json', 'Let this user read it and its folder.'],
  ] as const) {
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    await expect(restoreBackup(target, folder, { replace: false })).rejects.toThrow(
      new RegExp(`${name} cannot be opened: .* ${advice}`),
    );
  }
});

test('a backup that fails says which file is to blame, and leaves room for the next try', async () => {
  const { place } = await fillPlace();
  const folder = newFolder();
  const broken = join(place.dataDir, 'sandbox.sqlite');
  writeFileSync(broken, 'not a database, and longer than its header would be. '.repeat(20));
  await expect(createBackup(place, folder)).rejects.toThrow(
    `${broken} cannot be opened: file is not a database. Restore it from a backup`,
  );
  expect(readdirSync(folder)).toEqual([]);
  rmSync(broken);
  await createBackup(place, folder);
  const file = join(folder, 'backup.json');
  await expect(createBackup(place, file)).rejects.toThrow(
    `${file} cannot be opened: ENOTDIR: not a directory`,
  );
});

test('a backup of damaged data blames the data, and not the copy', async () => {
  const { place } = await fillPlace();
  const folder = newFolder();
  const damaged = join(place.dataDir, 'service.sqlite');
  const file = openSync(damaged, 'r+');
  writeSync(file, Buffer.alloc(8192, 'x'), 0, 8192, 40_960);
  closeSync(file);
  await expect(createBackup(place, folder)).rejects.toThrow(
    new RegExp(`^${RegExp.escape(damaged)} is damaged: .* Restore it from a backup`, 's'),
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('a restored folder is private, whatever the backup’s modes', async () => {
  const { place } = await fillPlace();
  const folder = newFolder();
  await createBackup(place, folder);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    chmodSync(join(folder, name), 0o777);
  }
  const target = createPlace();
  await restoreBackup(target, folder, { replace: false });
  for (const name of readdirSync(target.dataDir, { recursive: true, encoding: 'utf8' })) {
    expect([0o600, 0o700]).toContain(statSync(join(target.dataDir, name)).mode & 0o777);
  }
});

test('a restore that was interrupted while it replaced the data is completed', async () => {
  const { place, chatbot } = await fillPlace();
  const folder = newFolder();
  await createBackup(place, folder);
  {
    await using store = await openStore(place.storeUrl);
    await store.keyv('binding').set('here', 'changed since');
    await using service = await startTestService({ dataDir: place.dataDir });
    await addSource(service, chatbot, 'later.md');
    await service.service.settled();
  }
  // A folder in the place of a database stops the restore there, as a power cut might.
  const obstacle = join(place.dataDir, 'sandbox.sqlite');
  mkdirSync(obstacle);
  await expect(restoreBackup(place, folder, { replace: true })).rejects.toThrow('directory');
  await expect(createBackup(place, newFolder())).rejects.toThrow('was interrupted');
  rmSync(obstacle, { recursive: true });
  expect(completeRestore(place)).toBe(true);
  expect(completeRestore(place)).toBe(false);
  {
    await using store = await openStore(place.storeUrl);
    expect(await store.keyv('binding').get('here')).toBe('chatbot');
    await using service = await startTestService({ dataDir: place.dataDir });
    const names = (await listSources(service, chatbot)).map(({ file_name }) => file_name);
    expect(names).toEqual(['first.md']);
  }
  expect(readdirSync(place.dataDir).filter((name) => name.includes('restore'))).toEqual([]);
});

test('a restore notes its time, unless what was missed is to be answered', async () => {
  const { place } = await fillPlace();
  const folder = newFolder();
  await createBackup(place, folder);
  for (const answerMissed of [false, true]) {
    const options = { replace: true, answerMissed, now: () => 1_800_000_000_000 };
    await restoreBackup(place, folder, options);
    await using store = await openStore(place.storeUrl);
    expect(await restoredAt(store)).toBe(answerMissed ? undefined : 1_800_000_000_000);
  }
});

test('what is restored is on the disk before it replaces anything', async ({ skip }) => {
  const why = whyUntraceable();
  if (why) return skip(why);
  const { place } = await fillPlace();
  const folder = newFolder();
  await createBackup(place, folder);
  const trace = join(createTemporaryFolder(), 'trace');
  const calls = ['fsync', 'fdatasync', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat'];
  const [tracer, ...rest] = [
    ...traced(trace, calls),
    process.execPath,
    'src/start.js',
    'restore',
    folder,
    '--replace',
  ];
  const env = { PATH: process.env['PATH'], DATA_DIR: place.dataDir, STORE_URL: place.storeUrl };
  const { status, stderr } = spawnSync(tracer, rest, { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const made = readTrace(trace);
  const at = (pattern: RegExp, from = 0) =>
    made.findIndex((call, index) => index >= from && pattern.test(call));
  const decided = at(/^rename.*restore\.json\.new.*restore\.json"/);
  for (const name of ['causeway.sqlite', 'service.sqlite']) {
    const synced = at(new RegExp(`^fsync\\(\\d+<.*/${name}\\.restored>`));
    const renamed = at(new RegExp(`^rename.*/${name}\\.restored", .*/${name}"`));
    expect(synced).toBeGreaterThan(-1);
    expect(decided).toBeGreaterThan(synced);
    expect(renamed).toBeGreaterThan(decided);
    expect(at(/^fsync/, renamed)).toBe(renamed + 1);
  }
  expect(at(/^unlink.*causeway\.sqlite"/)).toBeGreaterThan(at(/^fsync/, decided));
});
