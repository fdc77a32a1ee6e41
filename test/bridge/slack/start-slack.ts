import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import {
  createSlackPlatform,
  type SlackOptions,
  type SlackPlatform,
} from '../../../src/bridge/slack/slack-platform.ts';
import { createFakeCore, type FakeCore, type OnPressed } from '../../fixtures/fake-core.ts';
import { createMemoryLog, type MemoryLog } from '../../fixtures/memory-log.ts';
import { exampleRunner } from './example-commands.ts';

export type Mode = 'socket' | 'http';

/** The adapter at work in a workspace of the sandbox. */
export interface StartedSlack extends AsyncDisposable {
  platform: SlackPlatform;
  core: FakeCore;
  /** The messages it handed over, in order; waits for one that is yet to come. */
  next(): Promise<IncomingMessage>;
  log: MemoryLog;
  /** Where Slack's requests go; by HTTP only. */
  eventsUrl: string;
}

export async function startSlack(
  slack: SlackWorkspace,
  mode: Mode = 'socket',
  {
    pressed,
    store = async () => {},
    isVerified = true,
    ...options
  }: Partial<SlackOptions> & {
    /** What a press of a button says to the one who pressed. */
    pressed?: OnPressed;
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
  const core = createFakeCore(pressed);
  core.readFrom(platform);
  await platform.start({
    ...core,
    async received(delivery) {
      await store();
      await core.received(delivery);
    },
  });
  await using parts = new AsyncDisposableStack();
  parts.use(platform);
  const eventsUrl = mode === 'http' ? await mount(platform, parts) : '';
  if (eventsUrl && isVerified) await slack.setRequestUrl(eventsUrl);
  const started = parts.move();
  return {
    platform,
    core,
    next: core.messages.next,
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
