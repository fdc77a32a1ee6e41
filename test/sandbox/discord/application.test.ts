import { ApplicationFlags, GatewayIntentBits, Routes } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runServer, type RunningServer } from './server.ts';

let server: RunningServer;

beforeAll(async () => {
  server = await runServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test('the application says what its owner has switched on', async () => {
  const read = async () => (await server.rest().get(Routes.currentApplication())) as object;
  const limited = ApplicationFlags.GatewayMessageContentLimited;
  expect(await read()).toMatchObject({ flags: limited, bot_public: true });
  server.discord.changeApplication({ messageContent: false, isPublic: false });
  expect(await read()).toMatchObject({ flags: 0, bot_public: false });
});

test('the gateway refuses an intent that is switched off', async () => {
  server.discord.changeApplication({ messageContent: false });
  const { MessageContent } = GatewayIntentBits;
  await expect(server.logIn({ intents: [MessageContent] })).rejects.toThrow(/disallowed intents/);
  server.discord.changeApplication({ messageContent: true });
  const client = await server.logIn({ intents: [MessageContent] });
  expect(client.isReady()).toBe(true);
});

test('the bot lists its servers with its permissions there', async () => {
  const list = () => server.rest().get(Routes.userGuilds());
  const { guildId } = server.discord;
  server.discord.setBotPermissions(1n << 10n);
  expect(await list()).toMatchObject([{ id: guildId, owner: false, permissions: '1024' }]);
  server.discord.removeBot();
  expect(await list()).toEqual([]);
});
