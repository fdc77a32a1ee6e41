import { expect, test } from 'vitest';
import { openDatabase } from '../../src/sandbox/schema.ts';
import { ContentTooLarge, createContents } from '../../src/sandbox/contents.ts';

const megabyte = 1024 * 1024;

function* megabytes(count: number): Generator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(megabyte).fill(index);
}

async function read(stream: ReadableStream<Uint8Array> | undefined): Promise<Buffer> {
  return Buffer.from(await new Response(stream).arrayBuffer());
}

test('a file of several pieces comes back byte for byte', async () => {
  const contents = createContents(openDatabase(':memory:'));
  const bytes = Buffer.concat([...megabytes(3), Buffer.from('tail')]);
  const pieces = [
    bytes.subarray(0, 700_000),
    bytes.subarray(700_000, 2_000_001),
    bytes.subarray(2_000_001),
  ];
  expect(await contents.write('a', pieces)).toBe(bytes.length);
  expect((await read(contents.read('a'))).equals(bytes)).toBe(true);
});

test('an empty file can be read, an unknown one cannot', async () => {
  const contents = createContents(openDatabase(':memory:'));
  expect(await contents.write('empty', [])).toBe(0);
  expect(await read(contents.read('empty'))).toHaveLength(0);
  expect(contents.read('unknown')).toBeUndefined();
});

test('a file past 25 MB is refused and leaves nothing behind', async () => {
  const contents = createContents(openDatabase(':memory:'));
  await expect(contents.write('large', megabytes(26))).rejects.toThrow(ContentTooLarge);
  expect(contents.read('large')).toBeUndefined();
});

test('past 200 MB the oldest files make room', async () => {
  const contents = createContents(openDatabase(':memory:'));
  for (let index = 0; index < 9; index += 1) await contents.write(`file ${index}`, megabytes(25));
  expect(contents.read('file 0')).toBeUndefined();
  expect(contents.read('file 1')).toBeDefined();
  expect(contents.read('file 8')).toBeDefined();
});
