import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Client, Events, GatewayIntentBits, Partials } from 'discord.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Sleep } from '../../src/primitives/sleep.ts';

/**
 * A sandbox on a free port of loopback, with the control API at hand.
 *
 * @param options.name the origin in the addresses that it gives, if others know it by another
 */
export async function serveSandbox({
  database = ':memory:',
  sleep,
  name,
}: { database?: string; sleep?: Sleep; name?: string } = {}) {
  let origin = '';
  const sandbox = createSandbox({
    database,
    origin: () => name ?? origin,
    ...(sleep && { sleep }),
  });
  const fetchFrom = (request: Request, connection: object) => sandbox.fetch(request, connection);
  const listener = getRequestListener(fetchFrom, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void listener(request, response));
  server.on('upgrade', (request, socket, head) => {
    if (!sandbox.upgrade(request, socket, head)) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const control = `${origin}/sandbox/control`;
  return {
    sandbox,
    origin,
    control,
    get: async (path: string) => read(await fetch(`${control}${path}`)),
    /** Posts JSON, or, with files by field, a form. */
    async post(path: string, body: object, files: Record<string, File> = {}) {
      const isForm = Object.keys(files).length > 0;
      return read(
        await fetch(`${control}${path}`, {
          method: 'POST',
          ...(!isForm && { headers: { 'content-type': 'application/json' } }),
          body: isForm ? toForm(body, files) : JSON.stringify(body),
        }),
      );
    },
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toForm(body: object, files: Record<string, File>): FormData {
  const form = new FormData();
  form.append('json', JSON.stringify(body));
  for (const [field, file] of Object.entries(files)) form.append(field, file);
  return form;
}

async function read(response: Response) {
  const { status } = response;
  return { status, body: (await response.json()) as Record<string, unknown> };
}

/** Discord.js's client as the sandbox's bot, ready. */
export async function startDiscordBot({ discord }: Sandbox) {
  const { token, apiUrl } = discord.credentials;
  const client: Client<true> = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.MessageContent,
    ],
    partials: [Partials.Channel],
    allowedMentions: { parse: [] },
    rest: { api: apiUrl, version: '10' },
  });
  const ready = once(client, Events.ClientReady);
  await client.login(token);
  await ready;
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.destroy();
    },
  };
}
