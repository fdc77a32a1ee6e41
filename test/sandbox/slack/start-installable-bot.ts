import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  App,
  HTTPReceiver,
  type Installation,
  LogLevel,
  MemoryInstallationStore,
  SocketModeReceiver,
} from '@slack/bolt';
import type { Slack } from '../../../src/sandbox/slack/slack.ts';
import { silentLogger } from './serve-workspace.ts';

/**
 * An unmodified Bolt app that workspaces install at `/slack/install`, as @slack/oauth's InstallProvider
 * serves it. It hears of all workspaces at one request URL, or on Socket Mode.
 */
export async function startInstallableBot(
  slack: Slack,
  configure: (app: App) => void,
  { sockets = false } = {},
) {
  const { clientId, clientSecret, signingSecret, appToken, apiUrl } = slack.credentials;
  const clientOptions = { slackApiUrl: apiUrl, retryConfig: { retries: 0 }, logger: silentLogger };
  const installations = new MemoryInstallationStore();
  const pages = new HTTPReceiver({
    signingSecret,
    clientId,
    clientSecret,
    stateSecret: 'a secret for states',
    scopes: ['app_mentions:read', 'channels:history', 'chat:write', 'users:read'],
    installationStore: installations,
    logger: silentLogger,
    installerOptions: {
      directInstall: true,
      callbackOptions: {
        // By default it is a page with status 500, also for people who cancel.
        failure: ({ code }, _options, _request, response) => response.writeHead(200).end(code),
      },
      authorizationUrl: new URL('../oauth/v2/authorize', apiUrl).href,
      clientOptions,
    },
  });
  const { installer } = pages;
  if (!installer) throw new Error('Bolt has no installer.');
  const socket = new SocketModeReceiver({
    appToken,
    logLevel: LogLevel.ERROR,
    clientPingTimeout: 5_000,
    installerOptions: { clientOptions },
  });
  const app = new App({
    ...(sockets ? { receiver: socket, authorize: installer.authorize } : { receiver: pages }),
    clientOptions,
    logger: silentLogger,
  });
  configure(app);
  const server = await pages.start({ port: 0, host: '127.0.0.1' });
  if (!server.listening) await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  slack.switches.redirectUrl = `${origin}/slack/oauth_redirect`;
  if (sockets) await app.start();
  else await slack.setRequestUrl(`${origin}/slack/events`);
  return {
    installer,
    installUrl: `${origin}/slack/install`,
    /** What the app has of a workspace, or of an organisation. */
    find: (id: string): Installation | undefined => installations.devDB[id],
    async [Symbol.asyncDispose]() {
      if (sockets) await socket.client.disconnect();
      server.closeAllConnections();
      await pages.stop();
    },
  };
}
