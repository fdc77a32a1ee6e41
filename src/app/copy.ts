import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { schema } from '../bridge/stores/open-store.ts';
import { bridgeMigrations, copiedTables as bridgeTables } from '../bridge/stores/schema.ts';
import { ConfigError } from '../config/config.ts';
import { copiedTables as serviceTables, findCopiedOwner } from '../service/store/copied-tables.ts';
import { serviceMigrations } from '../service/store/schema.ts';
import { usageTriggers } from '../service/store/usage-triggers.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import {
  checkRows,
  copyRows,
  type CopyPlan,
  finish,
  FullTargetError,
  openTarget,
  type Target,
  withdraw,
} from '../shared/stores/copy.ts';
import type { Database } from '../shared/stores/database.ts';
import { createDatabaseLocks } from '../shared/stores/database-lock.ts';
import type { Migrations } from '../shared/stores/migrations.ts';
import { type DatabasePlace, dialectOf, openToRead } from '../shared/stores/open-database.ts';
import { openFile } from '../shared/stores/open-error.ts';
import {
  databasePath,
  explainUnusable,
  parseStoreUrl,
  renderStoreUrl,
  toPlace,
} from '../shared/stores/store-url.ts';
import { databaseNames, servicePlace } from './databases.ts';
import { refuseHalfRestored } from './staged-data.ts';

export interface CopyOptions {
  /** As STORE_URL has them; at most one is of SQLite. */
  from: string;
  to: string;
  /** Where the service’s database is, beside SQLite. */
  dataDir: string;
  /** The name of the owner whose data of the service is copied; without one, all is. */
  owner?: string;
  /** Whether the data in the target may be deleted. */
  replace: boolean;
  /** How long what uses the databases may take to end. */
  patienceMs?: number;
  /** Gets a line about each step. */
  say(line: string): void;
}

/** A database of both sides, and how it is copied. */
interface Part {
  name: string;
  from: DatabasePlace;
  to: DatabasePlace;
  migrations: Migrations;
  plan: Pick<CopyPlan, 'tables' | 'triggers'>;
}

interface Running {
  name: string;
  source: Database<object>;
  target: Target;
  plan: CopyPlan;
  sourcePlace: DatabasePlace;
}

/**
 * Copies the data of the bridge and the service to a database of another kind, and checks the copy. One
 * that broke off goes on when it is run again; until it is whole, nothing starts with the target.
 * @returns how many rows the copy has
 * @throws {ConfigError} when an address is wrong
 * @throws {OpenError} when a database can't be opened
 * @throws {RefusedError} when a process uses the data, there is other data in the target, or the source
 *   has changed since the copy began
 */
export async function copyData(options: CopyOptions): Promise<number> {
  checkUrls(options);
  refuseHalfRestored(options.dataDir);
  using locks = createDatabaseLocks(listLocked(options));
  const used = locks.take();
  if (used) throw new RefusedError(`A process uses ${used}. Stop it first.`);
  for (const url of [options.from, options.to]) await refuseUsed(url, options.patienceMs);
  const { say } = options;
  await using opened = new AsyncDisposableStack();
  const running: Running[] = [];
  const leftOut: string[] = [];
  // The service’s comes first: its mark tells whether a copy was about to end.
  for (const part of listParts(options)) {
    const source = await openSource(part, options.from);
    if (!source) {
      leftOut.push(
        `${part.name}: left out, as ${renderPlace(part.from, options.from)} has no data`,
      );
      continue;
    }
    opened.use(source);
    const plan = await createPlan(part, source, options);
    const target = await openPart(part, plan, { to: options.to, running });
    if (!target) continue;
    opened.use(target);
    running.push({ name: part.name, source, target, plan, sourcePlace: part.from });
  }
  if (running.length === 0) {
    throw new RefusedError(
      `There is nothing to copy: ${renderStoreUrl(options.from)} has no data.`,
    );
  }
  for (const line of leftOut) say(line);
  for (const { name, source, target, plan } of running) {
    if (target.isResumed && !plan.replace) say(`${name}: continues a copy that broke off`);
    await copyRows(source, target, plan, (table, rows, of) =>
      say(`${name}: ${table}: ${rows === of ? rows : `${rows} of ${of}`} rows`),
    );
  }
  let rows = 0;
  for (const { name, source, target, plan } of running) {
    say(`${name}: comparing both sides`);
    rows += await checkRows(source, target, plan);
  }
  for (const { name, source, target, plan, sourcePlace } of running.toReversed()) {
    await finish(source, target, { plan, sourceDialect: dialectOf(sourcePlace) });
    say(`${name}: complete`);
  }
  return rows;
}

