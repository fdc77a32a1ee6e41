import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandNames } from '../../fixtures/command-names.ts';
import { createManifest } from '../../../src/app/manifest.ts';
import { createClock } from '../clock.ts';
import { createClient, refusal, serveWorkspace } from './serve-workspace.ts';

const clock = createClock();
let served: Awaited<ReturnType<typeof serveWorkspace>>;

beforeAll(async () => {
  served = await serveWorkspace(clock);
});
afterAll(() => served[Symbol.asyncDispose]());

const manifest = JSON.parse(createManifest(commandNames())) as {
  oauth_config: { scopes: { bot: string[] } };
};
const { bot } = manifest.oauth_config.scopes;

test('each answer names the scopes of its token, which an install grants', async () => {
  const { slack } = served;
  const scopes = async () => (await createClient(slack).auth.test()).response_metadata?.scopes;
  expect(await scopes()).toEqual(expect.arrayContaining(bot));
  const fewer = structuredClone(manifest);
  fewer.oauth_config.scopes.bot = bot.slice(1);
  slack.install(fewer);
  expect(await scopes()).toEqual(bot.slice(1));
  slack.update(manifest);
  expect(await scopes()).toEqual(bot.slice(1));
  const app = createClient(slack, slack.credentials.appToken);
  expect((await app.apps.connections.open({})).response_metadata?.scopes).toEqual([
    'connections:write',
  ]);
});

test('the bot finds its app and its own channels', async () => {
  const { slack } = served;
  const client = createClient(slack);
  const { bot: found } = await client.bots.info({ bot: slack.bot.bot });
  expect(found).toMatchObject({ app_id: slack.bot.app, user_id: slack.bot.user });
  const { channels = [] } = await client.users.conversations({ types: 'public_channel' });
  expect(channels.map(({ name }) => name)).toEqual(['general', 'help']);
  expect((await refusal(client.bots.info({ bot: 'B1' }))).error).toBe('bot_not_found');
});

test('a configuration token exports the manifest, for twelve hours', async () => {
  const { slack } = served;
  slack.update(manifest);
  const client = createClient(slack, slack.credentials.configToken);
  const own = { app_id: slack.bot.app };
  expect((await client.apps.manifest.export(own)).manifest).toEqual(manifest);
  const refused = async (call: Promise<unknown>) => (await refusal(call)).error;
  expect(await refused(client.apps.manifest.export({ app_id: 'A0' }))).toBe('app_not_found');
  expect(await refused(client.apps.manifest.export({ app_id: 'x' }))).toBe('invalid_app_id');
  expect(await refused(client.auth.test())).toBe('not_allowed_token_type');
  expect(await refused(createClient(slack).apps.manifest.export(own))).toBe(
    'not_allowed_token_type',
  );
  clock.advance(12 * 60 * 60 * 1000);
  expect(await refused(client.apps.manifest.export(own))).toBe('token_expired');
});
