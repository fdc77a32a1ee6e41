import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, LogLevel, SocketModeReceiver, type Logger } from '@slack/bolt';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';

/**
 * An unmodified Bolt app on the workspace's Socket Mode.
 *
 * @param options.pingTimeoutMs how soon it takes a silent connection for lost, and what is on its
 * way with it: a loaded machine is slow
 */
export async function startBot(
  slack: SlackWorkspace,
  configure: (app: App) => void,
  { logger, pingTimeoutMs = 5_000 }: { logger?: Logger; pingTimeoutMs?: number } = {},
) {
  const { appToken, apiUrl: slackApiUrl } = slack.credentials;
  const receiver = new SocketModeReceiver({
    appToken,
    ...(logger ? { logger } : { logLevel: LogLevel.ERROR }),
    clientPingTimeout: pingTimeoutMs,
    installerOptions: { clientOptions: { slackApiUrl, retryConfig: { retries: 3 } } },
  });
  const app = createApp(slack, receiver, logger);
  configure(app);
  await app.start();
  return {
    async [Symbol.asyncDispose]() {
      await receiver.client.disconnect();
    },
  };
}

/** An unmodified Bolt app the workspace posts to. */
export async function startHttpBot(slack: SlackWorkspace, configure: (app: App) => void) {
  const { signingSecret } = slack.credentials;
  const receiver = new HTTPReceiver({ signingSecret, logLevel: LogLevel.ERROR });
  const app = createApp(slack, receiver);
  configure(app);
  const server = await receiver.start({ port: 0, host: '127.0.0.1' });
  if (!server.listening) await once(server, 'listening');
  await slack.setRequestUrl(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`,
  );
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await receiver.stop();
    },
  };
}

function createApp(
  slack: SlackWorkspace,
  receiver: SocketModeReceiver | HTTPReceiver,
  logger?: Logger,
): App {
  const { botToken, apiUrl: slackApiUrl } = slack.credentials;
  return new App({
    receiver,
    token: botToken,
    ...(logger ? { logger } : { logLevel: LogLevel.ERROR }),
    clientOptions: { slackApiUrl, retryConfig: { retries: 0 } },
  });
}
