import type { DatabaseSync } from 'node:sqlite';
import { parseMessageKey } from '../conversation/address.ts';
import type { MessageAddress, ThreadAddress } from '../conversation/ports.ts';
import { toReceivedRow, TurnRow } from '../conversation/turns/turn-record.ts';
import { transaction } from '../../shared/primitives/transaction.ts';

type Insert = (row: TurnRow) => boolean;

/**
 * Moves what versions before the table of turns stored: turns that had not ended (`journal`), ended
 * ones (`turn`), and claims, which say that a message was handled. A turn that can't be read is kept
 * as unreadable.
 */
export function migrateTurns(database: DatabaseSync, insert: Insert): void {
  const tables = database.prepare(
    "SELECT name FROM sqlite_master WHERE name IN ('claims', 'keyv')",
  );
  const names = new Set(tables.all().map(({ name }) => name));
  if (!names.has('claims')) return;
  transaction(database, () => {
    if (names.has('keyv')) moveTurns(database, insert);
    for (const { key } of database.prepare('SELECT key FROM claims').all()) {
      const message = parseMessageKey(String(key));
      if (message) insert({ ...toReceivedRow(message), state: 'handled' });
    }
    database.exec('DROP TABLE claims');
  });
}

function moveTurns(database: DatabaseSync, insert: Insert): void {
  const keepUnreadable = database.prepare(
    "INSERT INTO turns (id, state, value) VALUES (?, 'unreadable', ?) ON CONFLICT DO NOTHING",
  );
  const stored = database
    .prepare("SELECT namespace, key, value FROM keyv WHERE namespace IN ('journal', 'turn')")
    .all();
  const rows: TurnRow[] = [];
  for (const { namespace, key, value } of stored) {
    const row = toRow(String(value), namespace === 'turn');
    if (row) rows.push(row);
    else keepUnreadable.run(String(key), String(value));
  }
  // The ids of messages grow with time on each platform.
  rows.sort((one, other) => (one.messageId < other.messageId ? -1 : 1));
  for (const row of rows) insert(row);
  database.exec("DELETE FROM keyv WHERE namespace IN ('journal', 'turn')");
}

/** What a turn was stored as, around the fields that stayed the same. */
interface OldTurn {
  address: ThreadAddress;
  messageId: string;
  session?: string;
  posted: string[];
}

/** Undefined if the value can't be read. */
function toRow(value: string, hasEnded: boolean): TurnRow | undefined {
  try {
    const { value: turn } = JSON.parse(value) as { value: OldTurn };
    const message: MessageAddress = { ...turn.address, id: turn.messageId };
    const state = hasEnded ? 'ended' : stateOf(turn);
    return TurnRow.parse({ ...toReceivedRow(message), ...turn, state });
  } catch {
    return undefined;
  }
}

function stateOf({ session, posted }: OldTurn): TurnRow['state'] {
  if (posted.length > 0) return 'showing';
  return session === undefined ? 'accepted' : 'asking';
}
