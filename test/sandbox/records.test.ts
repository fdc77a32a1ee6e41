import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecords } from '../../src/sandbox/records.ts';
import { openDatabase } from '../../src/sandbox/schema.ts';

function memory() {
  return createRecords(openDatabase(':memory:'));
}

test('documents come back whole, and are unknown under another kind or id', () => {
  const records = memory();
  records.put('user', 'U1', { name: 'Ada', roles: ['admin'], note: 'é "quoted"' });
  expect(records.get('user', 'U1')).toEqual({
    name: 'Ada',
    roles: ['admin'],
    note: 'é "quoted"',
  });
  expect(records.get('user', 'U2')).toBeUndefined();
  expect(records.get('channel', 'U1')).toBeUndefined();
});

test('a list keeps the order of first puts when documents change', () => {
  const records = memory();
  records.put('message', 'a', { text: 'one' }, 'C1');
  records.put('message', 'b', { text: 'two' }, 'C1');
  records.put('message', 'c', { text: 'elsewhere' }, 'C2');
  records.put('message', 'a', { text: 'one, edited' }, 'C1');
  expect(records.list('message', 'C1')).toEqual([{ text: 'one, edited' }, { text: 'two' }]);
  expect(records.list('message')).toHaveLength(3);
  expect(records.count('message', 'C1')).toBe(2);
  expect(records.count('message')).toBe(3);
});

test('deleting takes one document, trimming the oldest of one parent', () => {
  const records = memory();
  for (const id of ['a', 'b', 'c', 'd']) records.put('message', id, { id }, 'C1');
  records.put('message', 'e', { id: 'e' }, 'C2');
  records.delete('message', 'd');
  expect(records.trim('message', 1, 'C1').toSorted()).toEqual(['a', 'b']);
  expect(records.list('message')).toEqual([{ id: 'c' }, { id: 'e' }]);
});

test('documents are read from an id on, newest or oldest first, within a thread too', () => {
  const records = memory();
  for (const id of ['8', '9', '10', '11']) {
    records.put('message', id, { id, thread_ts: Number(id) % 2 ? 't' : undefined }, 'C1');
  }
  records.put('message', '12', { id: '12' }, 'C2');
  const ids = (found: Iterable<{ id: string }>) => [...found].map(({ id }) => id);
  expect(ids(records.newest('message', 'C1'))).toEqual(['11', '10', '9', '8']);
  expect(ids(records.newest('message', 'C1', { before: '10' }))).toEqual(['9', '8']);
  expect(ids(records.oldest('message', 'C1', { after: '9' }))).toEqual(['10', '11']);
  records.delete('message', '10');
  expect(ids(records.newest('message', 'C1', { before: '10' }))).toEqual(['9', '8']);
  expect(ids(records.oldest('message', 'C1', { thread: 't' }))).toEqual(['9', '11']);
  expect(ids(records.newest('message', 'C1', { thread: 't', before: '11' }))).toEqual(['9']);
});

test('counts stay right through changes, moves, deletions and trims', () => {
  const records = memory();
  const counts = () => [records.count('a'), records.count('a', 'P1'), records.count('a', 'P2')];
  expect(counts()).toEqual([0, 0, 0]);
  for (const id of ['1', '2', '3']) records.put('a', id, {}, 'P1');
  expect(counts()).toEqual([3, 3, 0]);
  records.put('a', '1', { changed: true }, 'P1');
  records.put('a', '2', {}, 'P2');
  records.delete('a', 'unknown');
  expect(counts()).toEqual([3, 2, 1]);
  expect(records.trim('a', 1, 'P1')).toEqual(['1']);
  records.delete('a', '3');
  expect(counts()).toEqual([1, 0, 1]);
  expect(records.trim('a', 0)).toEqual(['2']);
  expect(counts()).toEqual([0, 0, 0]);
});

test('documents and contents are there again when the file is opened again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  const path = join(folder, 'sandbox.sqlite');
  try {
    const first = openDatabase(path);
    createRecords(first).put('user', 'U1', { name: 'Ada' });
    await createRecords(first).contents.write('F1', [Buffer.from('kept')]);
    first.close();

    const second = openDatabase(path);
    const records = createRecords(second);
    expect(records.get('user', 'U1')).toEqual({ name: 'Ada' });
    expect(await new Response(records.contents.read('F1')).text()).toBe('kept');
    second.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
