import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Client, Events, GatewayIntentBits, Partials } from 'discord.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Sleep } from '../../src/shared/primitives/time.ts';

/** A server on a free port of loopback, for one sandbox after another. */
export async function startSandboxServer() {
  let sandbox: Sandbox | undefined;
  const fetchFrom = (request: Request, connection: object) =>
    sandbox?.fetch(request, connection) ?? new Response(null, { status: 503 });
  const listener = getRequestListener(fetchFrom, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void listener(request, response));
  server.on('upgrade', (request, socket, head) => {
    if (!sandbox?.upgrade(request, socket, head)) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Passes every request to this sandbox from now on. */
    serve(next: Sandbox) {
      sandbox = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * A sandbox on loopback, with the control API at hand.
 *
 * @param options.name the origin in the addresses that it gives, if others know it by another
 * @param options.server where it is served, if not on a port of its own; the caller closes it
 */
export async function serveSandbox({
  database = ':memory:',
  sleep,
  name,
  server,
}: {
  database?: string;
  sleep?: Sleep;
  name?: string;
  server?: Awaited<ReturnType<typeof startSandboxServer>>;
} = {}) {
  const served = server ?? (await startSandboxServer());
  const { origin } = served;
  const sandbox = createSandbox({
    database,
    origin: () => name ?? origin,
    ...(sleep && { sleep }),
  });
  served.serve(sandbox);
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
      if (!server) await served[Symbol.asyncDispose]();
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

/** Calls a method of Slack's Web API, by default as the bot. */
export function callSlack({ slack }: Sandbox, method: string, body: object, token?: string) {
  const { apiUrl, botToken } = slack.credentials;
  return postJson(`${apiUrl}${method}`, `Bearer ${token ?? botToken}`, body);
}

/** Posts to a path of Discord's API, such as `/channels/1/messages`, as the bot. */
export function callDiscord({ discord }: Sandbox, path: string, body: object) {
  const { apiUrl, token } = discord.credentials;
  return postJson(`${apiUrl}/v10${path}`, `Bot ${token}`, body);
}

function postJson(url: string, authorization: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
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

/** The events of the stream, one by one. */
export async function openEvents(control: string, query = '') {
  const stop = new AbortController();
  const response = await fetch(`${control}/events${query}`, { signal: stop.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  async function next(): Promise<unknown> {
    for (;;) {
      const end = pending.indexOf('\n\n');
      if (end < 0) {
        const { value = '', done = true } = (await reader?.read()) ?? {};
        if (done) throw new Error('The stream has ended.');
        pending += value;
        continue;
      }
      const event = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (event.startsWith('data: ')) return JSON.parse(event.slice('data: '.length));
    }
  }
  return {
    next,
    async [Symbol.asyncDispose]() {
      await reader?.cancel();
      stop.abort();
    },
  };
}
