import { expect, test } from 'vitest';
import { sourceProgress } from '../../src/shared/api/data-source.ts';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../src/bridge/chatbot/chatbot-client.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/app/serve.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { startWebsite } from './website.ts';

const apiKey = 'a-key-of-the-environment';

/** The service as the environment wants it, and what it warned of. */
async function serve(env: Record<string, string>) {
  const warnings: string[] = [];
  const note = () => undefined;
  const warn = (_fields: object, text: string) => void warnings.push(text);
  const config = readConfig(
    { DATA_DIR: createTemporaryFolder(), PORT: '0', SERVICE_API_KEYS: apiKey, ...env },
    'service',
  );
  const service = await startService(config, { debug: note, info: note, warn, error: note });
  const client = createChatbotClient({ baseUrl: service.origin, apiKey });
  return {
    client,
    origin: service.origin,
    warnings,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** The status of the chatbot's one source in the end. */
async function readOutcome(client: ChatbotClient, chatbot: string): Promise<string> {
  for (;;) {
    const { status = '' } = (await client.listDataSources(chatbot))[0] ?? {};
    if (sourceProgress(status) !== 'waiting') return status;
  }
}

test.each([
  ['off', 'fail', 0, false],
  ['on', 'success', 1, true],
])(
  'with ALLOW_PRIVATE_ADDRESSES=%s a page of this machine ends in %s',
  async (ALLOW_PRIVATE_ADDRESSES, status, requests, warns) => {
    await using site = await startWebsite();
    await using served = await serve({ ALLOW_PRIVATE_ADDRESSES });
    const { uuid } = await served.client.createChatbot({ name: 'Guide' });
    await served.client.addUrlSource(uuid, { url: `${site.url}/page` });
    expect(await readOutcome(served.client, uuid)).toBe(status);
    expect(site.requests).toBe(requests);
    expect(served.warnings.some((text) => text.startsWith('private addresses are'))).toBe(warns);
  },
);

test('lets pages of CORS_ORIGINS in', async () => {
  const origin = 'https://app.example.com';
  await using served = await serve({ CORS_ORIGINS: `http://localhost:8080, ${origin}` });
  const answer = await fetch(`${served.origin}/api/v1/user`, { headers: { origin } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
});

test('accepts files up to UPLOAD_MAX_MB', async () => {
  await using served = await serve({ UPLOAD_MAX_MB: '1' });
  const { uuid } = await served.client.createChatbot({ name: 'Guide' });
  const upload = (bytes: number) => {
    async function* content() {
      yield Buffer.alloc(bytes, 'a word ');
    }
    return served.client.uploadDataSource(uuid, { name: `${bytes}.txt`, content: content() });
  };
  expect((await upload(1024 * 1024)).source.file_size).toBe(1024 * 1024);
  await expect(upload(1024 * 1024 + 1)).rejects.toMatchObject({
    status: 413,
    message: expect.stringContaining('up to 1 MB'),
  });
});
