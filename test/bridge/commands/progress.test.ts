import { expect, test, vi } from 'vitest';
import type { IncomingFile } from '../../../src/bridge/commands/files.ts';
import { openCommands } from './open-commands.ts';
import { textFile } from '../../fixtures/press.ts';

/** A clock that goes on while somebody waits. */
function startClock() {
  let ms = Date.parse('2026-09-12T10:00:00Z');
  return {
    now: () => ms,
    beforeSleep: (waited: number) => {
      ms += waited;
    },
  };
}

const source = {
  uuid: 'a'.repeat(32),
  title: 'Handbook',
  file_name: 'handbook.md',
  file_size: 1200,
  tokens: 300,
  type: 'upload',
  created_at: '2026-09-12T10:00:00Z',
  modified_at: '2026-09-12T10:00:00Z',
};

/** A service that has one source, which stands as `status` says each time it is asked. */
function withSource(status: (asked: number) => string | Response) {
  let asked = 0;
  return (request: Request): Response | undefined => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/data-source/url')) return Response.json({ ...source, status: 'await' });
    if (!pathname.endsWith('/data-sources')) return undefined;
    const stands = status((asked += 1));
    return stands instanceof Response ? stands : Response.json([{ ...source, status: stands }]);
  };
}

const page = { url: 'https://example.com' };

test('what is ready at once needs no further note', async () => {
  await using commands = await openCommands({
    ...startClock(),
    answer: withSource(() => 'success'),
  });
  expect(await commands.last('source url', page)).toContain('✅ **Handbook** is ready');
  expect(commands.notices).toEqual([]);
});

test('a source that the service’s list does not have at once is still waited for', async () => {
  const nothing = () => Response.json([]);
  const late = withSource((asked) => (asked < 8 ? nothing() : 'success'));
  await using commands = await openCommands({ ...startClock(), answer: late });
  expect(await commands.last('source url', page)).toContain('✅ **Handbook** is ready');

  const never = withSource(nothing);
  await using others = await openCommands({ ...startClock(), answer: never });
  expect(await others.last('source url', page)).toContain('was deleted before it was ready');
});

test('a requester who waited long gets a direct message', async () => {
  const answer = withSource((asked) => (asked < 12 ? 'embedding' : 'success'));
  await using commands = await openCommands({ ...startClock(), answer });
  const results = await commands.use('source url', page);
  expect(results.at(-1)?.markdown).toContain('✅ **Handbook** is ready: 300 tokens, 1 kB');
  expect(commands.notices).toEqual([
    {
      workspace: 'W',
      to: { person: 'U1' },
      markdown: '✅ **Handbook** is ready: 300 tokens, 1 kB',
    },
  ]);
});

test('a direct message that is refused takes nothing from the result', async () => {
  const answer = withSource((asked) => (asked < 12 ? 'embedding' : 'success'));
  const beforeNotice = () => {
    throw new Error('no direct messages');
  };
  await using commands = await openCommands({ ...startClock(), answer, beforeNotice });
  expect(await commands.last('source url', page)).toContain('✅ **Handbook** is ready');
});

test('what takes longer than an answer can be edited is told when it ends', async () => {
  const answer = withSource((asked) => (asked < 300 ? 'running' : 'error:token'));
  await using commands = await openCommands({ ...startClock(), answer });
  const results = await commands.use('source url', page);
  const texts = results.map(({ markdown }) => markdown);
  expect(texts.at(-2)).toContain('I’ll tell you when it’s done');
  expect(texts.at(-1)).toContain('your plan’s tokens are used up');
  expect(commands.notices.at(-1)?.markdown).toContain('your plan’s tokens are used up');
});

test('what never ends is not watched for ever', async () => {
  await using commands = await openCommands({
    ...startClock(),
    answer: withSource(() => 'running'),
  });
  await commands.use('source url', page);
  expect(commands.notices.at(-1)?.markdown).toContain('still isn’t done after several hours');
});

test('a service that is away for a moment is asked again; one that stays away is given up', async () => {
  const down = () => Response.json({ error: 'No.' }, { status: 500 });
  const passing = withSource((asked) => (asked < 4 ? down() : 'success'));
  await using commands = await openCommands({ ...startClock(), answer: passing });
  expect(await commands.last('source url', page)).toContain('✅ **Handbook** is ready');

  await using others = await openCommands({ ...startClock(), answer: withSource(down) });
  const last = await others.last('source url', page);
  expect(last).toContain('⏳ **Handbook**');
  expect(last).toContain('❌ I can’t reach the chatbot service right now.');
});

test('a process that ends says that the service goes on', async () => {
  const ending = new AbortController();
  let isWatched = false;
  const beforeSleep = () => {
    if (isWatched) ending.abort();
  };
  const answer = withSource(() => {
    isWatched = true;
    return 'running';
  });
  await using commands = await openCommands({ beforeSleep, answer });
  const last = await commands.last('source url', page, { signal: ending.signal });
  expect(last).toContain('⏳ **Handbook**');
  expect(last).toContain('The service is still working on it. `/source list` shows the progress.');
});

test('a large file shows a bar and its bytes while they leave', async () => {
  const shown = Promise.withResolvers<void>();
  const half = new Uint8Array(500_000);
  const file: IncomingFile = {
    name: 'large.txt',
    size: 1_000_000,
    contentType: 'text/plain',
    origin: undefined,
    async *read() {
      yield half.fill(97);
      await shown.promise;
      yield half;
    },
  };
  await using commands = await openCommands();
  const texts: string[] = [];
  const run = commands.runner.run({
    command: 'source',
    action: 'upload',
    values: { file: [file] },
    context: commands.context(),
  });
  for await (const { markdown } of run) {
    texts.push(markdown);
    if (markdown.includes('▰▰▰▰▰▱▱▱▱▱')) shown.resolve();
  }
  expect(texts).toContain('⏳ Ada is adding **large.txt** (977 kB) … ▰▰▰▰▰▱▱▱▱▱ 488 kB');
  expect(texts.at(-1)).toContain('✅');
});

test('a file over the limit is refused before a byte of it is read, and hides no other', async () => {
  await using commands = await openCommands({ maxFileBytes: 1024 * 1024 });
  const read = vi.fn<IncomingFile['read']>();
  const large: IncomingFile = { name: 'large.pdf', size: 2 * 1024 * 1024, origin: undefined, read };
  const file = [large, textFile('small.md', '# Hours\n\nWe open at nine.')];
  const last = await commands.last('source upload', { file });
  expect(last).toContain(
    '❌ **large.pdf** (2 MB): This file is 2 MB; the limit is 1 MB (UPLOAD_MAX_MB)',
  );
  expect(last).toContain('✅ **Hours** is ready');
  expect(read).not.toHaveBeenCalled();
});

test('what the service refused as too large is not sent again, nor is what is larger', async () => {
  let uploads = 0;
  const clock = startClock();
  const answer = (request: Request) => {
    if (!request.url.endsWith('/upload')) return undefined;
    uploads += 1;
    return Response.json({ error: 'At most 1 MB.' }, { status: 413 });
  };
  await using commands = await openCommands({ ...clock, answer });
  const file = (name: string, size: number) => textFile(name, 'a'.repeat(size));
  expect(await commands.last('source upload', { file: file('a.md', 3_000) })).toContain(
    'This is too large for the chatbot service: At most 1 MB.',
  );
  const files = [file('b.md', 3_000), file('c.md', 2_999)];
  expect(await commands.last('source upload', { file: files })).toContain(
    'the chatbot service just refused one of 3 kB as too large',
  );
  expect(uploads).toBe(2);
});
