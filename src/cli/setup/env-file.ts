import { randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { parseEnv } from 'node:util';

type Values = Record<string, string>;

/** An assignment as Node reads it: a quoted value may have several lines (nodejs.org/api/cli.html). */
const assignment =
  /^([ \t]*(?:export[ \t]+)?)([\w.-]+)([ \t]*=[ \t]*)("[^"]*"|'[^']*'|`[^`]*`|(?:[^ \t\r\n#]+(?:[ \t]+[^ \t\r\n#]+)*)?)/gm;

/**
 * Sets variables in a file such as `.env`, which only its owner may then read (mode 0600). Everything
 * else stays: other variables, comments, order, line ends, and the owner. A variable that the file has
 * is set in place; others are added at the end.
 * @throws {Error} when the file can't be read or written, or would lose something
 */
export function writeVariables(path: string, values: Values): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const owner = existsSync(target) ? statSync(target) : undefined;
  const after = setVariables(owner ? readText(target) : '', values);
  // Replaced in one step, so that a crash leaves either the old file or the new one.
  const fresh = `${target}.${randomUUID()}`;
  try {
    writeFileSync(fresh, after, { mode: 0o600, flag: 'wx' });
    if (owner && owner.uid !== statSync(fresh).uid) chownSync(fresh, owner.uid, owner.gid);
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** @throws {Error} when the text can't be written back byte for byte */
function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const says = `${path} was left as it is, because it is not in UTF-8. Save it as UTF-8.`;
    throw new Error(says, { cause: error });
  }
}

/** The variables of a file; none if it doesn't exist. Editors on Windows may put a byte order mark before them. */
export function readVariables(path: string): Record<string, string | undefined> {
  if (!existsSync(path)) return {};
  const bytes = readFileSync(path);
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return parseEnv(new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes));
}

/**
 * The text of such a file with the variables set.
 * @throws {Error} when it would lose something
 */
export function setVariables(text: string, values: Values): string {
  const missing = new Map(Object.entries(values));
  const set = text.replace(assignment, (whole, lead: string, name: string, equals: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    missing.delete(name);
    return `${lead}${name}${equals.trimEnd()}${quote(value)}`;
  });
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const added = [...missing].map(([name, value]) => `${name}=${quote(value)}${end}`);
  const gap = set === '' || set.endsWith('\n') || added.length === 0 ? '' : end;
  const after = `${set}${gap}${added.join('')}`;
  assertNothingLost(text, after, values);
  return after;
}

/** Plain if Node reads it unchanged; otherwise in quotes that it doesn't contain. */
function quote(value: string): string {
  if (/^[\w./:@%+=,~?&*-]*$/.test(value)) return value;
  const mark = [`'`, '"', '`'].find((each) => !value.includes(each));
  if (!mark || /[\r\n]/.test(value)) throw new Error('A value can’t be written to .env.');
  return `${mark}${value}${mark}`;
}

/** @throws {Error} when a variable would have another value than before, or than it is set to */
function assertNothingLost(before: string, after: string, values: Values): void {
  const wanted = { ...parseEnv(before), ...values };
  const found = parseEnv(after);
  const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  const wrong = [...names].filter((name) => wanted[name] !== found[name]);
  if (wrong.length > 0) {
    throw new Error(`.env was left as it is, because ${wrong.join(', ')} would not be kept.`);
  }
}
