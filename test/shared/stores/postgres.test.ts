import { type AddressInfo, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { sql } from 'kysely';
import { describe, expect, inject, test } from 'vitest';
import { openStore, readStore } from '../../../src/bridge/stores/open-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../../src/bridge/stores/schema.ts';
import { openDatabase, openToRead } from '../../../src/shared/stores/open-database.ts';
import { isAway } from '../../../src/shared/stores/open-error.ts';
import { openUntilEnd, postgres } from '../../fixtures/databases.ts';
import { startTransactionPooler } from '../../fixtures/transaction-pooler.ts';

/** Messages of the protocol, by which the server asks for a password (SCRAM). */
const scram = ['R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0', 'R\0\0\0\x13\0\0\0\x0br=a,s=b,i=1'];

const url = inject('postgresUrl') ?? '';

describe.runIf(postgres.isInstalled)('a database of Postgres', () => {
  const { createPlaces } = postgres;
  const open = async () =>
    openUntilEnd<BridgeTables>((await createPlaces()).bridge, bridgeMigrations);

  test.each(['\0', 'a\0b', '\u{F0000}', '\u{F0000}0\0\u{F0000}1', ''])(
    'gives back every text: %j',
    async (text) => {
      const { queries } = await open();
      const row = { namespace: text, key: `key ${text}`, value: text, expires: null };
      await queries.insertInto('keyv').values(row).execute();
      const found = queries.selectFrom('keyv').selectAll().where('namespace', '=', text);
      expect(await found.execute()).toEqual([row]);
    },
  );

  test('has the server end what a machine that vanished has left', async () => {
    const { queries } = await open();
    const { rows } = await sql<{ name: string; setting: string }>`
      SELECT name, setting FROM pg_settings
      WHERE name LIKE 'idle_in_transaction%' OR name LIKE 'tcp_%' ORDER BY name
    `.execute(queries);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))).toEqual({
      idle_in_transaction_session_timeout: 30_000,
      tcp_keepalives_count: 4,
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
      tcp_user_timeout: 30_000,
    });
  });

  test('orders texts by their characters’ numbers', async () => {
    const { queries } = await open();
    const keys = ['a', 'B', 'ä', 'A', 'z', '_'];
    const rows = keys.map((key) => ({ namespace: '', key, value: '', expires: null }));
    await queries.insertInto('keyv').values(rows).execute();
    const found = await queries.selectFrom('keyv').select('key').orderBy('key').execute();
    expect(found.map(({ key }) => key)).toEqual(['A', 'B', '_', 'a', 'z', 'ä']);
  });

  test('reads counts, sums and whole numbers up to 2^53 as numbers', async () => {
    const { queries } = await open();
    const { rows } = await sql`
      SELECT count(*) AS count, sum(n) AS sum, max(n) AS max
      FROM (VALUES (9007199254740990::bigint), (1)) AS numbers (n)
    `.execute(queries);
    expect(rows).toEqual([{ count: 2, sum: 9007199254740991, max: 9007199254740990 }]);
  });

  test('gives bytes that can be looked at as numbers', async () => {
    const { queries } = await open();
    const { rows } = await sql<{
      data: Uint8Array;
    }>`SELECT '\\x0100000002000000'::bytea AS data`.execute(queries);
    const { buffer, byteOffset } = rows[0]?.data ?? new Uint8Array();
    expect([...new Uint32Array(buffer, byteOffset, 2)]).toEqual([1, 2]);
  });

  test('lets transactions wait for each other, but not those of different scopes', async () => {
    const places = await createPlaces();
    const openOne = () => openUntilEnd<BridgeTables>(places.bridge, bridgeMigrations);
    const [one, other] = [await openOne(), await openOne()];
    const order: string[] = [];
    const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const first = one.transaction(async (tx) => {
      begin();
      await gate;
      await sql`SELECT 1`.execute(tx);
      order.push('first');
    }, 'a');
    await begun;
    const same = other.transaction(async () => void order.push('same scope'), 'a');
    await other.transaction(async () => void order.push('other scope'), 'b');
    const all = one.transaction(async () => void order.push('without scope'));
    goOn();
    await Promise.all([first, same, all]);
    expect(order[0]).toBe('other scope');
    expect(order.slice(1, 2)).toEqual(['first']);
    expect(order).toHaveLength(4);
  });

  test('runs again what was given up for another transaction’s sake', async () => {
    const { queries, transaction } = await open();
    const row = (key: string) => ({ namespace: '', key, value: '', expires: null });
    await queries
      .insertInto('keyv')
      .values([row('1'), row('2')])
      .execute();
    const write = (db: typeof queries, key: string, value: string) =>
      db.updateTable('keyv').set({ value }).where('key', '=', key).execute();
    let runs = 0;
    let begun = 0;
    const { promise: bothBegun, resolve } = Promise.withResolvers<void>();
    const inOrder = (keys: string[], value: string) =>
      transaction(async (tx) => {
        runs += 1;
        await write(tx, keys[0] ?? '', value);
        begun += 1;
        if (begun === 2) resolve();
        await bothBegun;
        await write(tx, keys[1] ?? '', value);
      }, value);
    await Promise.all([inOrder(['1', '2'], 'one'), inOrder(['2', '1'], 'other')]);
    // What runs again may be first once more.
    expect(runs).toBeGreaterThan(2);
    const values = await queries.selectFrom('keyv').select('value').distinct().execute();
    expect(values).toHaveLength(1);
  });

  test('refuses a query that a transaction waits for outside of it', async () => {
    const { queries, transaction } = await open();
    const outside = transaction(async () => queries.selectFrom('keyv').selectAll().execute());
    await expect(outside).rejects.toThrow('A transaction waits for a query outside of it');
  });

  test('runs exclusive work in one process at a time', async () => {
    const { bridge } = await createPlaces();
    const openOne = () => openUntilEnd<BridgeTables>(bridge, bridgeMigrations);
    const [one, other] = [await openOne(), await openOne()];
    const done: string[] = [];
    const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const first = one.exclusively('upkeep', 'wait', async () => {
      begin();
      await gate;
      done.push('first');
    });
    await begun;
    await other.exclusively('upkeep', 'skip', async () => void done.push('skipped'));
    await other.exclusively('another', 'skip', async () => void done.push('another'));
    const waiting = other.exclusively('upkeep', 'wait', async () => void done.push('second'));
    goOn();
    await Promise.all([first, waiting]);
    expect(done).toEqual(['another', 'first', 'second']);
  });

  test('is migrated once by processes that open it at the same time', async () => {
    const { bridge } = await createPlaces();
    const place = { ...bridge, schema: 'fresh' };
    const opened = await Promise.all(
      [1, 2, 3].map(() => openUntilEnd<BridgeTables>(place, bridgeMigrations)),
    );
    for (const { queries } of opened) {
      expect(await queries.selectFrom('inbox').selectAll().execute()).toEqual([]);
    }
  });

  test('that a newer version wrote is refused', async () => {
    const { bridge } = await createPlaces();
    const newer = { ...bridgeMigrations, '2999-01-01 9.9.9': { up: async () => {} } };
    await (await openDatabase(bridge, newer))[Symbol.asyncDispose]();
    const refusal = 'was written by Causeway 9.9.9 or later';
    await expect(openDatabase(bridge, bridgeMigrations)).rejects.toThrow(refusal);
    await expect(openToRead(bridge, bridgeMigrations)).rejects.toThrow(refusal);
  });

  test('without tables has nothing to read', async () => {
    const { bridge } = await createPlaces();
    const place = { ...bridge, schema: 'nothing' };
    expect(await openToRead(place, bridgeMigrations)).toBeUndefined();
  });

  test('can be read beside the process that uses it', async () => {
    const { storeUrl } = await createPlaces();
    await using store = await openStore(storeUrl);
    await store.keyv('settings').set('key', 'value');
    await using reader = await readStore(storeUrl);
    expect(await reader?.get('settings', 'key')).toBe('value');
  });

  test('is refused behind a pooler in transaction mode, which loses locks and notifications', async () => {
    const { storeUrl } = await createPlaces();
    await using pooler = await startTransactionPooler(storeUrl);
    const opened = openStore(pooler.url);
    await expect(opened).rejects.toThrow(
      /^127\.0\.0\.1:\d+\/\w+ \(schema causeway_bridge\) shares/,
    );
    await expect(opened).rejects.toThrow('Name the server itself, or a pooler in session mode');
  });

  test.each([
    ['names no such database', () => url.replace(/[^/]*$/, 'nowhere'), 'Create this database'],
    ['names no such user', () => url.replace('causeway@', 'nobody:secret@'), 'Check its user'],
    ['has a wrong option', () => `${url}?replication=nothing`, 'Look into the log'],
  ])('whose URL %s is explained', async (_, toUrl, fix) => {
    const opened = openStore(toUrl());
    await expect(opened).rejects.toThrow(
      /^STORE_URL names postgres:\/\/127\.0\.0\.1:\d+\/\w+, which/,
    );
    await expect(opened).rejects.toThrow(fix);
    await expect(opened).rejects.not.toThrow('secret');
  });
});

