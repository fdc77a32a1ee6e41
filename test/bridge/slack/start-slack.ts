import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  Author,
  ButtonPress,
  IncomingMessage,
} from '../../../src/bridge/conversation/platform.ts';
import type { Log } from '../../../src/shared/primitives/log.ts';
import type { MessageAddress, ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import {
  createSlackPlatform,
  type SlackOptions,
  type SlackPlatform,
} from '../../../src/bridge/slack/slack-platform.ts';
import { createReader } from '../../fixtures/read-in-order.ts';
import { exampleRunner } from './example-commands.ts';

export type Mode = 'socket' | 'http';

/** What people did besides writing. */
export type Told =
  | { kind: 'edited'; message: IncomingMessage }
  | { kind: 'removed'; message: MessageAddress }
  | { kind: 'stopped'; thread: ThreadAddress; by: Author }
  | { kind: 'pressed'; press: ButtonPress };

/** The adapter at work in a workspace of the sandbox. */
export interface StartedSlack extends AsyncDisposable {
  platform: SlackPlatform;
  /** The messages it handed over, in order; waits for one that is yet to come. */
  next(): Promise<IncomingMessage>;
  /** What else it told, in order. */
  told(): Promise<Told>;
  /** The workspaces that it told the bot to be in, a list a report. */
  joined(): Promise<readonly string[]>;
  log: MemoryLog;
  /** Where Slack's requests go; by HTTP only. */
  eventsUrl: string;
}

export async function startSlack(
  slack: SlackWorkspace,
  mode: Mode = 'socket',
  {
    answer = () => undefined,
    store = async () => {},
    isVerified = true,
    ...options
  }: Partial<SlackOptions> & {
    answer?: (press: ButtonPress) => string | undefined;
    /** Stores a delivery before it is acknowledged. */
    store?: () => Promise<void>;
    /** Whether Slack takes the request URL, by HTTP. */
    isVerified?: boolean;
  } = {},
): Promise<StartedSlack> {
  const { botToken, appToken, signingSecret, apiUrl } = slack.credentials;
  const log = createMemoryLog();
  const platform = createSlackPlatform({
    botToken,
    ...(mode === 'socket' ? { appToken } : { signingSecret }),
    apiUrl,
    commands: exampleRunner(async function* () {
      yield* [];
    }),
    log,
    ...options,
  });
  const inbox = createInbox<IncomingMessage>();
  const read = createReader();
  const told = createInbox<Told>();
  const joins = createInbox<readonly string[]>();
  await platform.start({
    async joined(_, workspaces) {
      joins.put(workspaces);
      return [];
    },
    async received(delivery) {
      await store();
      void read(delivery, inbox.put);
    },
    message: async (message) => inbox.put(message),
    edited: (edit) => read(edit, (message) => told.put({ kind: 'edited', message })),
    removed: (removed) =>
      read({ ...removed, read: async () => removed }, (message) =>
        told.put({ kind: 'removed', message }),
      ),
    stopped: async (thread, by) => told.put({ kind: 'stopped', thread, by }),
    async pressed(press) {
      told.put({ kind: 'pressed', press });
      return answer(press);
    },
  });
  await using parts = new AsyncDisposableStack();
  parts.use(platform);
  const eventsUrl = mode === 'http' ? await mount(platform, parts) : '';
  if (eventsUrl && isVerified) await slack.setRequestUrl(eventsUrl);
  const started = parts.move();
  return {
    platform,
    next: inbox.next,
    told: told.next,
    joined: joins.next,
    log,
    eventsUrl,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function mount(platform: SlackPlatform, parts: AsyncDisposableStack): Promise<string> {
  const server = createServer(platform.requestListener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
}

/** Hands over what was put in, in order, to whoever asks, now or later. */
export function createInbox<Item>() {
  const items: Item[] = [];
  const waiting: ((item: Item) => void)[] = [];
  return {
    put(item: Item): void {
      const hand = waiting.shift();
      if (hand) hand(item);
      else items.push(item);
    },
    next(this: void): Promise<Item> {
      const item = items.shift();
      return item === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(item);
    },
  };
}

export interface MemoryLog extends Log {
  lines: { level: keyof Log; fields: object; message: string }[];
}

export function createMemoryLog(): MemoryLog {
  const lines: MemoryLog['lines'] = [];
  const write = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
