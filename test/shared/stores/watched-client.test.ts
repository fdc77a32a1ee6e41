import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { watched } from '../../../src/shared/stores/watched-client.ts';
import { postgres } from '../../fixtures/databases.ts';

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
});
