import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createRecords } from '../../src/sandbox/records.ts';

function memory() {
  return createRecords(new DatabaseSync(':memory:'));
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

test('documents and contents are there again when the file is opened again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  const path = join(folder, 'sandbox.sqlite');
  try {
    const first = new DatabaseSync(path);
    createRecords(first).put('user', 'U1', { name: 'Ada' });
    await createRecords(first).contents.write('F1', [Buffer.from('kept')]);
    first.close();

    const second = new DatabaseSync(path);
    const records = createRecords(second);
    expect(records.get('user', 'U1')).toEqual({ name: 'Ada' });
    expect(await new Response(records.contents.read('F1')).text()).toBe('kept');
    second.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
