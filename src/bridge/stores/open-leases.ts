import type { Log } from '../../shared/primitives/log.ts';
import { openNotifications } from '../../shared/stores/notifications.ts';
import { openDatabase } from '../../shared/stores/open-database.ts';
import { parseStoreUrl } from '../../shared/stores/store-url.ts';
import { createLeaseKeeper } from './lease-keeper.ts';
import { LeaseStore } from './lease-store.ts';
import { schema, type Store } from './open-store.ts';
import { bridgeMigrations, type BridgeTables } from './schema.ts';

export interface LeaseFigures {
  /** How many scopes this process holds. */
  held: number;
  /** How many it has taken, from other processes or for the first time. */
  taken: number;
  /** How many processes are alive. */
  processes: number;
}

/**
 * Opens what this process holds of a store that several share, and has it hear what others change.
 * Disposing gives the leases away.
 * @param storeUrl a URL of Postgres
 */
export async function openLeases(storeUrl: string, store: Pick<Store, 'share'>, log: Log) {
  const parsed = parseStoreUrl(storeUrl);
  if (!('url' in parsed)) throw new Error('Only processes on Postgres share a store.');
  const { url } = parsed;
  await using parts = new AsyncDisposableStack();
  // A connection of its own: saying that it is alive must not wait for the work of the process.
  const place = { url, schema, maxConnections: 2 };
  const database = parts.use(await openDatabase<BridgeTables>(place, bridgeMigrations));
  const notifications = parts.use(openNotifications(url, log));
  store.share(notifications);
  const leaseStore = new LeaseStore(database);
  const leases = parts.use(await createLeaseKeeper(leaseStore, { notifications, log }));
  const opened = parts.move();
  let held = leases.held();
  let taken = held.length;
  leases.onChange(() => {
    const before = new Set(held);
    held = leases.held();
    taken += held.filter((scope) => !before.has(scope)).length;
  });
  return {
    leases,
    /** Whether Postgres answers. */
    get isConnected() {
      return notifications.isConnected;
    },
    figures: (): LeaseFigures => ({ held: held.length, taken, processes: leases.count }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
