import { expect, test } from 'vitest';
import { channelId, runServer, type RunningServer } from './server.ts';

async function refused(answer: Promise<Response>): Promise<unknown> {
  const response = await answer;
  return { status: response.status, ...((await response.json()) as object) };
}

async function post(server: RunningServer, channel: string, body: object = { content: 'Hi' }) {
  const response = await server.call('POST', `/channels/${channel}/messages`, body);
  return (await response.json()) as { id: string; type: number };
}

const tooLong = (most: number) => ({
  _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${most} or fewer in length.` }],
});

test('a call without the token or to an unknown path is refused', async () => {
  await using server = await runServer();
  const unauthorized = { status: 401, message: '401: Unauthorized', code: 0 };
  expect(await refused(server.call('GET', '/users/@me', undefined, 'Bot nobody'))).toEqual(
    unauthorized,
  );
  expect(await refused(server.call('GET', '/users/@me', undefined, 'Bearer x'))).toEqual(
    unauthorized,
  );
  expect(await refused(server.call('GET', '/nowhere'))).toMatchObject({ status: 404 });
});

const button = (fields: object) => ({ type: 2, style: 1, label: 'Go', custom_id: 'go', ...fields });
const row = (...components: object[]) => ({ type: 1, components });

/** What is wrong with a message, its body, and a part of Discord's answer. */
const messages: [what: string, body: object, answer: object][] = [
  ['no content', {}, { status: 400, code: 50006 }],
  ['only spaces', { content: ' \n ' }, { status: 400, code: 50006 }],
  [
    'content past 2000',
    { content: 'x'.repeat(2001) },
    {
      status: 400,
      code: 50035,
      message: 'Invalid Form Body',
      errors: { content: tooLong(2000) },
    },
  ],
  [
    'content that is no text',
    { content: 5 },
    { errors: { content: { _errors: [{ code: 'STRING_TYPE_CONVERT' }] } } },
  ],
  ['a long nonce', { content: 'x', nonce: 'n'.repeat(26) }, { code: 50035 }],
  [
    'a reply to nothing',
    { content: 'x', message_reference: { message_id: '1' } },
    { errors: { message_reference: { _errors: [{ code: 'REPLIES_UNKNOWN_MESSAGE' }] } } },
  ],
  [
    'an embed past its limit',
    { embeds: [{ title: 'x'.repeat(257) }] },
    { errors: { embeds: { 0: { title: tooLong(256) } } } },
  ],
  [
    'embeds past 6000',
    { embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] },
    { errors: { embeds: { _errors: [{ code: 'MAX_EMBED_SIZE_EXCEEDED' }] } } },
  ],
  [
    'six rows',
    {
      content: 'x',
      components: Array.from({ length: 6 }, (_, n) => row(button({ custom_id: `${n}` }))),
    },
    { errors: { components: tooLong(5) } },
  ],
  [
    'six buttons in a row',
    {
      content: 'x',
      components: [row(...Array.from({ length: 6 }, (_, n) => button({ custom_id: `${n}` })))],
    },
    {
      errors: {
        components: { 0: { components: { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH' }] } } },
      },
    },
  ],
  [
    'a long label',
    { content: 'x', components: [row(button({ label: 'x'.repeat(81) }))] },
    { errors: { components: { 0: { components: { 0: { label: tooLong(80) } } } } } },
  ],
  [
    'a long custom id',
    { content: 'x', components: [row(button({ custom_id: 'x'.repeat(101) }))] },
    { code: 50035 },
  ],
  [
    'one custom id twice',
    { content: 'x', components: [row(button({}), button({}))] },
    { errors: { components: { _errors: [{ code: 'COMPONENT_CUSTOM_ID_DUPLICATED' }] } } },
  ],
  [
    'text display without its flag',
    { content: 'x', components: [{ type: 10, content: 'x' }] },
    { errors: { components: { 0: { type: { _errors: [{ code: 'UNION_TYPE_CHOICES' }] } } } } },
  ],
  [
    'content beside components V2',
    { content: 'x', flags: 1 << 15, components: [{ type: 10, content: 'x' }] },
    { code: 50035, errors: { content: {} } },
  ],
  [
    'components V2 with too much text',
    {
      flags: 1 << 15,
      components: [
        { type: 10, content: 'x'.repeat(4000) },
        { type: 10, content: 'x' },
      ],
    },
    { code: 50035, errors: { components: {} } },
  ],
  [
    'mentions both parsed and listed',
    { content: 'x', allowed_mentions: { parse: ['users'], users: ['1'] } },
    { code: 50035, errors: { allowed_mentions: { parse: {} } } },
  ],
];

test('a message that breaks a rule is refused, with the fields that are wrong', async () => {
  await using server = await runServer();
  server.discord.faults.rateLimits = false;
  const channel = channelId(server.discord, 'general');
  for (const [what, body, answer] of messages) {
    const refusal = await refused(server.call('POST', `/channels/${channel}/messages`, body));
    expect({ [what]: refusal }).toMatchObject({ [what]: answer });
  }
  expect(server.discord.messages(channel)).toEqual([]);
});

test('a call for something that is missing, hidden or not allowed is refused', async () => {
  await using server = await runServer();
  const { discord } = server;
  const [general, readonly] = ['general', 'readonly'].map((name) => channelId(discord, name));
  const message = { content: 'x' };
  const say = (channel: string | undefined) =>
    refused(server.call('POST', `/channels/${channel}/messages`, message));
  expect(await say('1')).toMatchObject({ status: 404, code: 10003 });
  expect(await say(readonly)).toMatchObject({ status: 403, code: 50013 });
  const path = `/channels/${general}/messages/1`;
  expect(await refused(server.call('PATCH', path, message))).toMatchObject({ code: 10008 });

  const { id } = await discord.say({ user: 'ada', channel: '#general', content: 'Mine' });
  const others = `/channels/${general}/messages/${id}`;
  expect(await refused(server.call('PATCH', others, message))).toMatchObject({
    status: 403,
    code: 50005,
  });
  expect(await refused(server.call('DELETE', others))).toMatchObject({ status: 403, code: 50013 });

  const viewChannel = 1n << 10n;
  const everyone = discord.guildId;
  discord.setPermissions({ channel: String(general), id: everyone, allow: 0n, deny: viewChannel });
  expect(await say(general)).toMatchObject({ status: 403, code: 50001 });
});

test('people have the same limits as the bot', async () => {
  await using server = await runServer();
  const { discord } = server;
  await expect(
    discord.say({ user: 'linus', channel: '#readonly', content: 'Hi' }),
  ).rejects.toMatchObject({ code: 50013 });
  await discord.say({ user: 'grace', channel: '#readonly', content: 'Rules' });
  await expect(
    discord.say({ user: 'ada', channel: '#general', content: 'x'.repeat(2001) }),
  ).rejects.toMatchObject({ code: 50035 });
  await expect(
    discord.say({ user: 'causeway', channel: '#general', content: 'x' }),
  ).rejects.toThrow('There is no person causeway. Use one of: ada, grace, linus, konrad.');
  const { id } = await discord.say({ user: 'ada', channel: '#general', content: 'Frist' });
  await expect(discord.edit({ user: 'linus', message: id, content: 'x' })).rejects.toMatchObject({
    code: 50005,
  });
  expect(await discord.edit({ user: 'ada', message: id, content: 'First' })).toMatchObject({
    content: 'First',
  });
  expect(discord.revisions(id)).toEqual(['Frist', 'First']);
  expect(() => discord.remove({ user: 'linus', message: id })).toThrow('Missing Permissions');
  discord.remove({ user: 'grace', message: id });
  expect(discord.messages(channelId(discord, 'general'))).toEqual([]);
});

test('a thread has one start, a valid name, and its own permissions', async () => {
  await using server = await runServer();
  const { discord } = server;
  const general = channelId(discord, 'general');
  const { id } = await discord.say({ user: 'ada', channel: general, content: 'Hi' });
  const path = `/channels/${general}/messages/${id}/threads`;
  const start = (body: object) => server.call('POST', path, body);
  expect(await refused(start({ name: '' }))).toMatchObject({ code: 50035, errors: { name: {} } });
  expect(await refused(start({ name: 'x', auto_archive_duration: 61 }))).toMatchObject({
    errors: {
      auto_archive_duration: {
        _errors: [
          { code: 'BASE_TYPE_CHOICES', message: 'Value must be one of {60, 1440, 4320, 10080}.' },
        ],
      },
    },
  });
  const started = await start({ name: 'Talk' });
  expect([started.status, await started.json()]).toMatchObject([201, { id, parent_id: general }]);
  expect(await refused(start({ name: 'Again' }))).toMatchObject({ status: 400, code: 160004 });

  const [notice] = (await (await server.call('GET', `/channels/${id}/messages`)).json()) as [
    { id: string; type: number },
  ];
  expect(notice.type).toBe(21);
  const { id: sent } = await post(server, id);
  discord.archive(id);
  const edit = () => server.call('PATCH', `/channels/${id}/messages/${sent}`, { content: 'x' });
  expect(await refused(edit())).toMatchObject({ status: 400, code: 50083 });
  await post(server, id, { content: 'Opens it' });
  expect(discord.threads(general)).toMatchObject([{ id, archived: false }]);
  expect((await edit()).status).toBe(200);

  const sendInThreads = 1n << 38n;
  discord.setPermissions({
    channel: general,
    id: discord.guildId,
    allow: 0n,
    deny: sendInThreads,
  });
  expect(
    await refused(server.call('POST', `/channels/${id}/messages`, { content: 'x' })),
  ).toMatchObject({ code: 50013 });
  expect(await post(server, general)).toMatchObject({ type: 0 });
});

test('in a locked thread the bot writes, edits and deletes nothing, unless it manages threads', async () => {
  await using server = await runServer();
  const { discord } = server;
  const general = channelId(discord, 'general');
  const { id } = await discord.say({ user: 'ada', channel: general, content: 'Hi' });
  discord.openThread({ user: 'ada', message: id, name: 'Talk' });
  const [first, second] = [await post(server, id), await post(server, id)];
  const pathTo = (message: { id: string }) => `/channels/${id}/messages/${message.id}`;
  const edit = () => refused(server.call('PATCH', pathTo(first), { content: 'x' }));
  const remove = (message: { id: string }) => server.call('DELETE', pathTo(message));
  discord.changePost({ user: 'ada', post: id, locked: true });
  expect(await edit()).toMatchObject({ status: 403, code: 160005 });
  expect((await remove(second)).status).toBe(204);
  discord.archive(id);
  expect(await edit()).toMatchObject({ status: 400, code: 50083 });
  expect(await refused(remove(first))).toMatchObject({ status: 400, code: 50083 });
  const manageThreads = 1n << 34n;
  const own = discord.roles().find(({ name }) => name === 'Causeway')?.id ?? '';
  discord.setPermissions({ channel: general, id: own, allow: manageThreads, deny: 0n });
  expect((await remove(first)).status).toBe(204);
});

test('a message keeps its components V2 flag', async () => {
  await using server = await runServer();
  const general = channelId(server.discord, 'general');
  const components = [{ type: 17, components: [{ type: 10, content: 'Shown' }] }];
  const { id } = await post(server, general, { flags: 1 << 15, components });
  expect(server.discord.messages(general)).toMatchObject([{ revisions: ['Shown'] }]);
  const path = `/channels/${general}/messages/${id}`;
  expect(await refused(server.call('PATCH', path, { flags: 0, content: 'x' }))).toMatchObject({
    code: 50035,
    errors: { flags: {} },
  });
  expect(await refused(server.call('PATCH', path, { content: 'x' }))).toMatchObject({
    errors: { content: {} },
  });
});

/** What is wrong with a list of commands, the list, and a part of the errors. */
const commandLists: [what: string, commands: object[], errors: object][] = [
  ['an upper-case name', [{ name: 'Ask', description: 'x' }], { 0: { name: {} } }],
  ['no description', [{ name: 'ask' }], { 0: { description: {} } }],
  [
    'a required option after an optional one',
    [
      {
        name: 'ask',
        description: 'x',
        options: [
          { type: 3, name: 'a', description: 'x' },
          { type: 3, name: 'b', description: 'x', required: true },
        ],
      },
    ],
    { 0: { options: { 1: {} } } },
  ],
  [
    '26 choices',
    [
      {
        name: 'ask',
        description: 'x',
        options: [
          {
            type: 3,
            name: 'a',
            description: 'x',
            choices: Array.from({ length: 26 }, (_, n) => ({ name: `${n}`, value: `${n}` })),
          },
        ],
      },
    ],
    { 0: { options: { 0: { choices: tooLong(25) } } } },
  ],
  [
    'a subcommand beside an option',
    [
      {
        name: 'ask',
        description: 'x',
        options: [
          { type: 1, name: 'a', description: 'x' },
          { type: 3, name: 'b', description: 'x' },
        ],
      },
    ],
    { 0: { options: { 1: { type: {} } } } },
  ],
  [
    'more than 8000 characters',
    [
      {
        name: 'ask',
        description: 'x',
        options: Array.from({ length: 25 }, (_, n) => ({
          type: 3,
          name: `o${n}`,
          description: 'x'.repeat(100),
          choices: Array.from({ length: 3 }, (_, m) => ({ name: `${m}`, value: 'x'.repeat(80) })),
        })),
      },
    ],
    { 0: { _errors: [{ code: 'APPLICATION_COMMAND_TOO_LARGE' }] } },
  ],
  [
    'one name twice',
    [
      { name: 'ask', description: 'x' },
      { name: 'ask', description: 'y' },
    ],
    { 1: { _errors: [{ code: 'APPLICATION_COMMANDS_DUPLICATE_NAME' }] } },
  ],
];

test('commands that break a rule are refused, with the fields that are wrong', async () => {
  await using server = await runServer();
  const path = `/applications/${server.discord.credentials.applicationId}/commands`;
  for (const [what, commands, errors] of commandLists) {
    const refusal = await refused(server.call('PUT', path, commands));
    expect({ [what]: refusal }).toMatchObject({ [what]: { code: 50035, errors } });
  }
  const many = Array.from({ length: 101 }, (_, n) => ({ name: `c${n}`, description: 'x' }));
  expect(await refused(server.call('PUT', path, many))).toMatchObject({ code: 30032 });
  expect(server.discord.commands()).toEqual([]);
});
