import pg from 'pg';
import type { Log } from '../primitives/log.ts';
import { growingWaitMs } from '../primitives/retry.ts';
import { sleep } from '../primitives/time.ts';

/** Short words from one process to all that use the same database. They can get lost. */
export interface Notifications extends AsyncDisposable {
  /** Whether the server answers. */
  readonly isConnected: boolean;
  /** Says something to all others. Never rejects. */
  send(word: string): void;
  /** Gets each word of others; undefined when some may have been lost. */
  listen(listener: (word: string | undefined) => void): void;
}

const channel = 'causeway';
/** Says to the others that some words were lost. */
const lost = '';
/** Words are collected for so long, and sent together. */
const collectMs = 5;
/** Postgres takes 8,000 bytes. */
const maxLength = 7_000;
const reconnectWaits = { firstMs: 200, maxMs: 5_000 };
/** A silent connection may be dead without a sign: it is checked this often. */
const askEveryMs = 10_000;
const connectTimeoutMs = 5_000;

/** Sends and hears words over a connection of its own, which is made again when it is lost. */
export function openNotifications(url: string, log: Log): Notifications {
  const closing = new AbortController();
  const listeners: ((word: string | undefined) => void)[] = [];
  let client: pg.Client | undefined;
  const collected = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let hasLost = false;

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
    const end = () => ended.resolve(undefined);
    opened.on('end', end);
    closing.signal.addEventListener('abort', end);
    const ask = () => void opened.query('SELECT 1').catch(ended.resolve);
    const asking = setInterval(ask, askEveryMs);
    try {
      await opened.connect();
      const { rows } = await opened.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const own = rows[0]?.pid;
      opened.on('notification', ({ payload = '', processId }) => {
        if (processId === own) return;
        for (const word of payload.split('\n')) tell(word === lost ? undefined : word);
      });
      await opened.query(`LISTEN ${channel}`);
      client = opened;
      tell(undefined);
      if (hasLost) send(lost);
      hasLost = false;
      const error = await ended.promise;
      if (error) throw error;
    } finally {
      client = undefined;
      clearInterval(asking);
      closing.signal.removeEventListener('abort', end);
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
        log.warn({ err: error }, 'notifications from Postgres are interrupted: trying again');
      }
      await sleep(growingWaitMs(failures + 1, reconnectWaits), closing.signal).catch(() => {});
    }
  }

  function send(word: string): void {
    collected.add(word);
    timer ??= setTimeout(() => void flush(), collectMs);
  }

  async function flush(): Promise<void> {
    timer = undefined;
    const words = [...collected];
    collected.clear();
    while (words.length > 0) {
      let payload = words.shift() ?? '';
      while (words[0] !== undefined && payload.length + words[0].length < maxLength) {
        payload += `\n${words.shift()}`;
      }
      try {
        if (!client) throw new Error('There is no connection.');
        await client.query('SELECT pg_notify($1, $2)', [channel, payload]);
      } catch {
        // The recipients look for it after a while anyway, and are told of the loss.
        hasLost = true;
      }
    }
  }

  const connected = keepConnected();
  return {
    get isConnected() {
      return client !== undefined;
    },
    send,
    listen: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await flush();
      closing.abort();
      await connected;
    },
  };
}
