import { expect, test } from 'vitest';
import { readElements } from '../../../src/bridge/chatbot/newest-message.ts';

/** The elements of an array that arrives in these pieces. */
async function read(...pieces: (string | Uint8Array)[]): Promise<string[]> {
  async function* body() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  return Array.fromAsync(readElements(body()));
}

const values = [
  { text: 'a "quoted\\" [word], {', nested: [[1, 2], { a: [] }] },
  'ä€😀 ] } \\',
  '"',
  -1.5e3,
  null,
  [],
  [{ a: ['],['] }],
  {},
];

test.each([
  ['close together', JSON.stringify(values)],
  ['with spaces in between', ` \r\n\t${JSON.stringify(values, null, 2)}\n `],
])('elements %s are read, wherever the bytes are split', async (_, text) => {
  const bytes = Buffer.from(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const elements = await read(bytes.subarray(0, cut), bytes.subarray(cut));
    expect(elements.map((element) => JSON.parse(element) as unknown)).toEqual(values);
  }
  const single = await read(...Array.from(bytes, (byte) => Buffer.of(byte)));
  expect(single.map((element) => JSON.parse(element) as unknown)).toEqual(values);
});

test.each(['[]', ' [ \n ] '])('%j has no elements', async (text) => {
  expect(await read(text)).toEqual([]);
});

test.each(['[,]', '[1,]', '[,1]'])('a missing element in %s is returned as empty', async (text) => {
  expect((await read(text)).map((element) => element.trim())).toContain('');
});

test.each([
  '',
  ' ',
  '{}',
  '"[]"',
  '1',
  '[',
  '[1',
  '[1,',
  '["]',
  '[[]',
  '[]]',
  '[] 1',
  '[1}',
  '\uFEFF[]',
])('%j is refused as an array', async (text) => {
  const failure = { kind: 'protocol', message: 'The answer is not a JSON array' };
  await expect(read(text)).rejects.toMatchObject(failure);
  await expect(read(...text.split(''))).rejects.toMatchObject(failure);
});

test('elements are yielded before the array ends', async () => {
  const { promise: never } = Promise.withResolvers<never>();
  async function* body() {
    yield Buffer.from('[{"a":1},{"b"');
    await never;
  }
  expect(await readElements(body()).next()).toMatchObject({ value: '{"a":1}' });
});

test('an element of more than 32 MB is refused', async () => {
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  async function* body() {
    yield Buffer.from('["');
    for (let piece = 0; piece < 32; piece++) yield megabyte;
  }
  await expect(readElements(body()).next()).rejects.toMatchObject({ kind: 'protocol' });
});

test('an element that nests deeper than 100 levels is refused', async () => {
  expect(await read('['.repeat(100), ']'.repeat(100))).toHaveLength(1);
  await expect(read('['.repeat(101))).rejects.toMatchObject({ kind: 'protocol' });
});
