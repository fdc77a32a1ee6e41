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

test('each answer names the scopes of its token, which only an install grants', async () => {
  const { slack } = served;
  const scopes = async () => (await createClient(slack).auth.test()).response_metadata?.scopes;
  expect(await scopes()).toEqual(bot);
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

test('a call without the scope it needs is refused with the name of the scope', async () => {
  const { slack, client, ada, help } = served;
  const at = { channel: help, ts: '1.1', thread_ts: '1.1' };
  const direct = slack.direct(ada).id;
  const calls: [scope: string | undefined, method: string, args: Record<string, unknown>][] = [
    [undefined, 'auth.test', {}],
    [undefined, 'chat.getPermalink', { channel: help, message_ts: '1.1' }],
    ['users:read', 'bots.info', { bot: slack.bot.bot }],
    ['users:read', 'users.info', { user: ada }],
    ['usergroups:read', 'usergroups.list', {}],
    ['chat:write', 'chat.postMessage', { channel: help, text: 'x' }],
    ['chat:write', 'chat.postEphemeral', { channel: help, user: ada, text: 'x' }],
    ['chat:write', 'chat.update', { ...at, text: 'x' }],
    ['chat:write', 'chat.delete', at],
    ['chat:write', 'chat.startStream', { ...at, channel: direct }],
    ['chat:write', 'chat.appendStream', { ...at, channel: direct, markdown_text: 'x' }],
    ['chat:write', 'chat.stopStream', { ...at, channel: direct }],
    [
      'chat:write',
      'assistant.threads.setStatus',
      { channel_id: help, thread_ts: '1.1', status: '' },
    ],
    ['chat:write', 'agents.sessions.setStatus', { ...at, status: 'active' }],
    ['files:read', 'files.info', { file: 'F1' }],
    ['files:write', 'files.getUploadURLExternal', { filename: 'a', length: 1 }],
    ['files:write', 'files.completeUploadExternal', { files: [{ id: 'F1' }] }],
    ['channels:read', 'conversations.info', { channel: help }],
    ['im:read', 'conversations.info', { channel: direct }],
    ['channels:history', 'conversations.replies', at],
    ['im:history', 'conversations.history', { channel: direct }],
    ['im:write', 'conversations.open', { users: ada }],
    ['groups:read,mpim:read', 'users.conversations', { types: 'private_channel,mpim' }],
  ];
  const file = { name: 'notes.txt', bytes: Buffer.from('notes') };
  const { files: [shared] = [] } = await slack.say({ user: ada, channel: help, files: [file] });
  const { file: found } = await client.files.info({ file: shared?.id ?? '' });
  const headers = { authorization: `Bearer ${slack.credentials.botToken}` };
  const contentType = async () =>
    (await fetch(found?.url_private ?? '', { headers })).headers.get('content-type');
  expect(await contentType()).toBe('text/plain');
  slack.install({ ...manifest, oauth_config: { scopes: { bot: ['commands'] } } });
  // A file's address leads to the sign-in page instead.
  expect(await contentType()).toMatch('text/html');
  for (const [scope, method, args] of calls) {
    const answer = await client.apiCall(method, args).catch((error) => error.data);
    expect([method, answer.error === 'missing_scope' ? answer.needed : undefined]).toEqual([
      method,
      scope,
    ]);
    expect(answer.provided).toBe(scope && 'commands');
  }
  slack.install(manifest);
});

test('the bot finds its app and its own channels', async () => {
  const { slack, client } = served;
  const { bot: found } = await client.bots.info({ bot: slack.bot.bot });
  expect(found).toMatchObject({ app_id: slack.bot.app, user_id: slack.bot.user });
  const { channels = [] } = await client.users.conversations({ types: 'public_channel' });
  expect(channels.map(({ name }) => name)).toEqual(['general', 'help']);
});

test('the bot lists another person’s public channels, and the private ones that it shares', async () => {
  const { slack, client, ada, grace } = served;
  const list = async (user: string) => {
    const types = 'public_channel,private_channel';
    const { channels = [] } = await client.users.conversations({ user, types });
    return channels.map(({ name }) => name);
  };
  slack.openChannel({ kind: 'group', name: 'theirs', members: [ada, grace] });
  slack.openChannel({ kind: 'group', name: 'ours', members: [ada, slack.bot.user] });
  expect(await list(ada)).toEqual(['general', 'help', 'random', 'leads', 'ours']);
  expect(await list(grace)).toEqual(['general', 'help', 'random', 'leads']);
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
