import pg from 'pg';
import type { Log } from '../primitives/log.ts';
import { growingWaitMs } from '../primitives/retry.ts';
import { sleep } from '../primitives/time.ts';

/** Short words from one process to all that use the same database. They can get lost. */
export interface Notifications extends AsyncDisposable {
  /** Says something to all others. Never rejects. */
  send(word: string): void;
  /** Gets each word of others; undefined when some may have been lost. */
  listen(listener: (word: string | undefined) => void): void;
}

const channel = 'causeway';
/** Words are collected for so long, and sent together. */
const collectMs = 5;
/** Postgres takes 8,000 bytes. */
const maxLength = 7_000;
const reconnectWaits = { firstMs: 200, maxMs: 5_000 };
/** A connection that says nothing may be dead without knowing: it is asked so often. */
const askEveryMs = 10_000;
const connectTimeoutMs = 5_000;

/** Sends and hears words over a connection of its own, which is made again when it is lost. */
export function openNotifications(url: string, log: Log): Notifications {
  const closing = new AbortController();
  const listeners: ((word: string | undefined) => void)[] = [];
  let client: pg.Client | undefined;
  let collected: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  function tell(word: string | undefined): void {
    for (const listener of listeners) listener(word);
  }

  async function connectOnce(): Promise<void> {
    const opened = new pg.Client({
      connectionString: url,
      application_name: 'causeway notifications',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
      keepAlive: true,
    });
    const ended = Promise.withResolvers<unknown>();
    opened.on('error', ended.resolve);
    opened.on('end', () => ended.resolve(undefined));
    closing.signal.addEventListener('abort', () => ended.resolve(undefined), { once: true });
    const ask = () => void opened.query('SELECT 1').catch(ended.resolve);
    const asking = setInterval(ask, askEveryMs);
    try {
      await opened.connect();
      const { rows } = await opened.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const own = rows[0]?.pid;
      opened.on('notification', ({ payload = '', processId }) => {
        if (processId !== own) for (const word of payload.split('\n')) tell(word);
      });
      await opened.query(`LISTEN ${channel}`);
      client = opened;
      tell(undefined);
      const error = await ended.promise;
      if (error) throw error;
    } finally {
      client = undefined;
      clearInterval(asking);
      await opened.end().catch(() => {});
    }
  }

  async function keepConnected(): Promise<void> {
    for (let failures = 1; !closing.signal.aborted; failures += 1) {
      try {
        await connectOnce();
        failures = 0;
      } catch (error) {
        if (closing.signal.aborted) return;
        log.warn({ err: error }, 'no notifications from Postgres: they will be asked for again');
      }
      await sleep(growingWaitMs(failures + 1, reconnectWaits), closing.signal).catch(() => {});
    }
  }

  async function flush(): Promise<void> {
    timer = undefined;
    const words = collected;
    collected = [];
    while (words.length > 0) {
      let payload = words.shift() ?? '';
      while (words[0] !== undefined && payload.length + words[0].length < maxLength) {
        payload += `\n${words.shift()}`;
      }
      // Whoever is meant looks for it after a while.
      await client?.query('SELECT pg_notify($1, $2)', [channel, payload]).catch(() => {});
    }
  }

  const connected = keepConnected();
  return {
    send(word) {
      collected.push(word);
      timer ??= setTimeout(() => void flush(), collectMs);
    },
    listen: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await flush();
      closing.abort();
      await connected;
    },
  };
}
