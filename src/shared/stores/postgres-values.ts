import pg from 'pg';

/** Stands for what Postgres can't store in a text, or for itself; a private character that no text needs. */
const escape = '\u{F0000}';
const zero = '\0';

/** A text as Postgres stores it, which is any but one with a zero byte. */
export function toPostgresText(text: string): string {
  if (!text.includes(zero) && !text.includes(escape)) return text;
  return text.replaceAll(escape, `${escape}1`).replaceAll(zero, `${escape}0`);
}

/** The text that `toPostgresText` had. */
function fromPostgresText(text: string): string {
  if (!text.includes(escape)) return text;
  return text.replaceAll(`${escape}0`, zero).replaceAll(`${escape}1`, escape);
}

/** Types by their numbers (https://www.postgresql.org/docs/current/catalog-pg-type.html). */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
  [pg.types.builtins.TEXT, fromPostgresText],
  [pg.types.builtins.VARCHAR, fromPostgresText],
  [pg.types.builtins.BYTEA, (hex) => Uint8Array.fromHex(hex.slice(2))],
]);

/**
 * Reads values as SQLite has them: whole numbers and sums as numbers, and bytes in memory of their
 * own, as arrays of 32-bit numbers can only look at those that begin at a multiple of four.
 */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parser = format === 'binary' ? undefined : parsers.get(oid);
    return parser ?? pg.types.getTypeParser(oid, format);
  },
};
