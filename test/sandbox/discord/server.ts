import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import {
  Client,
  Events,
  GatewayIntentBits,
  Partials,
  REST,
  type ClientOptions,
  type RESTOptions,
} from 'discord.js';
import { Hono } from 'hono';
import {
  createDiscordServer,
  type DiscordServer,
} from '../../../src/sandbox/discord/discord-server.ts';
import { createRecords } from '../../../src/sandbox/records.ts';
import { openDatabase } from '../../../src/sandbox/schema.ts';
import type { Sleep } from '../../../src/shared/primitives/time.ts';

export interface RunningServer extends AsyncDisposable {
  discord: DiscordServer;
  /** A request to the REST API as the bot, or by another authorization. */
  call(method: string, path: string, body?: unknown, authorization?: string): Promise<Response>;
  /** Discord.js's REST client, logged in. */
  rest(): REST;
  /** Discord.js's client, ready; it leaves when the server closes. */
  logIn(options?: Partial<ClientOptions>): Promise<Client<true>>;
}

const intents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];

/** The library's own form data fails with a newer undici, which other tests of a thread load. */
const { Agent } = createRequire(createRequire(import.meta.url).resolve('discord.js'))('undici') as {
  Agent: new () => NonNullable<RESTOptions['agent']>;
};
const agent = new Agent();

/** A Discord server on a free port of loopback. */
export async function runServer({
  database = ':memory:',
  now = Date.now,
  sleep,
}: { database?: string; now?: () => number; sleep?: Sleep } = {}): Promise<RunningServer> {
  const connection = openDatabase(database);
  const http = createServer();
  const origin = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const records = createRecords(connection);
  const discord = createDiscordServer({ records, origin, now, ...(sleep && { sleep }) });
  // A test's clients follow one another at once.
  discord.rules.identifyMs = 0;
  const app = new Hono();
  app.route('/sandbox/discord', discord.routes);
  const listener = getRequestListener(app.fetch);
  http.on('request', (incoming, outgoing) => void listener(incoming, outgoing));
  http.on('upgrade', (request, socket, head) => {
    if (!discord.upgrade(request, socket, head)) socket.destroy();
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });

  const clients: Client[] = [];
  const { token, apiUrl } = discord.credentials;
  return {
    discord,
    call: (method, path, body, authorization = `Bot ${token}`) =>
      fetch(`${apiUrl}/v10${path}`, {
        method,
        headers: {
          authorization,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    rest: () => new REST({ api: apiUrl, version: '10', agent }).setToken(token),
    async logIn(options = {}) {
      const client = new Client({
        intents,
        partials: [Partials.Channel],
        allowedMentions: { parse: [], repliedUser: false },
        enforceNonce: true,
        ...options,
        rest: { api: apiUrl, version: '10', agent, ...options.rest },
      });
      clients.push(client);
      const ready = new Promise<Client<true>>((resolve) => {
        client.once(Events.ClientReady, resolve);
      });
      await client.login(token);
      return ready;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.destroy()));
      await discord.close();
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
      connection.close();
    },
  };
}

/** A channel's id by its name. */
export function channelId(discord: DiscordServer, name: string): string {
  const channel = discord.channels().find((one) => one.name === name);
  if (!channel) throw new Error(`There is no channel ${name}.`);
  return channel.id;
}
