import pg from 'pg';
import { codeOf } from './open-error.ts';

/** Postgres is asked about a query that has no answer after this long, and again as often. */
const askAfterMs = 5_000;
/** How long an answer may be on its way. */
const deliveryMs = 2_000;

/**
 * A connection that ends when Postgres does not work on its query, as after a failover: without packets that say
 * so, TCP takes a quarter of an hour to notice. A query that takes long, or waits for a lock, goes on.
 */
class WatchedClient extends pg.Client {
  readonly #config: pg.ClientConfig;
  /** Its process on the server, and when that began, as other servers use the same numbers. */
  session: string | undefined;
  /** While a query has no answer. */
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.#config = config;
    const stop = () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
    this.on('drain', stop).on('end', () => {
      this.#hasEnded = true;
      stop();
    });
  }

  override query(...query: unknown[]): never {
    // Then it fails by itself.
    if (!this.#hasEnded) this.#wait();
    return super.query(...(query as Parameters<pg.Client['query']>)) as never;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => void this.#ask(() => this.#timer === timer), askAfterMs);
    this.#timer = timer;
  }

  async #ask(isWaiting: () => boolean): Promise<void> {
    const timeouts = { connectionTimeoutMillis: askAfterMs, query_timeout: askAfterMs };
    const other = new pg.Client({ ...this.#config, ...timeouts });
    other.on('error', () => {});
    try {
      await other.connect();
      // An answer that had arrived already has been read by now.
      if (!isWaiting()) return;
      const { rows } = await other.query(endIdle, [this.session]);
      if (isWaiting() && !rows[0]?.isWorking) await this.end();
    } catch {
      // While Postgres can't be asked, the query may still be answered.
    } finally {
      if (isWaiting()) this.#wait();
      await other.end().catch(() => {});
    }
  }
}

/** Whatever the time zone, which the server's may change meanwhile. */
const session = `concat(pid, ' ', (extract(epoch FROM backend_start) * 1000000)::bigint)`;
/** One that waits for a query that was lost, or whose answer was, may hold locks: it ends as well. */
const endIdle = `
  SELECT CASE WHEN state LIKE 'idle%' AND state_change < now() - interval '${deliveryMs} ms'
    THEN NOT pg_terminate_backend(pid) ELSE true END AS "isWorking"
  FROM pg_stat_activity WHERE ${session} = $1`;

/**
 * What a machine that vanished leaves on the server, such as locks, is gone after about half a minute. Not in
 * the `options` of a connection, as poolers refuse what they don't know there.
 */
const limits = `
  SET idle_in_transaction_session_timeout = '30s';
  SET tcp_keepalives_idle = 10;
  SET tcp_keepalives_interval = 5;
  SET tcp_keepalives_count = 4;
  SET tcp_user_timeout = '30s'`;

/** What makes the connections of a pool such ones. */
export const watched = {
  Client: WatchedClient,
  /** What a connection knows of itself is the pooler's, where there is one. */
  async onConnect(client: pg.ClientBase) {
    await client.query(limits);
    try {
      const { rows } = await client.query<{ session: string }>(
        `SELECT ${session} AS session FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
      );
      if (client instanceof WatchedClient) client.session = rows[0]?.session;
    } catch (error) {
      // A user who may not read that is not told later either, and no connection is ended.
      if (codeOf(error) !== '42501') throw error;
    }
  },
};
