import { type Config, ConfigError } from '../config/config.ts';
import { isOwnerName, ownerNameRule } from '../config/chatbot.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { toTimestamp } from '../service/identifiers.ts';
import { addKey, createOwners, findKeys, type KeyTools, mainOwner } from '../service/keys.ts';
import type { KeyRecord, OwnerRecord } from '../service/store/key-store.ts';
import { openStore } from '../service/store/store.ts';
import { openFile } from '../shared/stores/open-error.ts';
import { nameOfPlace, servicePlace } from './databases.ts';
import { refuseHalfRestored } from './staged-data.ts';

/** Manages the keys of the built-in service, also while it runs. */
export interface KeyManager extends AsyncDisposable {
  /**
   * Creates a key, and returns a message with it.
   * @param owner the name of its owner, who is created if missing
   * @param name what the key is for
   */
  add(owner?: string, name?: string): Promise<string>;
  /** A table of all keys. */
  list(): Promise<string>;
  /**
   * Revokes a key, and returns a message about it.
   * @param text how the key begins, or the whole key
   * @throws {RefusedError} unless exactly one key matches
   */
  revoke(text: string): Promise<string>;
}

/**
 * Opens the keys of the built-in service.
 * @throws {ConfigError} when the service is a hosted one
 * @throws {OpenError} when the database can't be opened
 * @throws {RefusedError} when another version of Causeway wrote the database, or a restore was
 *   interrupted
 */
export async function openKeys(config: Config, now = Date.now): Promise<KeyManager> {
  const { chatbot, dataDir } = config;
  if (chatbot.kind === 'hosted') {
    throw new ConfigError([
      'CHATBOT_API_URL names a hosted service, which has its own keys. Unset it to manage those of the built-in service.',
    ]);
  }
  refuseHalfRestored(dataDir);
  const place = servicePlace(config);
  const store = await openFile(nameOfPlace(place), () => openStore(place));
  const given = chatbot.apiKeys;
  const owners = createOwners(store.owners, now);
  await owners.named();
  const tools: KeyTools = { store: store.keys, owners, now };

  /** The owners of every key that is accepted. */
  async function listReached(): Promise<Set<string>> {
    const reached = new Set((await store.keys.listValid()).map(({ owner }) => owner));
    for (const { owner } of given) reached.add(await owners.named(owner));
    return reached;
  }

  return {
    async add(owner = mainOwner, name = '') {
      if (!isOwnerName(owner))
        throw new RefusedError(`“${owner}” can’t be an owner’s name. ${ownerNameRule}`);
      const key = await addKey(tools, { owner, name });
      return `A key of ${owner}, shown only once:\n${key}`;
    },

    async list() {
      const rows = [['Prefix', 'Owner', 'Name', 'Created', 'Last used', 'Revoked']];
      for (const key of await store.keys.list()) {
        rows.push(toRow(key, await owners.nameOf(key.owner)));
      }
      rows.push(...given.map((key) => toGivenRow(key, key.owner ?? mainOwner)));
      const reached = await listReached();
      const unreached = (await store.owners.list()).filter(({ id }) => !reached.has(id));
      return [toTable(rows), ...unreached.map(explainUnreached)].join('\n');
    },

    async revoke(text) {
      if (given.some(({ key }) => key.startsWith(text))) {
        throw new RefusedError(
          `A key in SERVICE_API_KEYS begins with ${text}. Remove it there, and restart the service.`,
        );
      }
      const key = requireOne(await findKeys(tools, text), text);
      await store.keys.revoke(key.hash, now());
      const owner = await owners.nameOf(key.owner);
      const isLast = !(await listReached()).has(key.owner);
      const hint = isLast ? `\nIt was the last key of ${owner}. ${adviceFor(owner)}` : '';
      return `Revoked ${key.prefix}, a key of ${owner}.${hint}`;
    },

    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** @throws {RefusedError} unless exactly one of the keys can be revoked */
function requireOne(keys: readonly KeyRecord[], text: string): KeyRecord {
  const [key, ...others] = keys.filter(({ revokedMs }) => revokedMs === null);
  if (key && others.length === 0) return key;
  if (key) {
    const prefixes = [key, ...others].map(({ prefix }) => prefix).join(', ');
    throw new RefusedError(`Several keys begin with ${text}: ${prefixes}. Type more of the key.`);
  }
  const revoked = keys[0]?.revokedMs;
  if (revoked) throw new RefusedError(`${text} was revoked at ${toTimestamp(revoked)}.`);
  throw new RefusedError(`No key begins with ${text}. npm run keys -- list shows all.`);
}

function toRow({ prefix, name, createdMs, lastUsedMs, revokedMs }: KeyRecord, owner: string) {
  const used = lastUsedMs === null ? 'never' : toTimestamp(lastUsedMs);
  const revoked = revokedMs === null ? '' : toTimestamp(revokedMs);
  return [prefix, owner, name, toTimestamp(createdMs), used, revoked];
}

/** Less is shown of a key that was made up by a person. */
function toGivenRow({ key }: { key: string }, owner: string) {
  return [`${key.slice(0, 4)}…`, owner, 'in SERVICE_API_KEYS', '', '', ''];
}

function explainUnreached({ name }: OwnerRecord): string {
  return `${name} has no key. ${adviceFor(name)}`;
}

function adviceFor(owner: string): string {
  return `npm run keys -- add --owner ${owner} creates one.`;
}

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