function checkUrls({ from, to, dataDir }: CopyOptions): void {
  const faults = Object.entries({ '--from': from, '--to': to }).flatMap(([name, url]) => {
    const problem = explainUnusable(url, dataDir);
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
  if (faults.length === 0 && databasePath(from) && databasePath(to)) {
    faults.push(
      '--from and --to both name SQLite. Use npm run backup and npm run restore to move its files.',
    );
  }
  const file = faults.length === 0 ? databasePath(from) : undefined;
  // The bridge may have no data of its own in the data folder; any other file is meant.
  if (file && dirname(file) !== dataDir && !existsSync(file)) {
    faults.push(`--from names ${file}, which does not exist.`);
  }
  if (faults.length === 0 && renderStoreUrl(from) === renderStoreUrl(to)) {
    faults.push('--from and --to name the same database.');
  }
  if (faults.length > 0) throw new ConfigError(faults);
}

function listParts({ from, to, dataDir, owner }: CopyOptions): Part[] {
  const service = {
    name: 'service',
    from: servicePlace({ storeUrl: from, dataDir }),
    to: servicePlace({ storeUrl: to, dataDir }),
    migrations: serviceMigrations,
    plan: { tables: serviceTables, triggers: usageTriggers },
  };
  const bridge = {
    name: 'bridge',
    from: toPlace(parseStoreUrl(from), { schema }),
    to: toPlace(parseStoreUrl(to), { schema }),
    migrations: bridgeMigrations,
    plan: { tables: bridgeTables, triggers: [] },
  };
  return owner === undefined ? [service, bridge] : [service];
}

/** The files of the side that is SQLite. */
function listLocked({ from, to, dataDir }: CopyOptions): string[] {
  const path = databasePath(from) ?? databasePath(to);
  return path ? [path, join(dataDir, databaseNames.service)] : [];
}

async function refuseUsed(storeUrl: string, patienceMs?: number): Promise<void> {
  const parsed = parseStoreUrl(storeUrl);
  if (!('url' in parsed)) return;
  const { isUsed } = await import('../shared/stores/postgres-users.ts');
  const used = await openFile(renderStoreUrl(storeUrl), () => isUsed(parsed.url, patienceMs));
  if (used) {
    throw new RefusedError(
      `A process of Causeway uses ${renderStoreUrl(storeUrl)}. Stop all of them first.`,
    );
  }
}

function openSource(part: Part, url: string): Promise<Database<object> | undefined> {
  const { from, migrations } = part;
  if (typeof from === 'string' && !existsSync(from)) return Promise.resolve(undefined);
  return openFile(renderPlace(from, url), () => openToRead<object>(from, migrations));
}

function renderPlace(place: DatabasePlace, url: string): string {
  return typeof place === 'string' ? place : renderStoreUrl(url);
}

async function createPlan(
  part: Part,
  source: Database<object>,
  { from, owner, replace }: CopyOptions,
): Promise<CopyPlan> {
  const plan = { ...part.plan, from: renderStoreUrl(from), replace };
  if (owner === undefined) return plan;
  return { ...plan, owner: await findCopiedOwner(source.queries, owner) };
}

/**
 * @param options.running the parts whose targets are open
 * @returns undefined if an earlier run, which had begun those, finished this one
 */
async function openPart(
  { to, migrations }: Part,
  plan: CopyPlan,
  options: { to: string; running: readonly Running[] },
): Promise<Target | undefined> {
  try {
    return await openFile(renderPlace(to, options.to), () => openTarget(to, migrations, plan));
  } catch (error) {
    if (!(error instanceof FullTargetError)) throw error;
    if (options.running.some(({ target }) => target.isResumed)) return undefined;
    for (const begun of options.running) await withdraw(begun.target, begun.plan);
    throw error;
  }
}
