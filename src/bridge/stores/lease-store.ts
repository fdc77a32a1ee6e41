import { type Kysely, sql } from 'kysely';
import { LostLeaseError, type Fence } from '../conversation/leases.ts';
import type { Database } from '../../shared/stores/database.ts';

/** The tables of processes that share a store. */
export interface LeaseTables {
  /** Those that are alive. */
  processes: { id: string; untilMs: number };
  /** Which of them works on what. A scope whose holder is not alive is free. */
  leases: { scope: string; holder: string | null; epoch: number };
}

/** What a process learns when it says that it is alive. */
export interface Beat {
  /** False if others took it for dead: what it held may be another one's. */
  wasAlive: boolean;
  alive: string[];
  /** In how many ms the next of the others counts as dead, if it says nothing until then. */
  endsInMs: number;
  /** What it holds. */
  held: Fence[];
  /** How many scopes there are in all. */
  scopes: number;
}

type Queries = Kysely<LeaseTables>;

/** The server's clock alone decides: those of machines differ. */
const nowMs = sql<number>`floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** The leases in a database of Postgres. */
export class LeaseStore {
  readonly #database: Pick<Database<LeaseTables>, 'queries' | 'transaction'>;

  constructor(database: Pick<Database<LeaseTables>, 'queries' | 'transaction'>) {
    this.#database = database;
  }

  /**
   * Says that a process is alive for `ttlMs`, and that these scopes exist. It is one statement, which waits for
   * nothing that others do: a process that is slow must not make others late.
   * @param mayJudge whether processes that were silent for longer are removed
   */
  async beat(
    id: string,
    ttlMs: number,
    { scopes, mayJudge }: { scopes: readonly string[]; mayJudge: boolean },
  ): Promise<Beat> {
    const { rows } = await sql<Beat>`
      WITH said AS (
        UPDATE processes SET until_ms = ${nowMs} + ${ttlMs} WHERE id = ${id} RETURNING id
      ), gone AS (
        DELETE FROM processes WHERE ${mayJudge} AND id <> ${id} AND until_ms < ${nowMs} RETURNING id
      ), added AS (
        INSERT INTO leases (scope, holder, epoch) SELECT unnest(${scopes}::text[]), NULL, 0
        ON CONFLICT (scope) DO NOTHING RETURNING scope
      ), others AS (
        SELECT id, until_ms FROM processes WHERE id <> ${id} AND id NOT IN (SELECT id FROM gone)
      )
      SELECT EXISTS (SELECT FROM said) AS was_alive,
        ARRAY(SELECT id FROM others) AS alive,
        (SELECT min(until_ms) - ${nowMs} FROM others) AS ends_in_ms,
        coalesce((SELECT json_agg(json_build_object('scope', scope, 'epoch', epoch))
          FROM leases WHERE holder = ${id}), '[]') AS held,
        (SELECT count(*) FROM leases) + (SELECT count(*) FROM added) AS scopes
    `.execute(this.#database.queries);
    const [beat] = rows;
    if (!beat) throw new Error('A beat has one row.');
    return { ...beat, alive: [id, ...beat.alive], endsInMs: beat.endsInMs ?? Infinity };
  }

  /** A process begins, or begins anew: it holds nothing yet. */
  async enter(id: string, ttlMs: number): Promise<void> {
    const untilMs = sql<number>`${nowMs} + ${ttlMs}`;
    await this.#database.queries.insertInto('processes').values({ id, untilMs }).execute();
  }

  /**
   * Gives a platform scopes in place of those that it has; while processes that are alive hold some of
   * these, they stay unless `isRequired`. Resolves with those that the platform has.
   */
  settle(platform: string, scopes: readonly string[], isRequired: boolean): Promise<string[]> {
    return this.#database.transaction(async (tx) => {
      const before = await tx
        .selectFrom('leases')
        .leftJoin('processes', (join) =>
          join.onRef('processes.id', '=', 'leases.holder').on('processes.untilMs', '>=', nowMs),
        )
        .select(['scope', 'epoch', 'processes.id as holder'])
        .where('scope', 'like', `${platform}:%`)
        // Nobody takes one meanwhile.
        .forUpdate('leases')
        .execute();
      const isHeld = before.some(({ holder }) => holder !== null);
      if (isHeld && !isRequired) return before.map(({ scope }) => scope);
      await tx
        .deleteFrom('leases')
        .where('scope', 'like', `${platform}:%`)
        .where('scope', 'not in', scopes)
        .execute();
      // A scope that comes back later must not look like that of a former holder.
      const epoch = Math.max(0, ...before.map((lease) => lease.epoch));
      await tx
        .insertInto('leases')
        .values(scopes.map((scope) => ({ scope, holder: null, epoch })))
        .onConflict((oc) => oc.column('scope').doNothing())
        .execute();
      return [...scopes];
    }, 'leases');
  }

  /** Takes some of the scopes that are free, the preferred ones first. */
  async take(id: string, count: number, preferred: readonly string[] = []): Promise<Fence[]> {
    return this.#database.queries
      .updateTable('leases')
      .set((eb) => ({ holder: id, epoch: eb('epoch', '+', 1) }))
      .where('scope', 'in', (eb) =>
        eb
          .selectFrom('leases as free')
          .select('free.scope')
          .where((eb) =>
            eb.or([
              eb('free.holder', 'is', null),
              eb('free.holder', 'not in', eb.selectFrom('processes').select('id')),
            ]),
          )
          .orderBy(sql`free.scope = ANY(${preferred})`, 'desc')
          .limit(count)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['scope', 'epoch'])
      .execute();
  }

  /** Gives some scopes away. */
  async giveAway(id: string, scopes: readonly string[]): Promise<void> {
    await this.#database.queries
      .updateTable('leases')
      .set({ holder: null })
      .where('holder', '=', id)
      .where('scope', 'in', scopes)
      .execute();
  }

  /** The process ends: all its scopes are free. */
  async leave(id: string): Promise<void> {
    await this.#database.queries.deleteFrom('processes').where('id', '=', id).execute();
  }
}

/**
 * Reads a fence, so that nobody takes its lease before the transaction has ended.
 * @throws {LostLeaseError} when another process has taken it
 */
export async function checkFence(db: Queries, fence: Fence): Promise<void> {
  const found = await selectFence(db, fence).executeTakeFirst();
  if (!found) throw new LostLeaseError(fence.scope);
}

/** The row of a fence, if its lease is still the same, which it stays until the transaction has ended. */
export function selectFence(db: Queries, { scope, epoch }: Fence) {
  return db
    .selectFrom('leases')
    .select('scope')
    .where('scope', '=', scope)
    .where('epoch', '=', epoch)
    .forShare();
}
