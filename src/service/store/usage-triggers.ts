import type { Trigger } from '../../shared/stores/dialect.ts';

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

const ofVersion = {
  into: 'source_versions',
  key: 'number',
  keyOf: (row: string) => `${row}.version`,
};
const ofChatbot = { into: 'chatbots', key: 'uuid', keyOf: (row: string) => `${row}.chatbot` };
const ofOwner = { into: 'owners', key: 'id', keyOf: (row: string) => `${row}.owner` };

/**
 * All that counts; what is added to a row of another table comes before that one. Left out are the
 * search index, the sources that agents and tags have chosen, and drafts until search sees them.
 */
const counted: readonly Counted[] = [
  { table: 'passages', columns: ['text', 'headings', 'sentences'], ...ofVersion },
  { table: 'passage_vectors', columns: ['vector'], ...ofVersion },
  {
    table: 'messages',
    columns: ['query', 'response', 'citations', 'error_message', 'meta'],
    into: 'sessions',
    key: 'uuid',
    keyOf: (row) => `${row}.session`,
  },
  { table: 'sessions', columns: ['variables', 'learned', 'bytes'], ...ofChatbot },
  {
    table: 'source_versions',
    columns: ['bytes', 'state'],
    weigh: (row) => `CASE ${row}.state WHEN 'live' THEN ${row}.bytes ELSE 0 END`,
    into: 'chatbots',
    key: 'uuid',
    keyOf: (row) => `(SELECT chatbot FROM corpora WHERE id = ${row}.corpus)`,
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
    numbers.has(column) ? `${row}.${column}` : `coalesce(octet_length(${row}.${column}), 0)`,
  );
  return [bytesPerRow, ...sizes].join(' + ');
}

function toTriggers(each: Counted): Trigger[] {
  const { table, columns, into, key, keyOf } = each;
  const add = (row: string, bytes: string) =>
    `UPDATE ${into} SET bytes = bytes + ${bytes} WHERE ${key} = ${keyOf(row)}`;
  const [before, after] = [`(${weigh(each, 'OLD')})`, `(${weigh(each, 'NEW')})`];
  return [
    { name: `usage_of_new_${table}`, after: 'INSERT', table, run: add('NEW', after) },
    {
      name: `usage_of_changed_${table}`,
      after: `UPDATE OF ${columns.join(', ')}`,
      table,
      when: `${before} <> ${after}`,
      run: add('NEW', `${after} - ${before}`),
    },
    { name: `usage_of_gone_${table}`, after: 'DELETE', table, run: add('OLD', `-${before}`) },
  ];
}

/** The triggers that count. */
export const usageTriggers: readonly Trigger[] = counted.flatMap(toTriggers);
