import type { DatabaseSync } from 'node:sqlite';

/** How many bytes are stored for whom, as triggers count them in the transaction of each change. */
interface UsageStore {
  /** All that is stored for an owner. */
  of(owner: string): number;
  /**
   * All that is stored for a source's owner, and what of it is the source's file with the text that
   * search sees.
   */
  around(source: string): { used: number; own: number };
  /** The passages of a version of a source, with their terms and vectors. */
  ofPassages(version: string): number;
}

/** A table whose rows count. */
interface Counted {
  table: string;
  /** Those of its columns that grow with what they hold. */
  columns: string[];
  /** SQL for the bytes of a row, if they are other than those of its columns. */
  weigh?: (row: string) => string;
  /** The table that counts them, and its key. */
  into: string;
  key: string;
  /** SQL for the key of the row that counts them. */
  keyOf: (row: string) => string;
}

/** Each row counts with about what its ids, times and places in indexes take up. */
const bytesPerRow = 200;

const ofVersion = { into: 'passage_source', key: 'number' };
const versionOfPassage = (row: string) => `(SELECT source FROM passage WHERE id = ${row}.passage)`;
const ofChatbot = { into: 'chatbots', key: 'uuid', keyOf: (row: string) => `${row}.chatbot` };
const ofOwner = { into: 'owners', key: 'id', keyOf: (row: string) => `${row}.owner` };

/**
 * All that counts; what is added to a row of another table comes before that one. Left out are the
 * full-text index, the sources that agents and tags have chosen, which are numbers, and drafts until
 * search sees them.
 */
const counted: readonly Counted[] = [
  {
    table: 'passage',
    columns: ['text', 'headings'],
    ...ofVersion,
    keyOf: (row) => `${row}.source`,
  },
  { table: 'passage_terms', columns: ['terms'], ...ofVersion, keyOf: versionOfPassage },
  { table: 'passage_vector', columns: ['vector'], ...ofVersion, keyOf: versionOfPassage },
  {
    table: 'messages',
    columns: ['query', 'response', 'citations', 'error_message', 'meta'],
    into: 'sessions',
    key: 'uuid',
    keyOf: (row) => `${row}.session`,
  },
  { table: 'sessions', columns: ['variables', 'learned', 'bytes'], ...ofChatbot },
  {
    table: 'passage_source',
    columns: ['bytes', 'state'],
    weigh: (row) => `iif(${row}.state = 'live', ${row}.bytes, 0)`,
    ...ofChatbot,
  },
  {
    table: 'sources',
    columns: ['file_size', 'title', 'file_name', 'identity', 'content_type', 'meta'],
    ...ofChatbot,
  },
  { table: 'agents', columns: ['name', 'settings'], ...ofChatbot },
  { table: 'tags', columns: ['name', 'color'], ...ofChatbot },
  { table: 'chatbots', columns: ['name', 'rate_limit_message', 'bytes'], ...ofOwner },
  { table: 'session_documents', columns: ['file_name', 'document'], ...ofOwner },
];

/** These hold a number of bytes themselves. */
const numbers = new Set(['bytes', 'file_size']);

function weigh({ columns, weigh }: Counted, row: string): string {
  if (weigh) return weigh(row);
  const sizes = columns.map((column) =>
    numbers.has(column) ? `${row}.${column}` : `ifnull(octet_length(${row}.${column}), 0)`,
  );
  return [bytesPerRow, ...sizes].join(' + ');
}

function toTriggers(each: Counted): string[] {
  const { table, columns, into, key, keyOf } = each;
  const add = (row: string, bytes: string) =>
    `BEGIN UPDATE ${into} SET bytes = bytes + ${bytes} WHERE ${key} = ${keyOf(row)}; END`;
  const [before, after] = [`(${weigh(each, 'OLD')})`, `(${weigh(each, 'NEW')})`];
  return [
    `CREATE TRIGGER usage_of_new_${table} AFTER INSERT ON ${table} ${add('NEW', after)}`,
    `CREATE TRIGGER usage_of_changed_${table} AFTER UPDATE OF ${columns.join(', ')} ON ${table}
     WHEN ${before} <> ${after} ${add('NEW', `${after} - ${before}`)}`,
    `CREATE TRIGGER usage_of_gone_${table} AFTER DELETE ON ${table} ${add('OLD', `-${before}`)}`,
  ];
}

/** The triggers that count. */
export const usageTriggers = counted.flatMap(toTriggers).join(';\n');

/** Reads what the triggers have counted. */
export function createUsageStore(database: DatabaseSync): UsageStore {
  const of = database.prepare('SELECT bytes FROM owners WHERE id = ?');
  const around = database.prepare(
    `SELECT owners.bytes AS used, file_size + ifnull(passage_source.bytes, 0) AS own
     FROM sources
     JOIN chatbots ON chatbots.uuid = sources.chatbot
     JOIN owners ON owners.id = chatbots.owner
     LEFT JOIN passage_source ON passage_source.uuid = sources.uuid
     WHERE sources.uuid = ?`,
  );
  const ofPassages = database.prepare('SELECT bytes FROM passage_source WHERE uuid = ?');
  return {
    of: (owner) => Number(of.get(owner)?.['bytes'] ?? 0),
    around: (source) =>
      (around.get(source) as { used: number; own: number } | undefined) ?? { used: 0, own: 0 },
    ofPassages: (version) => Number(ofPassages.get(version)?.['bytes'] ?? 0),
  };
}