test.runIf(postgres.isInstalled)(
  'work that excludes other processes leaves connections for its queries, however much there is',
  async () => {
    const { storeUrl } = await postgres.createPlaces();
    await using store = await openStore(storeUrl, { maxConnections: 4 });
    const all = Promise.withResolvers<void>();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const works = names.map((name) =>
      store.exclusively(name, async () => {
        await all.promise;
        await store.keyv('known').set(name, true);
      }),
    );
    await store.keyv('known').get('a');
    all.resolve();
    await Promise.all(works);
    expect(await Array.fromAsync(store.keyv('known').entries())).toHaveLength(names.length);
  },
);

test('a server that is away is named without its password, with what to do', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  const port = typeof address === 'object' ? address?.port : 0;
  const opened = openStore(`postgres://me:secret@127.0.0.1:${port}/causeway`);
  await expect(opened).rejects.toThrow(
    `STORE_URL names postgres://127.0.0.1:${port}/causeway, which cannot be opened: connect ECONNREFUSED`,
  );
  await expect(opened).rejects.toThrow('Check that the server runs, and its address.');
  await expect(opened).rejects.not.toThrow('secret');
});

test.runIf(process.platform === 'linux')(
  'a server counts as away while this machine has no network, as at its start',
  async () => {
    // There is no way to this address.
    const failed = await openStore('postgres://me@255.255.255.255/db').catch((error) => error);
    expect(String(failed)).toContain('connect ENETUNREACH');
    expect(String(failed)).toContain('Check that the server runs, and its address.');
    expect(isAway(failed)).toBe(true);
  },
);

