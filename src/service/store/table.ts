import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/**
 * How a record's property is stored: as it is, a boolean as 0 or 1, or as JSON; `computed` is no
 * column but an SQL expression that gives JSON.
 */
type Column = 'plain' | 'boolean' | 'json' | { computed: string };

/** The records of one table, each with a `uuid`. Columns are the properties in snake_case. */
export interface Table<Stored> {
  insert(record: Stored): void;
  /** Writes all columns that are not fixed. */
  update(record: Stored): void;
  delete(uuid: string): void;
  /** A query for records: what follows `SELECT … FROM table`. */
  select(rest: string): Query<Stored>;
  /**
   * A query for many records in the order of their ids, which it reads in pages as they are taken.
   * Changes made meanwhile may or may not be included.
   */
  each(
    condition: string,
    options?: { order?: 'asc' | 'desc'; pageSize?: number },
  ): (...values: SQLInputValue[]) => Generator<Stored, void>;
}

const usualPageSize = 50;

interface Query<Stored> {
  first(...values: SQLInputValue[]): Stored | undefined;
  all(...values: SQLInputValue[]): Stored[];
}

export function createTable<Stored extends { uuid: string }>(
  database: DatabaseSync,
  name: string,
  options: {
    columns: Record<keyof Stored & string, Column>;
    /** Written once; the uuid always is. */
    fixed: readonly (keyof Stored & string)[];
  },
): Table<Stored> {
  const columns = Object.entries<Column>(options.columns);
  const stored = columns.filter(([, kind]) => typeof kind === 'string');
  const fixed = new Set<string>(['uuid', ...options.fixed]);
  const changeable = stored.filter(([property]) => !fixed.has(property));
  const selected = columns.map(([property, kind]) => {
    const value = typeof kind === 'string' ? `${name}.${toColumn(property)}` : kind.computed;
    return `${value} AS ${property}`;
  });

  const insert = database.prepare(
    `INSERT INTO ${name} (${stored.map(([property]) => toColumn(property)).join(', ')})
     VALUES (${stored.map(() => '?').join(', ')})`,
  );
  const update = database.prepare(
    `UPDATE ${name} SET ${changeable.map(([property]) => `${toColumn(property)} = ?`).join(', ')}
     WHERE uuid = ?`,
  );
  const remove = database.prepare(`DELETE FROM ${name} WHERE uuid = ?`);

  function valuesOf(record: Stored, written: typeof stored): SQLInputValue[] {
    return written.map(([property, kind]) => {
      const value = record[property as keyof Stored];
      if (kind === 'json') return JSON.stringify(value);
      return kind === 'boolean' ? Number(value) : (value as SQLInputValue);
    });
  }

  function toRecord(row: Record<string, unknown>): Stored {
    const record = { ...row };
    for (const [property, kind] of columns) {
      if (kind === 'boolean') record[property] = row[property] === 1;
      else if (kind !== 'plain') record[property] = JSON.parse(String(row[property])) as unknown;
    }
    return record as Stored;
  }

  return {
    insert(record) {
      insert.run(...valuesOf(record, stored));
    },
    update(record) {
      update.run(...valuesOf(record, changeable), record.uuid);
    },
    delete(uuid) {
      remove.run(uuid);
    },
    select(rest) {
      const query = database.prepare(`SELECT ${selected.join(', ')} FROM ${name} ${rest}`);
      return {
        first(...values) {
          const row = query.get(...values);
          return row && toRecord(row);
        },
        all: (...values) => query.all(...values).map(toRecord),
      };
    },
    each(condition, { order = 'asc', pageSize = usualPageSize } = {}) {
      const [isAfter, first] = order === 'asc' ? ['>', 0] : ['<', Number.MAX_SAFE_INTEGER];
      const query = database.prepare(
        `SELECT ${name}.id AS place, ${selected.join(', ')} FROM ${name}
         WHERE ${condition} AND ${name}.id ${isAfter} ? ORDER BY ${name}.id ${order} LIMIT ${pageSize}`,
      );
      return function* (...values) {
        let page: Record<string, SQLInputValue>[];
        let after = first;
        do {
          page = query.all(...values, after);
          for (const { place, ...row } of page) {
            after = Number(place);
            yield toRecord(row);
          }
        } while (page.length === pageSize);
      };
    },
  };
}

function toColumn(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
