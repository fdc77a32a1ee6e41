import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExtractor, type Extractor } from '../../../src/service/ingestion/extract.ts';

const signal = new AbortController().signal;
let folder: string;
let extractor: Extractor;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'extract-'));
  extractor = createExtractor({ maxBytes: 12_000_000 });
});
afterAll(async () => {
  await extractor[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

let files = 0;
async function file(content: string | Uint8Array, fileName: string, contentType?: string) {
  const path = join(folder, String(files++));
  await writeFile(path, content);
  return { path, fileName, ...(contentType !== undefined && { contentType }) };
}

test('the extractor reads files one after the other, each of the kind it is', async () => {
  const [page, notes] = await Promise.all([
    extractor.extract(
      await file('<!doctype html><h1>Cats</h1><p>Meow.', 'a.txt', 'text/plain'),
      signal,
    ),
    extractor.extract(await file('# Dogs\n\nWoof.', 'b.md'), signal),
  ]);
  expect(page).toEqual({
    title: 'Cats',
    blocks: [{ text: 'Meow.', headings: ['Cats'], start: 0, end: 5 }],
  });
  expect(notes?.title).toBe('Dogs');
});

test('the extractor names a document without a title after its file, without any path in the name', async () => {
  const { title } = await extractor.extract(await file('Hello.', '..\\..\\etc/passwd.txt'), signal);
  expect(title).toBe('passwd');
});

test('the extractor takes the charset from the content type', async () => {
  const source = await file(
    Buffer.from('caf\xe9', 'latin1'),
    'a.txt',
    'text/plain; charset=iso-8859-1',
  );
  expect((await extractor.extract(source, signal)).blocks[0]?.text).toBe('café');
});

test.each([
  [
    'an empty archive',
    'PK\x05\x06',
    'file type not allowed: this is an empty or split archive. Add PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, text, Markdown, HTML, CSV, JSON, RTF or e-mail files.',
  ],
  ['an empty file', '', 'The file is empty.'],
  ['a page of scripts', '<!doctype html><script>1</script>', 'The file contains no text.'],
  [
    'a file over the limit',
    'x'.repeat(12_000_001),
    'The file is too large: 11.4 MB, up to 11.4 MB are allowed.',
  ],
])('%s is refused with a reason', async (_name, content, message) => {
  await expect(extractor.extract(await file(content, 'a.txt'), signal)).rejects.toMatchObject({
    name: 'IngestionError',
    message,
  });
});

/** Reads on to the end, and gives the last passage. */
async function lastPassage(reader: Extractor, source: Awaited<ReturnType<typeof file>>) {
  const batches = await Array.fromAsync(reader.passages(source, signal));
  return batches.at(-1)?.passages.at(-1);
}

test('the extractor gives passages batch by batch, with the title', async () => {
  const sections = Array.from({ length: 25 }, (_, index) => `## Part ${index}\n\nText ${index}.`);
  const source = await file(`# Book\n\n${sections.join('\n\n')}`, 'a.md');
  const batches = await Array.fromAsync(extractor.passages(source, signal));
  expect(batches.map(({ title, passages }) => [title, passages.length])).toEqual([
    ['Book', 10],
    ['Book', 10],
    ['Book', 5],
  ]);
  expect(batches[2]?.passages[4]).toMatchObject({
    text: 'Text 24.',
    headings: ['Book', 'Part 24'],
  });
});

test('the extractor reads three megabytes in one line', async () => {
  const last = await lastPassage(extractor, await file('word '.repeat(600_000), 'a.txt'));
  expect(last?.end).toBeGreaterThan(2_900_000);
});

test('the extractor takes one long file after the other with the memory of one, also after one that its reader left', async () => {
  await using frugal = createExtractor({ processes: 1, maxMemoryMb: 220 });
  const long = await file(`${'A sentence of some length. '.repeat(10)}\n\n`.repeat(8000), 'a.md');
  for await (const { passages } of frugal.passages(long, signal)) {
    expect(passages[0]?.start).toBe(0);
    break;
  }
  for (let round = 0; round < 2; round++) {
    expect((await lastPassage(frugal, long))?.end).toBeGreaterThan(2_100_000);
  }
});

test('the extractor reads other files while one takes long', async () => {
  await using pair = createExtractor({ processes: 2 });
  const stop = new AbortController();
  const slow = pair.extract(await file(`[${'1,'.repeat(5_000_000)}1]`, 'a.json'), stop.signal);
  const quick = pair.extract(await file('Hello.', 'a.txt'), signal);
  const first = await Promise.race([slow.catch(() => 'slow'), quick.then(() => 'quick')]);
  stop.abort(new Error('stopped'));
  expect(first).toBe('quick');
  await expect(slow).rejects.toThrow('stopped');
});

/** How many processes an act starts. */
async function countStarts(act: () => Promise<unknown>): Promise<number> {
  let starts = 0;
  const count = () => starts++;
  subscribe('child_process', count);
  await act();
  unsubscribe('child_process', count);
  return starts;
}

test('the extractor reads short files that come at once with one process', async () => {
  await using patient = createExtractor({ patienceMs: 60_000 });
  const source = await file('Hello.', 'a.txt');
  const starts = await countStarts(() =>
    Promise.all([1, 2, 3].map(() => patient.extract(source, signal))),
  );
  expect(starts).toBe(1);
});

test('the extractor reads the next file with a running process, also after several were read at once', async () => {
  await using pair = createExtractor({ processes: 2, patienceMs: 0 });
  const long = await file('word '.repeat(20_000), 'a.txt');
  const starts = await countStarts(() =>
    Promise.all([pair.extract(long, signal), pair.extract(long, signal)]),
  );
  expect(starts).toBe(2);
  const source = await file('Hello.', 'a.txt');
  const later = await countStarts(async () => {
    for (let round = 0; round < 3; round++) await pair.extract(source, signal);
  });
  expect(later).toBe(0);
});

test('the extractor refuses more text than it may hold', async () => {
  await using small = createExtractor({ maxWholeCharacters: 1000 });
  await expect(small.extract(await file('word '.repeat(300), 'a.txt'), signal)).rejects.toThrow(
    /^The document is too long: 1\d{3} characters of text, 1000 are allowed\./u,
  );
});

test('the extractor gives up on a file that takes too long, and reads the next one', async () => {
  await using hurried = createExtractor({ timeoutMs: 1 });
  const refused = hurried.extract(await file('Hello.', 'a.txt'), signal);
  await expect(refused).rejects.toMatchObject({
    problem: { code: 'reading_too_slow' },
    message: 'The file took longer than 0.001 seconds to read. Split it into parts or simplify it.',
  });
  await expect(extractor.extract(await file('Hello.', 'a.txt'), signal)).resolves.toMatchObject({
    title: 'a',
  });
});

test('the extractor kills a process that takes too much memory, and reads on with another', async () => {
  await using frugal = createExtractor({ maxMemoryMb: 120, watchMs: 5 });
  const bomb = await file(`[${'{"a":[{}]},'.repeat(1_000_000)}0]`, 'a.json');
  await expect(frugal.extract(bomb, signal)).rejects.toMatchObject({
    problem: { code: 'reading_too_big' },
    message:
      'The file took more than 120 MB of memory to read. Split it into parts or simplify it.',
  });
  await expect(frugal.extract(await file('Hello.', 'a.txt'), signal)).resolves.toMatchObject({
    title: 'a',
  });
});

test('the extractor stops when it is aborted', async () => {
  const stop = new AbortController();
  const extracted = extractor.extract(await file('word '.repeat(1_000_000), 'a.txt'), stop.signal);
  stop.abort(new Error('stopped'));
  await expect(extracted).rejects.toThrow('stopped');
});

test('the extractor refuses a file that is gone', async () => {
  await expect(
    extractor.extract({ path: join(folder, 'gone'), fileName: 'a.txt' }, signal),
  ).rejects.toMatchObject({
    problem: { code: 'reading_failed' },
  });
});