test('a server that ends a connection before it answers, as a proxy does, counts as away', async () => {
  await using proxy = await startServer((socket) => socket.end());
  const failed = await openStore(proxy.url).catch((error: unknown) => error);
  expect(String(failed)).toMatch(
    /^OpenError: STORE_URL names postgres:\/\/127\.0\.0\.1:\d+\/db, .* Check that the server runs, and its address\.$/,
  );
  expect(isAway(failed)).toBe(true);
});

test.each([
  ['a password that is missing', scram, '', /: SASL: .* Check its user and password\.$/],
  ['a server without TLS', ['N'], '?sslmode=verify-full', / TLS there, or leave sslmode out/],
  ['a file that is not there', [], '?sslrootcert=/nope', /'\/nope'\. .* check its address/],
])('%s is explained', async (_, answers, options, expected) => {
  const left = [...answers];
  await using server = await startServer((socket) => socket.write(left.shift() ?? ''));
  const failed = await openStore(`${server.url}${options}`).catch((error: unknown) => error);
  expect(failed).toMatchObject({ name: 'OpenError', message: expect.stringMatching(expected) });
  expect(isAway(failed)).toBe(false);
});

/** What listens where a server of Postgres should. */
async function startServer(answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://ada@127.0.0.1:${port}/db`,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
