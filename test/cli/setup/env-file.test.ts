import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVariables, setVariables, writeVariables } from '../../../src/cli/setup/env-file.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

function write(before: string | undefined, values: Record<string, string>): string {
  const path = join(createTemporaryFolder(), '.env');
  if (before !== undefined) writeFileSync(path, before);
  writeVariables(path, values);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  return readFileSync(path, 'utf8');
}

test.each([
  ['a new file', undefined, 'A=1\n'],
  ['an empty file', '', 'A=1\n'],
  ['comments and other variables', '# mine\nB=2 # two\n\n', '# mine\nB=2 # two\n\nA=1\n'],
  ['a variable in its place', 'A=0\nB=2\n', 'A=1\nB=2\n'],
  ['one with spaces and export', '  export A = 0\nB=2', '  export A =1\nB=2'],
  ['no line end at the end', 'B=2', 'B=2\nA=1\n'],
  ['line ends of Windows', 'B=2\r\nA=0\r\n', 'B=2\r\nA=1\r\n'],
  ['a value of several lines', 'B="one\nA=0\n"\n', 'B="one\nA=0\n"\nA=1\n'],
  ['a comment behind a value', 'A=0 # zero\nB=2\n', 'A=1 # zero\nB=2\n'],
  ['a comment behind quotes', `A='0' # zero\n`, 'A=1 # zero\n'],
  ['an empty variable', 'A=\nB=2\n', 'A=1\nB=2\n'],
  ['a comment that looks like one', '# A=0\n', '# A=0\nA=1\n'],
  ['the same variable twice', 'A=0\nA=2\n', 'A=1\nA=1\n'],
])('%s is kept', (_, before, after) => {
  expect(write(before, { A: '1' })).toBe(after);
});

test('a value is read back unchanged, or refused', () => {
  for (const value of ['', 'a b', '#', `it's`, '"', 'a=b', ' x ', 'xoxb-1']) {
    expect(parseEnv(write('B=2\n', { A: value }))).toEqual({ A: value, B: '2' });
  }
  expect(() => write('', { A: `'"\`` })).toThrow('can’t be written');
  expect(() => write('', { A: 'a\nb' })).toThrow('can’t be written');
});

function outcomeOf(before: string): 'kept' | 'lost' | 'refused' {
  try {
    const after = { ...parseEnv(setVariables(before, { A: 'new' })) };
    return isDeepStrictEqual(after, { ...parseEnv(before), A: 'new' }) ? 'kept' : 'lost';
  } catch {
    return 'refused';
  }
}

test('every file keeps its other variables, or is left unchanged', () => {
  const piece = fc.constantFrom(
    'A',
    'B',
    '=',
    '"',
    "'",
    '`',
    '#',
    ' ',
    '\n',
    '\r\n',
    'x',
    'export ',
  );
  const outcomes: unknown[] = [];
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const before = pieces.join('');
      outcomes.push(outcomeOf(before));
    }),
    { numRuns: 1000 },
  );
  expect(outcomes.filter((outcome) => outcome === 'lost')).toEqual([]);
  expect(outcomes.filter((outcome) => outcome === 'kept').length).toBeGreaterThan(800);
});

test('a file that is not UTF-8 is left unchanged', () => {
  const folder = createTemporaryFolder();
  const path = join(folder, '.env');
  const bytes = Buffer.from('# caf\xe9\nB=2\n', 'latin1');
  writeFileSync(path, bytes);
  expect(() => writeVariables(path, { A: '1' })).toThrow('not in UTF-8');
  expect(readFileSync(path)).toEqual(bytes);
  expect(readdirSync(folder)).toEqual(['.env']);
});

test.runIf(process.getuid?.() === 0)('a file that root changes keeps its owner', () => {
  const path = join(createTemporaryFolder(), '.env');
  writeFileSync(path, 'B=2\n');
  chownSync(path, 1234, 1235);
  writeVariables(path, { A: '1' });
  expect(statSync(path)).toMatchObject({ uid: 1234, gid: 1235 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a temporary file that is already there is never written to', () => {
  const folder = createTemporaryFolder();
  const path = join(folder, '.env');
  const beside = [`${path}.new`, `${path}.tmp`];
  for (const each of beside) symlinkSync(join(folder, 'elsewhere'), each);
  writeVariables(path, { A: '1' });
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  expect(readdirSync(folder).toSorted()).toEqual(['.env', '.env.new', '.env.tmp']);
});

test('a link stays a link, and its file becomes private', () => {
  const folder = createTemporaryFolder();
  const [target, link] = [join(folder, 'target'), join(folder, '.env')];
  writeFileSync(target, 'B=2\n');
  chmodSync(target, 0o644);
  symlinkSync(target, link);
  writeVariables(link, { A: '1' });
  expect(readFileSync(target, 'utf8')).toBe('B=2\nA=1\n');
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).toSorted()).toEqual(['.env', 'target']);
  expect(readVariables(join(folder, 'none'))).toEqual({});
});
