import type { Selectable } from 'kysely';
import type { Database } from '../../shared/stores/database.ts';
import {
  addressKey,
  channelKey,
  parseAddressKey,
  type Workspace,
  workspaceKey,
} from '../conversation/address.ts';
import {
  type Asking,
  type KeptQuestion,
  type Questions,
  type Spent,
  toKept,
} from '../conversation/questions.ts';
import { type LimitScope, limitScopes, type QuestionLimits } from '../conversation/settings.ts';
import type { BridgeTables, Queries } from './schema.ts';

const dayMs = 24 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;

/** So many questions of bots in a row are answered in a thread: no setting lifts this. */
const maxBotsInRow = 3;
/** A loop may also go through a new thread each time: so many within an hour are answered in a channel. */
const maxBotsInHour = 30;

/** Rows read or deleted at a time. */
const pageLength = 500;

export interface QuestionStore extends Questions {
  /** Deletes all of a workspace. */
  deleteIn(workspace: Workspace): Promise<void>;
  /** Deletes what has expired. */
  sweep(signal: AbortSignal): Promise<void>;
}

/** @param options.retentionMs how long the service keeps a session that nobody uses; for ever by default */
export function createQuestionStore(
  { queries, transaction }: Pick<Database<BridgeTables>, 'queries' | 'transaction'>,
  { retentionMs }: { retentionMs?: number } = {},
): QuestionStore {
  const keptMs = retentionMs === undefined ? undefined : Math.max(retentionMs, dayMs);
  const expiry = () => (keptMs === undefined ? null : Date.now() + keptMs);
  let limitedMs = -Infinity;

  /** Those that count now, newest first. */
  const counted = (db: Queries) =>
    db
      .selectFrom('questions')
      .where('counted', '=', 1)
      .where('askedMs', '>', Date.now() - dayMs)
      .orderBy('askedMs', 'desc');

  function countedIn(db: Queries, { address, tenant, author }: Asking, scope: LimitScope) {
    const all = counted(db);
    if (scope === 'channel') return all.where('channel', '=', channelKey(address));
    const there = all.where('workspace', '=', workspaceKey(tenant));
    return scope === 'person' ? there.where('person', '=', author.id) : there;
  }

  /** Of the limits that are used up, the one that lasts longest. */
  async function findSpent(db: Queries, asking: Asking, limits: QuestionLimits) {
    let spent: Extract<Spent, { untilMs: number }> | undefined;
    for (const scope of limitScopes) {
      const max = limits[scope];
      if (max === undefined) continue;
      const nth = await countedIn(db, asking, scope)
        .select('askedMs')
        .limit(1)
        .offset(max - 1)
        .executeTakeFirst();
      const untilMs = (nth?.askedMs ?? 0) + dayMs;
      if (nth && untilMs > (spent?.untilMs ?? 0)) spent = { scope, untilMs };
    }
    return spent;
  }

  async function isLoop(db: Queries, { address, author }: Asking): Promise<boolean> {
    if (!author.bot) return false;
    const inThread = await counted(db)
      .select('isBot')
      .where('thread', '=', addressKey(address))
      .limit(maxBotsInRow)
      .execute();
    if (inThread.length === maxBotsInRow && inThread.every(({ isBot }) => isBot === 1)) return true;
    const inChannel = await counted(db)
      .select('id')
      .where('channel', '=', channelKey(address))
      .where('isBot', '=', 1)
      .where('askedMs', '>', Date.now() - hourMs)
      .limit(maxBotsInHour)
      .execute();
    return inChannel.length === maxBotsInHour;
  }

  async function find(db: Queries, asking: Asking, limits: QuestionLimits) {
    return (await isLoop(db, asking))
      ? ({ scope: 'bots' } as const)
      : findSpent(db, asking, limits);
  }

  /** What was kept for ever expires, too: it was stored without a retention, here or by another process. */
  async function limit(forMs: number, signal: AbortSignal): Promise<void> {
    const startMs = Date.now();
    let after = '';
    let isMore = true;
    while (isMore && !signal.aborted) {
      const page = await queries
        .selectFrom('questions')
        .select('id')
        .where('id', '>', after)
        .orderBy('id')
        .limit(pageLength)
        .execute();
      const last = page.at(-1)?.id ?? after;
      await queries
        .updateTable('questions')
        .set((eb) => ({ expires: eb('askedMs', '+', forMs) }))
        .where('id', '>', after)
        .where('id', '<=', last)
        .where('expires', 'is', null)
        .execute();
      after = last;
      isMore = page.length === pageLength;
    }
    if (!signal.aborted) limitedMs = startMs;
  }

  return {
    spent: (asking, limits) => find(queries, asking, limits),
    count: (id, asking, limits) =>
      transaction(
        async (tx) => {
          const known = await tx
            .selectFrom('questions')
            .select('id')
            .where('id', '=', id)
            .where('counted', '=', 1)
            .executeTakeFirst();
          const spent = known ? undefined : await find(tx, asking, limits);
          if (known || spent) return spent;
          const { address, tenant, author } = asking;
          const row = { workspace: workspaceKey(tenant), isBot: author.bot ? 1 : 0, counted: 1 };
          const askedMs = Date.now();
          await tx
            .insertInto('questions')
            .values({
              ...toRow(id, 0, address),
              person: author.id,
              ...row,
              askedMs,
              expires: askedMs + dayMs,
            })
            .onConflict((oc) => oc.columns(['id', 'attempt']).doUpdateSet({ ...row, askedMs }))
            .execute();
          return undefined;
        },
        `questions ${workspaceKey(asking.tenant)}`,
      ),
    async keep(turn) {
      const { id, attempt, address, askedMs, session = null, message = null, posts } = toKept(turn);
      const expires = expiry();
      const kept = { session, message, posts: JSON.stringify(posts), expires };
      await queries
        .insertInto('questions')
        .values({ ...toRow(id, attempt, address), person: turn.author.id, askedMs, ...kept })
        .onConflict((oc) => oc.columns(['id', 'attempt']).doUpdateSet(kept))
        .execute();
      // The service keeps all of a session as long as it is used.
      if (session === null || expires === null) return;
      await queries
        .updateTable('questions')
        .set({ expires })
        .where('session', '=', session)
        .execute();
    },
    async of(person) {
      const rows = await queries
        .selectFrom('questions')
        .selectAll()
        .where('person', '=', person)
        .where((eb) => eb.or([eb('session', 'is not', null), eb('posts', '<>', '[]')]))
        .orderBy('askedMs')
        .execute();
      return rows.flatMap(fromRow);
    },
    async forget({ id, attempt, askedMs }) {
      const it = { id, attempt };
      const nothing = { session: null, message: null, posts: '[]', expires: askedMs + dayMs };
      await queries
        .updateTable('questions')
        .set(nothing)
        .where((eb) => eb.and(it))
        .execute();
    },
    async deleteIn(workspace) {
      const key = workspaceKey(workspace);
      await queries.deleteFrom('questions').where('workspace', '=', key).execute();
    },
    async sweep(signal) {
      if (keptMs !== undefined && Date.now() - limitedMs >= dayMs) await limit(keptMs, signal);
      const old = queries
        .selectFrom('questions')
        .select('id')
        .where('expires', '<=', Date.now())
        .limit(pageLength);
      while (!signal.aborted) {
        const deletion = queries
          .deleteFrom('questions')
          .where('id', 'in', old)
          .where('expires', '<=', Date.now());
        if ((await deletion.executeTakeFirstOrThrow()).numDeletedRows === 0n) return;
      }
    },
  };
}

function toRow(id: string, attempt: number, address: KeptQuestion['address']) {
  return {
    id,
    attempt,
    workspace: workspaceKey(address),
    channel: channelKey(address),
    thread: addressKey(address),
    isBot: 0,
    counted: 0,
    posts: '[]',
  };
}

function fromRow(row: Selectable<BridgeTables['questions']>): KeptQuestion[] {
  const { id, attempt, thread, askedMs, session, message, posts } = row;
  const address = parseAddressKey(thread);
  if (!address) return [];
  const known = { id, attempt, address, askedMs, posts: JSON.parse(posts) as string[] };
  return [{ ...known, ...(session !== null && { session }), ...(message !== null && { message }) }];
}
