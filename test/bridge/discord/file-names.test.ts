import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createDiscordFiles, type DiscordFile } from '../../../src/bridge/discord/files.ts';
import { createPermissions } from '../../../src/bridge/discord/permissions.ts';

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function createFile(change: Partial<DiscordFile>): DiscordFile {
  const url = 'https://cdn.discordapp.com/attachments/1/2/notes.md';
  return { name: 'notes.md', title: null, size: 5, contentType: null, url, ...change };
}

/** No file here is looked up again. */
const rest = { get: async () => ({}) };
const permissions = createPermissions({ channel: () => undefined });

async function read(file: DiscordFile, trustedOrigins: string[] = [], maxBytes = 1_000) {
  const reader = createDiscordFiles({ trustedOrigins, maxBytes, rest, permissions });
  const parts: Uint8Array[] = [];
  for await (const part of reader.toIncomingFile(file).read(new AbortController().signal)) {
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

test('a file is read without any token', async () => {
  let headers: string[] = [];
  await using server = await serve((request, response) => {
    headers = Object.keys(request.headers);
    response.end('Notes');
  });
  const url = `${server.origin}/notes.md?ex=1&is=2&hm=3`;
  expect(await read(createFile({ url }), [server.origin])).toBe('Notes');
  expect(headers).not.toContain('authorization');
});

test('a redirect is refused', async () => {
  let requests = 0;
  await using server = await serve((request, response) => {
    requests += 1;
    response.writeHead(302, { location: `${request.url}/again` }).end();
  });
  const file = createFile({ url: `${server.origin}/notes.md` });
  await expect(read(file, [server.origin])).rejects.toMatchObject({
    message: expect.stringContaining('302'),
  });
  expect(requests).toBe(1);
});

test('a file that says it is too large is not asked for', async () => {
  let requests = 0;
  await using server = await serve((_, response) => {
    requests += 1;
    response.end('Notes');
  });
  const file = createFile({ url: `${server.origin}/notes.md`, size: 1_001 });
  await expect(read(file, [server.origin])).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('larger'),
  });
  expect(requests).toBe(0);
});

test('a broken connection is a failure in words', async () => {
  await using server = await serve((request) => void request.socket.destroy());
  const broken = createFile({ url: `${server.origin}/broken` });
  await expect(read(broken, [server.origin])).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('couldn’t read the file'),
  });
});

test.each([
  [{ name: 'notes.md', title: null }, 'notes.md'],
  [{ name: '_bersicht.pdf', title: 'Übersicht' }, 'Übersicht.pdf'],
  [{ name: '_.pdf', title: 'Ü.pdf' }, 'Ü.pdf'],
  [{ name: 'README', title: 'Lies mich' }, 'Lies mich'],
  [{ name: 'x.md', title: '../../etc/passwd' }, '.._.._etc_passwd.md'],
])('the name of %o is %s', (names, expected) => {
  const reader = createDiscordFiles({ trustedOrigins: [], maxBytes: 1, rest, permissions });
  expect(reader.toIncomingFile(createFile(names)).name).toBe(expected);
});
