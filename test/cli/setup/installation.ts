import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createManifest } from '../../../src/app/manifest.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { register } from '../../../src/cli/setup/register.ts';
import type { SlackManifest } from '../../../src/cli/setup/ask-slack.ts';
import { commandNames } from '../../fixtures/command-names.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';
import { serveSandbox } from '../../sandbox/serve-sandbox.ts';

/** Causeway as it is installed in the sandbox's workspace and server, with a hosted service. */
export interface Installation extends AsyncDisposable {
  sandbox: Sandbox;
  service: HostedService;
  /** Its environment; change it to misconfigure it. */
  env: Record<string, string>;
  /** Changes the app's manifest; the app is not installed again. */
  updateManifest(change: (manifest: SlackManifest) => void): void;
}

interface HostedService extends AsyncDisposable {
  origin: string;
  /** A status to answer every request with. */
  status?: number;
  /** A body to answer every request with. */
  page?: string;
}

const chatbotUuid = '7c1f5c2e-0000-4000-8000-000000000001';

type Part = 'Slack' | 'Discord' | 'service';

/**
 * A healthy installation, except that its process isn't running; with all parts, or those given.
 */
export async function install(
  parts: readonly Part[] = ['Slack', 'Discord', 'service'],
): Promise<Installation> {
  await using running = new AsyncDisposableStack();
  const { sandbox } = running.use(await serveSandbox());
  const service = running.use(await serveChatbots());
  const { slack, discord } = sandbox;
  const manifest = JSON.parse(createManifest(commandNames())) as SlackManifest;
  slack.install(manifest);
  const variables = {
    Slack: {
      SLACK_BOT_TOKEN: slack.credentials.botToken,
      SLACK_APP_TOKEN: slack.credentials.appToken,
      SLACK_CONFIG_TOKEN: slack.credentials.configToken,
      SLACK_API_URL: slack.credentials.apiUrl,
    },
    Discord: {
      DISCORD_TOKEN: discord.credentials.token,
      DISCORD_API_URL: discord.credentials.apiUrl,
    },
    service: {
      CHATBOT_API_URL: service.origin,
      CHATBOT_API_KEY: 'the-right-key',
      CHATBOT_UUID: chatbotUuid,
    },
  };
  const env: Record<string, string> = Object.assign(
    { DATA_DIR: createTemporaryFolder(), PORT: '0' },
    ...parts.map((part) => variables[part]),
  );
  if (parts.includes('Discord')) await register(readConfig(env));
  const moved = running.move();
  return {
    sandbox,
    service,
    env,
    updateManifest(change) {
      const changed = structuredClone(manifest);
      change(changed);
      slack.update(changed);
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** A chatbot service with one chatbot and one key. */
async function serveChatbots(): Promise<HostedService> {
  const chatbot = {
    uuid: chatbotUuid,
    name: 'Handbook',
    created_at: '2026-11-22T00:00:00Z',
    modified_at: '2026-11-22T00:00:00Z',
    meta: { rate_limit_message: '', show_citations: true, visibility: 'private' },
  };
  const bodies: Record<string, unknown> = {
    '/api/v1/chatbots': [chatbot],
    [`/api/v1/chatbot/${chatbotUuid}`]: chatbot,
  };
  const server = createServer(({ url = '', headers }, response) => {
    const isKnown = headers.authorization === 'Bearer the-right-key';
    const body = bodies[url];
    const status = service.status ?? (isKnown ? (body ? 200 : 404) : 401);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(service.page ?? JSON.stringify(status === 200 ? body : { error: 'refused' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service: HostedService = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}
