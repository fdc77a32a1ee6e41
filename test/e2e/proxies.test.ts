import { describe, expect, it, vi } from 'vitest';
import { createManifest } from '../../src/app/manifest.ts';
import { createChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import { commandNames } from '../fixtures/command-names.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { certificateFile, startProxy } from '../fixtures/proxy.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { serveSandbox } from '../sandbox/serve-sandbox.ts';
import { startWebsite } from '../service/website.ts';
import { startCauseway } from './causeway-process.ts';
import { discordSeat, slackSeat } from './seats.ts';
import { patience } from '../fixtures/patience.ts';

const key = 'a-key-for-the-proxy-test';

/** Both platforms, a model server and a website, whose names only a proxy can resolve. */
async function openInternet() {
  await using parts = new AsyncDisposableStack();
  const slack = parts.use(await serveSandbox({ name: 'https://slack.test' }));
  const discord = parts.use(await serveSandbox({ name: 'https://discord.test' }));
  slack.sandbox.slack.install(JSON.parse(createManifest(commandNames())));
  const models = parts.use(await startModelServer());
  const site = parts.use(await startWebsite());
  const modelsOrigin = new URL(models.baseUrl).origin;
  const proxy = parts.use(
    await startProxy({
      credentials: 'me:pass-word-of-the-proxy',
      hosts: {
        'slack.test': slack.origin,
        'discord.test': discord.origin,
        'model.test': modelsOrigin,
        'embeddings.test': modelsOrigin,
        'page.test': site.url,
      },
    }),
  );
  const opened = parts.move();
  return {
    slack: slack.sandbox,
    discord: discord.sandbox,
    proxy,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describe('a process behind a proxy', () => {
  it('reaches everything through the proxy, and itself directly', async ({ signal }) => {
    await using internet = await openInternet();
    const { slack, discord, proxy } = internet;
    await using causeway = await startCauseway(
      {
        DATA_DIR: createTemporaryFolder(),
        HTTP_PROXY: proxy.url,
        https_proxy: proxy.url,
        NODE_EXTRA_CA_CERTS: certificateFile,
        SLACK_BOT_TOKEN: slack.slack.credentials.botToken,
        SLACK_APP_TOKEN: slack.slack.credentials.appToken,
        SLACK_API_URL: slack.slack.credentials.apiUrl,
        DISCORD_TOKEN: discord.discord.credentials.token,
        DISCORD_API_URL: discord.discord.credentials.apiUrl,
        SERVICE_API_KEYS: key,
        LLM_BASE_URL: 'http://model.test/v1',
        LLM_MODEL: 'small',
        EMBEDDINGS_BASE_URL: 'https://embeddings.test/v1',
        EMBEDDINGS_MODEL: 'vectors',
        ALLOW_PRIVATE_ADDRESSES: 'on',
      },
      signal,
    );
    for (const seat of [slackSeat(slack), discordSeat(discord)]) {
      const thread = await seat.mention('When does the mill grind?');
      await seat.replies(thread, 1, /\w/);
    }
    const ada = slack.slack.users().find(({ name }) => name === 'ada')?.id ?? '';
    const general = slack.slack.channels().find(({ name }) => name === 'general')?.id ?? '';
    await slack.slack.command({ user: ada, channel: general, command: '/causeway', text: 'help' });

    await using client = createChatbotClient({ baseUrl: causeway.origin, apiKey: key });
    const [chatbot] = await client.listChatbots();
    await client.addUrlSource(chatbot?.uuid ?? '', { url: 'https://page.test/mill' });
    const responseUrl = expect.stringMatching(/^POST \/sandbox\/slack\/respond\//);
    await vi.waitFor(() => {
      expect(proxy.reached('page.test')).toEqual(['GET /robots.txt', 'GET /mill']);
      expect(proxy.reached('slack.test')).toContainEqual(responseUrl);
    }, patience);

    const sockets = proxy.reached('slack.test').filter((path) => !path.startsWith('POST'));
    expect(sockets).toEqual(['GET /sandbox/slack/link', 'GET /sandbox/slack/link']);
    expect(proxy.reached('slack.test')).toContain('POST /sandbox/slack/api/chat.postMessage');
    const atDiscord = proxy.reached('discord.test');
    expect(atDiscord.filter((path) => path === 'GET /sandbox/discord/gateway')).toHaveLength(1);
    expect(atDiscord).toContainEqual(
      expect.stringMatching(/^POST \/sandbox\/discord\/api\/.*\/messages$/),
    );
    expect(proxy.reached('model.test')).toContain('POST /v1/chat/completions');
    expect(proxy.reached('embeddings.test')).toContain('POST /v1/embeddings');
    expect(proxy.asked.filter((request) => /127\.0\.0\.1|localhost/.test(request))).toEqual([]);
    expect(causeway.output()).not.toContain('pass-word');
  });
});
