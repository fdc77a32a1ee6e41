import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { onTestFinished, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Command } from '../../../src/bridge/commands/command.ts';
import { type CommandRunner, findAction } from '../../../src/bridge/commands/invocation.ts';
import type { IncomingMessage, Platform } from '../../../src/bridge/conversation/platform.ts';
import type { Log } from '../../../src/shared/primitives/log.ts';
import {
  createDiscordPlatform,
  type DiscordOptions,
} from '../../../src/bridge/discord/discord-platform.ts';
import type { ShownMessage } from '../../../src/sandbox/discord/changes.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { silentLog } from '../../fixtures/log.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { runAction } from '../../fixtures/run-action.ts';
import { createFakeCore, type FakeCore, type OnPressed } from '../../fixtures/fake-core.ts';

/** The sandbox's Discord server behind a real socket, and the adapter connected to it. */
export interface OpenServer extends AsyncDisposable {
  discord: Sandbox['discord'];
  origin: string;
  /** Connects the adapter; it leaves when the server closes. */
  connect(options?: ConnectOptions): Promise<Connected>;
  /** An adapter that is not connected yet. */
  prepare(options?: ConnectOptions): Connected;
  /**
   * Closes the next connection to the gateway with a code, once the client has identified itself;
   * or refuses it with a status of HTTP.
   */
  refuseNext(code: number): void;
  /** The id of a channel by its name. */
  channel(name: string): string;
  /** The calls to the API that were made, such as `GET /channels/1/messages`. */
  calls: string[];
  /** Mentions the bot, as a person would. */
  mention: string;
  /** Takes permissions from the bot in a channel. */
  forbid(channel: string, permissions: bigint): void;
  /** Resolves once a message, posted or edited from now on or standing there, shows the text. */
  shown(channel: string, text: string | RegExp): Promise<ShownMessage>;
}

type ConnectOptions = Partial<DiscordOptions> & {
  /** What a press of a button says to the one who pressed. */
  pressed?: OnPressed;
  /** The servers that the core does not serve. */
  unserved?: readonly string[];
};

interface Connected {
  platform: Platform;
  /** The messages that the core was given. */
  received: IncomingMessage[];
  /** Resolves with the message once the core has been given it. */
  heard(text: string): Promise<IncomingMessage>;
  core: FakeCore;
}

export async function openServer(options: { now?: () => number } = {}): Promise<OpenServer> {
  let origin = '';
  const refusals: number[] = [];
  const { now } = options;
  const sandbox = createSandbox({
    database: ':memory:',
    origin: () => origin,
    ...(now && { now }),
  });
  const { discord } = sandbox;
  // A test's clients follow one another at once.
  discord.rules.identifyMs = 0;
  const refusing = new WebSocketServer({ noServer: true });
  const listener = getRequestListener((request, connection) => sandbox.fetch(request, connection));
  const calls: string[] = [];
  const http = createServer((request, response) => {
    const [, path] = request.url?.match(/\/api\/v10([^?]*)/) ?? [];
    if (path) calls.push(`${request.method} ${path}`);
    void listener(request, response);
  });
  http.on('upgrade', (request, socket, head) => {
    const code = refusals.shift();
    if (code === undefined) return void sandbox.upgrade(request, socket, head);
    if (code < 1000) return void socket.end(`HTTP/1.1 ${code} Refused\r\n\r\n`);
    refusing.handleUpgrade(request, socket, head, (client) => {
      client.on('message', () => client.close(code));
      client.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }));
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const platforms: Platform[] = [];
  const channelId = (name: string) => {
    const found = discord.channels().find((channel) => channel.name === name);
    if (!found) throw new Error(`There is no channel ${name}.`);
    return found.id;
  };
  const botId = () => discord.users().find(({ bot }) => bot)?.id ?? '';

  function prepare({ pressed, unserved, ...given }: ConnectOptions = {}): Connected {
    const { token, apiUrl } = discord.credentials;
    const log: Log = silentLog;
    const commands = createRunner([]);
    const platform = createDiscordPlatform({ token, apiUrl, log, commands, ...given });
    platforms.push(platform);
    const core = createFakeCore(pressed, unserved);
    core.readFrom(platform);
    return {
      platform,
      core,
      received: core.messages.all,
      heard: (text) => core.messages.find((message) => message.text === text),
    };
  }

  return {
    discord,
    origin,
    calls,
    refuseNext: (code) => void refusals.push(code),
    prepare,
    async connect(options) {
      const connected = prepare(options);
      await connected.platform.start(connected.core);
      return connected;
    },
    channel: channelId,
    get mention() {
      return `<@${botId()}>`;
    },
    forbid(name, deny) {
      const channel = channelId(name);
      discord.setPermissions({ channel, id: botId(), allow: 0n, deny });
    },
    async shown(channel, text) {
      const matches = (message: ShownMessage) =>
        message.channel === channel &&
        (typeof text === 'string' ? message.content === text : text.test(message.content));
      const standing = discord.messages(channel).find(matches);
      if (standing) return standing;
      const change = await discord.changes.waitFor(
        (change) => change.kind === 'message' && matches(change.message),
      );
      if (change.kind !== 'message') throw new Error('No message changed.');
      return change.message;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(platforms.map((platform) => platform[Symbol.asyncDispose]()));
      await sandbox[Symbol.asyncDispose]();
      for (const client of refusing.clients) client.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    },
  };
}

/**
 * Goes on as though five seconds had passed: Discord lets a bot begin so many sessions in this time,
 * and discord.js waits for it.
 */
export function passIdentifyLimit(): void {
  vi.setSystemTime(Date.now() + 5_000);
  onTestFinished(() => void vi.useRealTimers());
}

/** A runner that runs its commands without checking their values. */
export function createRunner(
  commands: readonly Command[],
  prefix = '',
  more: Partial<Pick<CommandRunner, 'press' | 'complete'>> = {},
): CommandRunner {
  return createPlainRunner({
    names: { prefix },
    commands,
    ...more,
    async *run({ command, action, values, context }) {
      const found = findAction(commands, command, action);
      if (!found) yield 'I don’t know that command.';
      else yield* runAction(found, context, values);
    },
  });
}
