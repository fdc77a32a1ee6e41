/** Of Postgres and Node: a server that is starting, stopping, or not there. */
const codesAway = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  '57P01',
  '57P03',
];

/** Errors that `pg` makes itself have no code. */
const uncoded: readonly (readonly [RegExp, string])[] = [
  [/^timeout exceeded|^timeout expired|^Query read timeout|connection timeout$/, 'ETIMEDOUT'],
  // Such as by a proxy whose server is away.
  [/^Connection terminated|is not queryable$/, 'ECONNRESET'],
  [/^SASL: /, '28P01'],
  [/^The server does not support SSL|^There was an error establishing an SSL/, 'no TLS'],
];

/** What to do about a server that is a connection pooler, and not one in session mode. */
export const poolerAdvice =
  'Name the server itself, or a pooler in session mode that passes on "options".';

/** Codes of SQLite (https://sqlite.org/rescode.html) and Node, and what to do about each. */
const advices = [
  {
    codes: ['SQLITE_11', 'SQLITE_26'],
    advice: 'Restore it from a backup, or move it away to start with an empty one.',
  },
  // Without space for its shared memory, SQLite reports an I/O error.
  {
    codes: ['SQLITE_10', 'SQLITE_13', 'ENOSPC', 'EDQUOT'],
    advice: 'Check its disk, which may be full.',
  },
  { codes: ['SQLITE_5'], advice: 'Close the program that has it open.' },
  // Of Postgres: https://www.postgresql.org/docs/current/errcodes-appendix.html
  { codes: ['28000', '28P01'], advice: 'Check its user and password.' },
  { codes: ['3D000'], advice: 'Create this database.' },
  { codes: ['42501'], advice: 'Let this user create schemas in it: GRANT CREATE ON DATABASE.' },
  { codes: ['53300'], advice: 'Raise max_connections there, or lower STORE_CONNECTIONS_MAX.' },
  // PgBouncer refuses the options of a connection with this code.
  { codes: ['08P01'], advice: poolerAdvice },
  // Of Node's TLS, where a server's certificate comes from an authority of its own.
  {
    codes: [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    advice: 'Add sslrootcert=… to its address, with the file of the authority that signed for it.',
  },
  {
    codes: ['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'],
    advice: 'Check its certificate, and the host in its address.',
  },
  { codes: ['no TLS'], advice: 'Switch on TLS there, or leave sslmode out of its address.' },
  {
    codes: codesAway,
    advice: 'Check that the server runs, and its address.',
  },
];

/** A file that can't be opened. The message says why, and what to do about it. */
export class OpenError extends Error {
  override readonly name = 'OpenError';

  constructor(named: string, usualAdvice: string, cause: unknown) {
    const code = codeOf(cause);
    const known = advices.find(({ codes }) => codes.includes(code));
    const advice = known?.advice ?? (isServer.test(named) ? serverAdvice : usualAdvice);
    super(`${named} cannot be opened: ${reasonOf(cause)}. ${advice}`, { cause });
  }
}

/** Whether a server is away, which passes. */
export function isAway(error: unknown): error is Error {
  return codesAway.includes(codeOf(error instanceof OpenError ? error.cause : error));
}

/**
 * Opens a file, with an explained error if that fails.
 * @param named the start of the error's sentence, such as the path
 * @throws {OpenError}
 */
export async function openFile<Opened>(
  named: string,
  open: () => Promise<Opened>,
  advice = usualAdvice,
): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    throw explain(error, named, advice);
  }
}

/** Like `openFile`, where opening waits for nothing. */
export function openFileSync<Opened>(
  named: string,
  open: () => Opened,
  advice = usualAdvice,
): Opened {
  try {
    return open();
  } catch (error) {
    throw explain(error, named, advice);
  }
}

const isServer = /\bpostgres(?:ql)?:\/\//;
const serverAdvice = 'Look into the log of that server, and check its address.';
const usualAdvice = 'Let this user write to it and its folder, or choose another place.';

function explain(error: unknown, named: string, advice: string): unknown {
  if (error instanceof OpenError || codeOf(error) === '') return error;
  return new OpenError(named, advice, error);
}

/**
 * Reads from a database that is open, with an explained error if SQLite can't read it: a damaged
 * file may open all the same.
 * @param named the start of the error's sentence, such as the path
 * @throws {OpenError}
 */
export async function readFirst<Result>(
  named: string,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!codeOf(error).startsWith('SQLITE_')) throw error;
    throw new OpenError(named, 'Check its disk.', error);
  }
}

/** Where a host has several addresses, the error has one for each. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}

/** Whether SQLite gave up because another connection has the file locked. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_5';
}

/** Whether SQLite finds that a file is damaged, or not a database. */
export function isDamage(error: unknown): error is Error {
  return ['SQLITE_11', 'SQLITE_26'].includes(codeOf(error));
}

/**
 * SQLite's primary code (https://sqlite.org/rescode.html), which is in the low byte, or that of Postgres or
 * the system; '' if nothing is known.
 */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('errcode' in error) return `SQLITE_${Number(error.errcode) & 0xff}`;
  if ('code' in error) return String(error.code);
  return uncoded.find(([message]) => message.test(error.message))?.[1] ?? '';
}
