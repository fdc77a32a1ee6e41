import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webApi } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import * as discord from '../../../src/bridge/discord/files.ts';
import { createPermissions } from '../../../src/bridge/discord/permissions.ts';
import * as slack from '../../../src/bridge/slack/files.ts';

/** A host of files that answers as the test says. */
async function serveFiles(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const maxBytes = 1_000;
const client = new webApi.WebClient('xoxb-1', { slackApiUrl: 'http://127.0.0.1:1/' });

describe.each([
  {
    platform: 'Slack',
    open(url: string, trustedOrigins: string[]) {
      const options = { client, token: async () => 'xoxb-1', trustedOrigins, maxBytes };
      const file = { id: 'F1', name: 'a.txt', size: 5, url_private: url };
      return slack.createSlackFiles(options).toIncomingFile(file);
    },
    elsewhere: [
      'http://files.slack.com/a',
      'https://files.slack.com.example/a',
      'https://files.slack.com:444/a',
    ],
  },
  {
    platform: 'Discord',
    open(url: string, trustedOrigins: string[]) {
      const file = { name: 'a.txt', title: null, size: 5, contentType: null, url };
      const rest = { get: async () => ({}) };
      const permissions = createPermissions({ channel: () => undefined });
      const options = { trustedOrigins, maxBytes, rest, permissions };
      return discord.createDiscordFiles(options).toIncomingFile(file);
    },
    elsewhere: [
      'http://cdn.discordapp.com/attachments/1/2/notes.md',
      'https://cdn.discordapp.com.example.com/notes.md',
      'https://cdn.discordapp.com:8443/notes.md',
      'notes.md',
    ],
  },
])('a file of $platform’s', ({ platform, open, elsewhere }) => {
  async function read(url: string, trustedOrigins: string[] = []): Promise<string> {
    const parts: Uint8Array[] = [];
    const signal = AbortSignal.timeout(5_000);
    for await (const part of open(url, trustedOrigins).read(signal)) parts.push(part);
    return Buffer.concat(parts).toString();
  }

  test('is read as it is', async () => {
    await using host = await serveFiles((_, response) => response.end('Notes'));
    const { origin } = host;
    expect(await read(`${origin}/a?ex=1`, [origin])).toBe('Notes');
  });

  test.each([
    ...elsewhere,
    'https://example.com/notes.md',
    'http://127.0.0.1:9/notes.md',
    'file:///etc/passwd',
  ])('is not fetched from %s', async (url) => {
    const message = expect.stringContaining(`from ${platform} itself`);
    await expect(read(url)).rejects.toMatchObject({ kind: 'failed', message });
  });

  test('that turns out to be too large is cut off', async () => {
    await using host = await serveFiles((_, response) => {
      response.write('x'.repeat(600));
      response.end('x'.repeat(600));
    });
    const whole = read(`${host.origin}/a`, [host.origin]);
    const message = expect.stringContaining('larger');
    await expect(whole).rejects.toMatchObject({ kind: 'failed', message });
  });

  test('that can’t be had says why', async () => {
    await using host = await serveFiles((request, response) => {
      if (request.url === '/broken') request.socket.destroy();
      else if (request.url === '/circle') response.writeHead(302, { location: '/circle' }).end();
      else response.writeHead(request.url === '/gone' ? 404 : 500).end();
    });
    const at = (path: string) => read(host.origin + path, [host.origin]);
    await expect(at('/gone')).rejects.toMatchObject({ kind: 'gone' });
    await expect(at('/trouble')).rejects.toThrow('HTTP 500');
    await expect(at('/broken')).rejects.toMatchObject({ kind: 'failed' });
    await expect(at('/circle')).rejects.toMatchObject({ kind: 'failed' });
  });
});
