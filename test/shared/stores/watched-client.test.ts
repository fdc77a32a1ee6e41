import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { watched } from '../../../src/shared/stores/watched-client.ts';
import { postgres } from '../../fixtures/databases.ts';
import { runOnServer } from '../../fixtures/postgres-server.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe.runIf(postgres.isInstalled)('a watched connection', () => {
  test('that has ended leaves nothing to wait for when it is used once more', async () => {
    const { storeUrl } = await postgres.createPlaces();
    const pool = new pg.Pool({ ...watched, connectionString: storeUrl });
    pool.on('error', () => {});
    const client = await pool.connect();
    client.on('error', () => {});
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => void client.once('end', resolve));
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await expect(client.query('ROLLBACK')).rejects.toThrow('not queryable');
    client.release();
    await pool.end();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('works for a user who may not read what others do', async () => {
    const { storeUrl } = await postgres.createPlaces();
    const user = `u${randomUUID().replaceAll('-', '')}`;
    const owner = new pg.Client(storeUrl);
    await owner.connect();
    await owner.query('REVOKE SELECT ON pg_stat_activity FROM PUBLIC');
    await owner.end();
    await runOnServer(storeUrl, `CREATE ROLE ${user} LOGIN`);
    onTestFinished(() => runOnServer(storeUrl, `DROP ROLE ${user}`));
    const connectionString = Object.assign(new URL(storeUrl), { username: user }).href;
    const pool = new pg.Pool({ ...watched, connectionString });
    const { rows } = await pool.query('SELECT 1 AS one');
    expect(rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});
