import { type Kysely, sql } from 'kysely';
import { LostLeaseError, type Fence } from '../conversation/leases.ts';
import type { Database } from '../../shared/stores/database.ts';
import { countAll } from '../../shared/stores/pages.ts';

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
  readonly #database: Pick<Database<LeaseTables>, 'transaction'>;

  constructor(database: Pick<Database<LeaseTables>, 'transaction'>) {
    this.#database = database;
  }

  /**
   * Says that a process is alive for `ttlMs`, and that these scopes exist. Processes that were silent for
   * longer are removed.
   */
  beat(id: string, ttlMs: number, scopes: readonly string[]): Promise<Beat> {
    return this.#transaction(async (tx) => {
      await tx.deleteFrom('processes').where('untilMs', '<', nowMs).execute();
      const untilMs = sql<number>`${nowMs} + ${ttlMs}`;
      const known = await tx
        .updateTable('processes')
        .set({ untilMs })
        .where('id', '=', id)
        .executeTakeFirst();
      const wasAlive = known.numUpdatedRows > 0n;
      if (!wasAlive) await tx.insertInto('processes').values({ id, untilMs }).execute();
      if (scopes.length > 0) {
        await tx
          .insertInto('leases')
          .values(scopes.map((scope) => ({ scope, holder: null, epoch: 0 })))
          .onConflict((oc) => oc.column('scope').doNothing())
          .execute();
      }
      const processes = await tx.selectFrom('processes').select('id').execute();
      const scopesInAll = await countAll(tx.selectFrom('leases'));
      const held = await tx
        .selectFrom('leases')
        .select(['scope', 'epoch'])
        .where('holder', '=', id)
        .execute();
      return { wasAlive, alive: processes.map((each) => each.id), held, scopes: scopesInAll };
    });
  }

  /**
   * Gives a platform scopes in place of those that it has; while processes that are alive hold some of
   * these, they stay unless `isRequired`. Resolves with those that the platform has.
   */
  settle(platform: string, scopes: readonly string[], isRequired: boolean): Promise<string[]> {
    return this.#transaction(async (tx) => {
      const before = await tx
        .selectFrom('leases')
        .leftJoin('processes', (join) =>
          join.onRef('processes.id', '=', 'leases.holder').on('processes.untilMs', '>=', nowMs),
        )
        .select(['scope', 'epoch', 'processes.id as holder'])
        .where('scope', 'like', `${platform}:%`)
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
    });
  }

  /** Takes some of the scopes that are free, the preferred ones first. */
  take(id: string, count: number, preferred: readonly string[] = []): Promise<Fence[]> {
    return this.#transaction((tx) =>
      tx
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
        .execute(),
    );
  }

  /** Gives some scopes away. */
  giveAway(id: string, scopes: readonly string[]): Promise<void> {
    return this.#transaction(async (tx) => {
      await tx
        .updateTable('leases')
        .set({ holder: null })
        .where('holder', '=', id)
        .where('scope', 'in', scopes)
        .execute();
    });
  }

  /** The process ends: all its scopes are free. */
  leave(id: string): Promise<void> {
    return this.#transaction(async (tx) => {
      await tx.deleteFrom('processes').where('id', '=', id).execute();
    });
  }

  /** Beats wait for each other, and for nothing else. */
  #transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(work, 'leases');
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
