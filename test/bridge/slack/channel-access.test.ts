import { expect, test } from 'vitest';
import { readChannelAccess } from '../../../src/bridge/slack/rooms.ts';
import { createClient, serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';

test('the bot reads the channels it is in, and direct messages with it', async () => {
  await using served = await serveWorkspace();
  const { slack, help, random, ada } = served;
  const client = createClient(slack);
  expect(await readChannelAccess(client, help)).toBe('everything');
  expect(await readChannelAccess(client, random)).toBe('uninvited');
  expect(await readChannelAccess(client, slack.direct(ada).id)).toBe('direct');
  // A private channel that it is not in is none that Slack knows of.
  expect(await readChannelAccess(client, 'C404')).toBe('uninvited');
});

test('if Slack does not answer, a channel counts as readable', async () => {
  await using served = await serveWorkspace();
  const { slack, random } = served;
  slack.faults.inject({ method: 'conversations.info', times: 1, status: 500 });
  expect(await readChannelAccess(createClient(slack), random)).toBe('everything');
});
