import type { App } from '@slack/bolt';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Events,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { createClock } from './clock.ts';
import { serveSandbox, startDiscordBot } from './serve-sandbox.ts';
import { startBot } from './slack/start-bot.ts';

const guide = new File(['# Guide'], 'Anleitung für alle.md', { type: 'text/markdown' });
const jsonHeaders = { 'content-type': 'application/json' };

describe('what the control API takes', () => {
  test('its own origin only', async () => {
    await using served = await serveSandbox();
    const ask = (origin: string) =>
      fetch(`${served.control}/overview`, { headers: { origin } }).then(({ status }) => status);
    expect(await ask(served.origin)).toBe(200);
    expect(await ask('http://evil.example')).toBe(403);
    expect(await ask('http://127.0.0.1:1')).toBe(403);
    expect(await ask('null')).toBe(403);
  });

  test('JSON and forms, of bounded size', async () => {
    await using served = await serveSandbox();
    const say = (body: string | FormData, headers: Record<string, string> = {}) =>
      fetch(`${served.control}/slack/say`, { method: 'POST', body, headers });
    const saying = JSON.stringify({ user: 'ada', channel: '#general', text: 'hello' });
    expect((await say(saying, jsonHeaders)).status).toBe(200);
    expect((await say(saying, { 'content-type': 'text/plain' })).status).toBe(415);
    const large = await say(JSON.stringify({ text: 'x'.repeat(300_000) }), jsonHeaders);
    expect(large.status).toBe(413);
    expect(await (await say('{', jsonHeaders)).json()).toEqual({
      error: 'The request is not JSON.',
    });
    expect(await (await say(new FormData())).json()).toEqual({
      error: 'json: is missing; it is the field with the request itself.',
    });
    const broken = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(await (await say('--x\r\nnonsense', broken)).json()).toEqual({
      error: 'The form is malformed or incomplete.',
    });
  });

  test('nothing else, and says in words what is wrong', async () => {
    await using served = await serveSandbox();
    const { get, post } = served;
    const errors = async (answer: ReturnType<typeof get>) => (await answer).body['error'];
    expect(await errors(get('/nothing'))).toBe('Unknown operation.');
    expect(await errors(post('/slack/say', { channel: '#general', text: '' }))).toBe(
      'user: is missing',
    );
    expect(await errors(post('/slack/say', { user: 'ada', channel: '#general' }))).toBe(
      'A message needs a text or a file.',
    );
    expect(await errors(post('/slack/say', { user: 'eve', channel: '#general' }))).toBe(
      'user: unknown person eve. Use one of: ada, grace, linus.',
    );
    expect(await errors(post('/discord/say', { user: 'ada', channel: '#nowhere' }))).toBe(
      'channel: unknown channel #nowhere.',
    );
    expect(await errors(post('/discord/say', { user: 'ada', channel: '#general' }))).toBe(
      'Cannot send an empty message',
    );
    const text = 'x'.repeat(2_001);
    expect(await errors(post('/discord/say', { user: 'ada', channel: '#general', text }))).toBe(
      'Invalid Form Body: content Must be 2000 or fewer in length.',
    );
    expect(await errors(get('/slack/messages?user=ada&channel=%23general&limit=x'))).toBe(
      'limit: must be a number of messages',
    );
  });
});

test('the overview names people, channels and the bot of both platforms', async () => {
  await using served = await serveSandbox();
  const { slack, discord } = served.sandbox;
  const { body } = await served.get('/overview');
  expect(body).toMatchObject({
    slack: {
      people: [{ name: 'ada' }, { name: 'grace' }, { name: 'linus' }],
      bot: { id: slack.bot.user, name: 'causeway' },
      connections: 0,
      channels: expect.arrayContaining([
        expect.objectContaining({ name: 'general', kind: 'channel' }),
        expect.objectContaining({ name: 'Causeway', kind: 'direct' }),
      ]),
      commands: [],
    },
    discord: {
      people: [{ name: 'ada' }, { name: 'grace' }, { name: 'linus' }],
      bot: { id: discord.credentials.applicationId },
      channels: expect.arrayContaining([
        expect.objectContaining({ name: 'general', kind: 'channel' }),
      ]),
      threads: [],
    },
  });
});

describe.each(['slack', 'discord'])('a message on %s', (platform) => {
  const general = { user: 'ada', channel: '#general' };

  test('is said, with a file that can be fetched, changed and deleted', async () => {
    await using served = await serveSandbox();
    const { get, post } = served;
    const saying = { ...general, text: 'See a < b' };
    const said = await post(`/${platform}/say`, saying, { files: guide });
    const message = said.body['message'] as { id: string; files: { url: string }[] };
    expect(message).toMatchObject({
      author: { name: 'ada', bot: false },
      inChannel: true,
      edited: false,
      source: 'See a < b',
      files: [{ name: 'Anleitung für alle.md', size: 7 }],
    });
    const file = await fetch(new URL(message.files[0]?.url ?? '', served.origin));
    expect(await file.text()).toBe('# Guide');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/);

    const at = { ...general, message: message.id };
    await post(`/${platform}/edit`, { ...at, text: 'See b' });
    const read = () => get(`/${platform}/messages?user=grace&channel=%23general`);
    expect((await read()).body).toMatchObject({
      messages: [{ id: message.id, edited: true, parts: [{ kind: 'text', text: 'See b' }] }],
      more: false,
      activity: '',
    });
    expect(await post(`/${platform}/edit`, { ...at, user: 'linus', text: 'x' })).toMatchObject({
      status: 400,
    });
    expect(await post(`/${platform}/delete`, { ...at, user: 'linus' })).toMatchObject({
      status: 400,
    });
    expect(await post(`/${platform}/delete`, at)).toMatchObject({ status: 200 });
    expect((await read()).body['messages']).toEqual([]);
  });

  test('is among the newest that are asked for', async () => {
    await using served = await serveSandbox();
    for (const text of ['one', 'two', 'three']) {
      await served.post(`/${platform}/say`, { ...general, text });
    }
    const { body } = await served.get(`/${platform}/messages?user=ada&channel=%23general&limit=2`);
    expect(body).toMatchObject({ messages: [{ source: 'two' }, { source: 'three' }], more: true });
  });

  test('is not for others when it is direct', async () => {
    await using served = await serveSandbox();
    const { body } = await served.get('/overview');
    const { channels, people } = body[platform] as {
      channels: { id: string; kind: string; people?: string[] }[];
      people: { id: string }[];
    };
    const mine = channels.find(
      ({ people: who }) => who?.includes(people[0]?.id ?? '') && who.length < 3,
    );
    const ask = (user: string) =>
      served.get(`/${platform}/messages?user=${user}&channel=${mine?.id}`);
    expect(await ask('ada')).toMatchObject({ status: 200 });
    expect(await ask('grace')).toMatchObject({ status: 400 });
  });
});

test('Slack: a reply stands in its thread, and in the channel when it is sent there too', async () => {
  await using served = await serveSandbox();
  const { get, post } = served;
  const said = await post('/slack/say', { user: 'ada', channel: '#help', text: 'A question' });
  const { id } = said.body['message'] as { id: string };
  const reply = { user: 'grace', channel: '#help', thread: id };
  await post('/slack/say', { ...reply, text: 'in the thread' });
  await post('/slack/say', { ...reply, text: 'in both', broadcast: true });
  expect((await get('/slack/messages?user=ada&channel=%23help')).body['messages']).toMatchObject([
    { source: 'A question', threadLabel: '2 replies' },
    { source: 'in both', inChannel: true, thread: id },
  ]);
  const thread = await get(`/slack/messages?user=ada&channel=%23help&thread=${id}`);
  expect(thread.body['messages']).toMatchObject([
    { source: 'A question' },
    { source: 'in the thread', inChannel: false, thread: id },
    { source: 'in both' },
  ]);
  await post('/slack/delete', { user: 'ada', channel: '#help', message: id });
  expect((await get('/slack/messages?user=ada&channel=%23help')).body['messages']).toMatchObject([
    { parts: [{ kind: 'small', text: 'This message was deleted.' }] },
    { source: 'in both' },
  ]);
});

test('Slack: a command opens a form, whose answer only its sender sees', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using _ = await startBot(sandbox.slack, takeSources);
  const command = { user: 'ada', channel: '#general', text: '/source upload now' };
  expect((await post('/slack/command', command)).body).toEqual({ acknowledged: true });

  const { body } = await get('/slack/forms?user=ada');
  const [form] = body['forms'] as { id: string; items: object[] }[];
  expect(form).toMatchObject({
    title: 'Add a source',
    submit: 'Add',
    close: 'Cancel',
    items: [
      { kind: 'text', dialect: 'mrkdwn', text: 'for *upload now*' },
      {
        kind: 'field',
        id: 'title-block',
        name: 'title',
        label: 'Title',
        required: false,
        input: { kind: 'text', lines: true, value: 'Untitled' },
      },
      {
        name: 'tag',
        required: true,
        input: { kind: 'choice', options: [{ value: 'a', label: 'Tag a' }], chosen: [] },
      },
      { name: 'file', input: { kind: 'file', most: 2, types: ['md'] } },
    ],
  });

  const at = { user: 'ada', form: form?.id };
  expect((await post('/slack/submit', at)).body).toEqual({
    outcome: 'errors',
    errors: {
      tag: 'Please complete this required field.',
      file: 'Please complete this required field.',
    },
  });
  const values = { title: 'taken', tag: 'a' };
  expect((await post('/slack/submit', { ...at, values }, { file: guide })).body).toEqual({
    outcome: 'errors',
    errors: { 'title-block': 'There is one of this name.' },
  });
  const answered = sandbox.slack.waitFor((change) => change.kind === 'ephemeral');
  const filled = { ...at, values: { ...values, title: 'New' } };
  expect((await post('/slack/submit', filled, { file: guide })).body).toEqual({ outcome: 'sent' });
  await answered;
  expect((await get('/slack/forms?user=ada')).body).toEqual({ forms: [] });
  const shown = await get('/slack/messages?user=ada&channel=%23general');
  expect(shown.body['messages']).toMatchObject([
    { author: { bot: true }, parts: [{ text: 'Learnt Anleitung für alle.md' }] },
  ]);
  const others = await get('/slack/messages?user=grace&channel=%23general');
  expect(others.body['messages']).toEqual([]);
});

test('Slack: a form is closed by its owner alone', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using _ = await startBot(sandbox.slack, takeSources);
  await post('/slack/command', { user: 'ada', channel: '#general', text: '/source' });
  const { body } = await get('/slack/forms?user=ada');
  const [form] = body['forms'] as { id: string }[];
  expect(await post('/slack/close', { user: 'grace', form: form?.id })).toMatchObject({
    status: 400,
  });
  expect(await post('/slack/close', { user: 'ada', form: form?.id })).toMatchObject({
    status: 200,
  });
  expect((await get('/slack/forms?user=ada')).body).toEqual({ forms: [] });
});

test('Slack: blocks read from top to bottom, and their controls can be pressed', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  const pressed: unknown[] = [];
  await using _ = await startBot(sandbox.slack, (app) => {
    app.message('show', async ({ say }) => {
      await say({ text: 'blocks', blocks: allBlocks });
    });
    app.action(/.*/, async ({ ack, action }) => {
      await ack();
      pressed.push(action.type === 'button' ? action.value : action);
    });
  });
  const posted = sandbox.slack.waitFor(
    (change) => change.kind === 'message' && change.message.bot_id !== undefined,
  );
  await post('/slack/say', { user: 'ada', channel: '#general', text: 'show' });
  await posted;
  const { body } = await get('/slack/messages?user=ada&channel=%23general');
  const [, message] = body['messages'] as { id: string; parts: object[] }[];
  const buttons = (...controls: object[]) => ({
    kind: 'controls',
    controls: controls.map((control) => ({ kind: 'button', ...control })),
  });
  const select = { kind: 'select', action: 'pick', label: 'Pick one', multiple: false };
  expect(message?.parts).toEqual([
    { kind: 'heading', dialect: 'plain', text: 'Heading' },
    { kind: 'text', dialect: 'markdown', text: '**bold**' },
    { kind: 'text', dialect: 'mrkdwn', text: '*bold*' },
    { kind: 'controls', controls: [{ ...select, options: [{ value: 'a', label: 'Tag a' }] }] },
    { kind: 'divider' },
    { kind: 'small', dialect: 'mrkdwn', text: 'one  two' },
    buttons({ action: 'stop', label: 'Stop', value: '1', style: 'danger' }),
    buttons(
      { action: 'rate', label: 'Good', value: 'good' },
      { action: 'rate', label: 'Bad', value: 'bad' },
    ),
  ]);
  const at = { user: 'ada', channel: '#general', message: message?.id };
  expect((await post('/slack/press', { ...at, action: 'stop' })).body).toEqual({
    acknowledged: true,
  });
  await post('/slack/press', { ...at, action: 'pick', value: 'a' });
  expect(pressed).toMatchObject(['1', { selected_option: { value: 'a' } }]);
  expect(await post('/slack/press', { ...at, action: 'nothing' })).toMatchObject({ status: 400 });
});

test('Slack: what streams can be stopped, and shows it', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  const { apiUrl, botToken } = sandbox.slack.credentials;
  const call = (method: string, body: object) =>
    fetch(`${apiUrl}${method}`, {
      method: 'POST',
      headers: { ...jsonHeaders, authorization: `Bearer ${botToken}` },
      body: JSON.stringify(body),
    });
  const said = await post('/slack/say', { user: 'ada', channel: '#general', text: 'Why?' });
  const { id: thread, channel } = said.body['message'] as { id: string; channel: string };
  const at = { user: 'ada', channel: '#general', thread };
  expect((await post('/slack/stop', at)).body).toEqual({
    error: `There is nothing to stop in the thread ${thread}.`,
  });

  await using events = await openEvents(served.control);
  const session = { channel_id: channel, thread_ts: thread, status: 'processing' };
  await call('agents.sessions.setStatus', session);
  expect(await events.next()).toEqual({
    platform: 'slack',
    kind: 'working',
    channel,
    thread,
    stoppable: true,
  });
  const recipient = {
    recipient_user_id: sandbox.slack.users()[0]?.id,
    recipient_team_id: sandbox.slack.team.id,
  };
  const stream = { channel, thread_ts: thread, markdown_text: 'It is', ...recipient };
  await call('chat.startStream', stream);
  const read = () => get(`/slack/messages?user=ada&channel=%23general&thread=${thread}`);
  expect((await read()).body).toMatchObject({
    stoppable: true,
    messages: [{}, { parts: [{ text: 'It is' }] }],
  });
  expect(await post('/slack/stop', at)).toMatchObject({ status: 200 });
  expect((await read()).body).toMatchObject({
    messages: [{}, { parts: [{ text: 'It is' }, { kind: 'small', text: 'Stopped.' }] }],
  });
});

test('Slack: previews of addresses show below a message', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  const text = 'See https://a.example/b';
  const said = await post('/slack/say', { user: 'ada', channel: '#general', text });
  const { id: ts, channel } = said.body['message'] as { id: string; channel: string };
  sandbox.slack.unfurl({ channel, ts });
  const { body } = await get('/slack/messages?user=ada&channel=%23general');
  expect(body['messages']).toMatchObject([
    {
      parts: [
        { kind: 'text' },
        {
          kind: 'card',
          parts: [{ kind: 'heading', text: '<https://a.example/b|https://a.example/b>' }],
        },
      ],
    },
  ]);
});

test('Discord: registered commands are offered, and given with typed options and files', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  const given: unknown[] = [];
  await using _ = await startCommands(served.sandbox, async (interaction) => {
    if (interaction.isAutocomplete()) {
      const typed = interaction.options.getFocused();
      await interaction.respond([{ name: `${typed}!`, value: `${typed}-1` }]);
    }
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    given.push(interaction.options.data);
    const file = interaction.options.getAttachment('file');
    await interaction.editReply(`Learnt ${file?.size} bytes`);
  });
  const { body } = await get('/overview');
  expect(body).toMatchObject({
    discord: {
      connections: 1,
      commands: [
        {
          name: 'source',
          subcommand: 'upload',
          description: 'Teaches a file',
          fields: [
            { name: 'file', required: true, input: { kind: 'file', most: 1 } },
            { name: 'count', required: false, input: { kind: 'text', type: 'number' } },
            { name: 'loud', input: { kind: 'choice', options: [{ value: 'true' }, {}] } },
            { name: 'tag', input: { kind: 'text', completed: true } },
          ],
        },
        { name: 'feedback', fields: [] },
      ],
    },
  });

  const call = { user: 'ada', channel: '#general', name: 'source', subcommand: 'upload' };
  const edited = sandbox.discord.changes.waitFor(
    (change) => change.kind === 'message' && change.message.content === 'Learnt 7 bytes',
  );
  const options = { count: '3', loud: 'true', tag: '' };
  expect((await post('/discord/command', { ...call, options }, { file: guide })).body).toEqual({
    outcome: 'deferred',
  });
  await edited;
  expect(given).toMatchObject([
    [
      {
        name: 'upload',
        options: [{ name: 'count', value: 3 }, { name: 'loud', value: true }, { name: 'file' }],
      },
    ],
  ]);
  const completing = { ...call, options: { tag: 'no' }, focused: 'tag' };
  expect((await post('/discord/complete', completing)).body).toEqual({
    choices: [{ value: 'no-1', label: 'no!' }],
  });
  const wrong = { ...call, options: { count: 'three' } };
  expect((await post('/discord/command', wrong)).body).toEqual({
    error: 'count: three is not a number.',
  });
  expect((await post('/discord/command', call)).body).toEqual({
    error: '/source upload needs the option file.',
  });
});

test('Discord: a button opens a form; its answer is for one person only', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using bot = await startCommands(sandbox, openForm);
  const { client } = bot;
  const channel = sandbox.discord.channels().find(({ name }) => name === 'general');
  const general = await client.channels.fetch(channel?.id ?? '');
  if (!general?.isSendable()) throw new Error('The bot may not write in #general.');
  const button = new ButtonBuilder()
    .setCustomId('form')
    .setLabel('Feedback')
    .setStyle(ButtonStyle.Primary);
  const row = new ActionRowBuilder<ButtonBuilder>().addComponents(button);
  const { id } = await general.send({
    content: 'How was it?',
    embeds: [{ title: 'Answer', description: 'All of it' }],
    components: [row],
  });
  const read = async (user: string) =>
    (await get(`/discord/messages?user=${user}&channel=%23general`)).body['messages'];
  expect(await read('ada')).toMatchObject([
    {
      id,
      parts: [
        { kind: 'text', dialect: 'discord', text: 'How was it?' },
        { kind: 'card', parts: [{ kind: 'heading', text: 'Answer' }, { text: 'All of it' }] },
        { kind: 'controls', controls: [{ action: 'form', label: 'Feedback', style: 'primary' }] },
      ],
    },
  ]);

  const press = { user: 'ada', channel: '#general', message: id, action: 'form' };
  expect((await post('/discord/press', press)).body).toEqual({ outcome: 'modal' });
  const { body } = await get('/discord/forms?user=ada');
  const [form] = body['forms'] as { id: string }[];
  expect(form).toMatchObject({
    title: 'Feedback',
    items: [{ name: 'words', label: 'In words', input: { lines: true, least: 3 } }],
  });
  const at = { user: 'ada', form: form?.id };
  expect((await post('/discord/submit', { ...at, values: { words: 'no' } })).body).toEqual({
    error: 'In words needs at least 3 characters.',
  });
  expect((await post('/discord/submit', { ...at, values: { words: 'fine' } })).body).toEqual({
    outcome: 'sent',
  });
  expect((await get('/discord/forms?user=ada')).body).toEqual({ forms: [] });
  expect(await read('ada')).toMatchObject([{}, { parts: [{ text: 'fine' }] }]);
  expect(await read('grace')).toHaveLength(1);

  await post('/discord/press', press);
  const open = (await get('/discord/forms?user=ada')).body['forms'] as { id: string }[];
  const closing = { user: 'ada', form: open[0]?.id };
  expect(await post('/discord/close', closing)).toMatchObject({ status: 200 });
  expect(await post('/discord/close', closing)).toMatchObject({ status: 400 });
});

test('Discord: a thread begins with the message it starts at', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using bot = await startDiscordBot(sandbox);
  bot.client.on(Events.MessageCreate, (message) => {
    if (!message.author.bot && !message.channel.isThread())
      void message.startThread({ name: 'Why' });
  });
  const opened = sandbox.discord.changes.waitFor((change) => change.kind === 'channel');
  const said = await post('/discord/say', { user: 'ada', channel: '#help', text: 'Why?' });
  const { id: thread, channel } = said.body['message'] as { id: string; channel: string };
  await opened;
  const reply = { user: 'grace', channel: '#help', thread, text: 'Because.' };
  expect((await post('/discord/say', reply)).body).toMatchObject({
    message: { channel, thread, inChannel: false },
  });
  const inThread = await get(`/discord/messages?user=ada&channel=%23help&thread=${thread}`);
  expect(inThread.body['messages']).toMatchObject([{ source: 'Why?' }, { source: 'Because.' }]);
  const inChannel = await get('/discord/messages?user=ada&channel=%23help');
  expect(inChannel.body['messages']).toMatchObject([{ source: 'Why?', threadLabel: 'Why' }]);
  expect((await get('/overview')).body).toMatchObject({
    discord: { threads: [{ id: thread, channel, name: 'Why', archived: false }] },
  });
});

describe('the stream of events', () => {
  test('tells of both platforms, in order', async () => {
    await using served = await serveSandbox();
    const { post } = served;
    await using events = await openEvents(served.control);
    await post('/slack/say', { user: 'ada', channel: '#general', text: 'one' });
    expect(await events.next()).toMatchObject({
      platform: 'slack',
      kind: 'message',
      message: { source: 'one', inChannel: true },
    });
    const said = await post('/discord/say', { user: 'ada', channel: '#general', text: 'two' });
    expect(await events.next()).toMatchObject({
      platform: 'discord',
      kind: 'message',
      message: { source: 'two' },
    });
    const { id, channel } = said.body['message'] as { id: string; channel: string };
    await post('/discord/delete', { user: 'ada', channel: '#general', message: id });
    expect(await events.next()).toEqual({ platform: 'discord', kind: 'removed', channel, id });
    const { channel: help } = (
      await post('/slack/say', { user: 'ada', channel: '#help', text: 'three' })
    ).body['message'] as { channel: string };
    expect(await events.next()).toMatchObject({ message: { channel: help } });
  });

  test('tells what the bot is doing, and of its connections', async () => {
    await using served = await serveSandbox();
    const { post, sandbox } = served;
    await using events = await openEvents(served.control);
    const said = await post('/slack/say', { user: 'ada', channel: '#general', text: 'one' });
    const { id, channel } = said.body['message'] as { id: string; channel: string };
    await events.next();
    await using _ = await startBot(sandbox.slack, () => undefined);
    expect(await events.next()).toEqual({ platform: 'slack', kind: 'connections', connections: 1 });
    const { apiUrl, botToken } = sandbox.slack.credentials;
    await fetch(`${apiUrl}assistant.threads.setStatus`, {
      method: 'POST',
      headers: { ...jsonHeaders, authorization: `Bearer ${botToken}` },
      body: JSON.stringify({ channel_id: channel, thread_ts: id, status: 'is thinking…' }),
    });
    expect(await events.next()).toEqual({
      platform: 'slack',
      kind: 'activity',
      channel,
      thread: id,
      text: 'Causeway is thinking…',
      lasts: 120_000,
    });

    await using discord = await startDiscordBot(sandbox);
    expect(await events.next()).toMatchObject({ platform: 'discord', kind: 'connections' });
    const general = sandbox.discord.channels().find(({ name }) => name === 'general');
    const target = await discord.client.channels.fetch(general?.id ?? '');
    if (target?.isSendable()) await target.sendTyping();
    expect(await events.next()).toEqual({
      platform: 'discord',
      kind: 'activity',
      channel: general?.id,
      text: 'Causeway is typing…',
      lasts: 10_000,
    });
  });

  test('beats while nothing happens', async () => {
    const clock = createClock();
    await using served = await serveSandbox({ sleep: clock.sleep });
    const response = await fetch(`${served.control}/events`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('retry: 1000\n\n');
    await clock.sleeping(15_000);
    clock.advance(15_000);
    expect((await reader?.read())?.value).toBe(': still here\n\n');
    await reader?.cancel();
  });

  test('drops who does not read it', async () => {
    await using sandbox = createSandbox({
      database: ':memory:',
      origin: () => 'http://127.0.0.1:3000',
    });
    let destroyed = 0;
    const socket = { destroy: () => (destroyed += 1) };
    await sandbox.fetch(new Request('http://127.0.0.1:3000/sandbox/control/events'), {
      incoming: { socket },
    });
    const [ada] = sandbox.slack.users();
    const [general] = sandbox.slack.channels();
    const saying = { user: ada?.id ?? '', channel: general?.id ?? '', text: 'x'.repeat(12_000) };
    for (let said = 0; said < 30; said += 1) await sandbox.slack.say(saying);
    expect(destroyed).toBe(0);
    for (let said = 0; said < 30; said += 1) await sandbox.slack.say(saying);
    expect(destroyed).toBe(1);
  });

  test('is open to so many only, and makes room', async () => {
    await using sandbox = createSandbox({
      database: ':memory:',
      origin: () => 'http://127.0.0.1:3000',
    });
    const open = () =>
      sandbox.fetch(new Request('http://127.0.0.1:3000/sandbox/control/events'), {});
    const first = await open();
    for (let opened = 1; opened < 64; opened += 1) await open();
    expect((await open()).status).toBe(503);
    await first.body?.cancel();
    expect((await open()).status).toBe(200);
  });
});

test.each(['slack', 'discord'])('faults of %s are set, read and cleared', async (platform) => {
  await using served = await serveSandbox();
  const { get, post, control, sandbox } = served;
  const path = `/${platform}/faults`;
  expect((await get(path)).body).toEqual({ latency: 0, rateLimits: true });
  const fault = { method: 'chat.update', times: 1, status: 502, afterEffect: true };
  const changed = await post(path, { latency: 40, rateLimits: false, faults: [fault] });
  expect(changed.body).toEqual({ latency: 40, rateLimits: false });
  const { faults } = platform === 'slack' ? sandbox.slack : sandbox.discord;
  expect(faults.take('chat.update')).toMatchObject({ status: 502, afterEffect: true });
  expect(faults.take('chat.update')).toBeUndefined();

  await post(path, { faults: [fault] });
  const cleared = await fetch(`${control}${path}`, { method: 'DELETE' });
  expect(await cleared.json()).toEqual({ latency: 0, rateLimits: true });
  expect(faults.take('chat.update')).toBeUndefined();
  expect(await post(path, { latency: -1 })).toMatchObject({ status: 400 });
  expect(await post(path, { faults: [{ method: 'x' }] })).toEqual({
    status: 400,
    body: { error: 'faults.0.times: is missing' },
  });
});

/** The events of the stream, one by one. */
async function openEvents(control: string) {
  const stop = new AbortController();
  const response = await fetch(`${control}/events`, { signal: stop.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  async function next(): Promise<unknown> {
    for (;;) {
      const end = pending.indexOf('\n\n');
      if (end < 0) {
        const { value = '', done = true } = (await reader?.read()) ?? {};
        if (done) throw new Error('The stream has ended.');
        pending += value;
        continue;
      }
      const event = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (event.startsWith('data: ')) return JSON.parse(event.slice('data: '.length));
    }
  }
  return {
    next,
    async [Symbol.asyncDispose]() {
      await reader?.cancel();
      stop.abort();
    },
  };
}

const plain = (text: string) => ({ type: 'plain_text', text }) as const;
const tag = { value: 'a', text: plain('Tag a') };

const allBlocks = [
  { type: 'header', text: plain('Heading') },
  { type: 'markdown', text: '**bold**' },
  {
    type: 'section',
    text: { type: 'mrkdwn', text: '*bold*' },
    accessory: {
      type: 'static_select',
      action_id: 'pick',
      placeholder: plain('Pick one'),
      options: [tag],
    },
  },
  { type: 'divider' },
  {
    type: 'context',
    elements: [
      { type: 'mrkdwn', text: 'one' },
      { type: 'mrkdwn', text: 'two' },
    ],
  },
  {
    type: 'actions',
    elements: [
      { type: 'button', action_id: 'stop', text: plain('Stop'), value: '1', style: 'danger' },
    ],
  },
  {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: 'rate',
        positive_button: { text: plain('Good'), value: 'good' },
        negative_button: { text: plain('Bad'), value: 'bad' },
      },
    ],
  },
];

/** Opens a form for /source, and whispers which file it got. */
function takeSources(app: App): void {
  app.command('/source', async ({ ack, body, client }) => {
    const view = {
      type: 'modal',
      callback_id: 'upload',
      private_metadata: body.channel_id,
      title: plain('Add a source'),
      submit: plain('Add'),
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: `for *${body.text || 'nothing'}*` } },
        {
          type: 'input',
          block_id: 'title-block',
          optional: true,
          label: plain('Title'),
          element: {
            type: 'plain_text_input',
            action_id: 'title',
            multiline: true,
            initial_value: 'Untitled',
          },
        },
        {
          type: 'input',
          block_id: 'tag',
          label: plain('Tag'),
          element: { type: 'static_select', action_id: 'tag', options: [tag] },
        },
        {
          type: 'input',
          block_id: 'file',
          label: plain('File'),
          element: { type: 'file_input', action_id: 'file', filetypes: ['md'], max_files: 2 },
        },
      ],
    } as const;
    await client.views.open({ trigger_id: body.trigger_id, view: view as never });
    await ack();
  });
  app.view('upload', async ({ ack, view, body, client }) => {
    const { values } = view.state;
    if (values['title-block']?.['title']?.value === 'taken') {
      const errors = { 'title-block': 'There is one of this name.' };
      await ack({ response_action: 'errors', errors });
      return;
    }
    await ack();
    await client.chat.postEphemeral({
      channel: view.private_metadata,
      user: body.user.id,
      text: `Learnt ${values['file']?.['file']?.files?.[0]?.name}`,
    });
  });
}

const commands = [
  new SlashCommandBuilder()
    .setName('source')
    .setDescription('Sources')
    .addSubcommand((upload) =>
      upload
        .setName('upload')
        .setDescription('Teaches a file')
        .addAttachmentOption((file) =>
          file.setName('file').setDescription('The file').setRequired(true),
        )
        .addIntegerOption((count) => count.setName('count').setDescription('How many'))
        .addBooleanOption((loud) => loud.setName('loud').setDescription('Whether to tell all'))
        .addStringOption((tag) =>
          tag.setName('tag').setDescription('Its tag').setAutocomplete(true),
        ),
    ),
  new SlashCommandBuilder().setName('feedback').setDescription('Opens a form'),
];

/** A Discord bot with commands of the server. */
async function startCommands(
  sandbox: Parameters<typeof startDiscordBot>[0],
  handle: (interaction: Interaction) => Promise<unknown>,
) {
  const bot = await startDiscordBot(sandbox);
  const { client } = bot;
  await client.application.commands.set(commands, sandbox.discord.guildId);
  client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
  return bot;
}

async function openForm(interaction: Interaction): Promise<void> {
  if (interaction.isButton()) {
    const words = new TextInputBuilder()
      .setCustomId('words')
      .setStyle(TextInputStyle.Paragraph)
      .setMinLength(3);
    const label = new LabelBuilder().setLabel('In words').setTextInputComponent(words);
    const modal = new ModalBuilder().setCustomId('feedback').setTitle('Feedback');
    await interaction.showModal(modal.addLabelComponents(label));
  } else if (interaction.isModalSubmit()) {
    const content = interaction.fields.getTextInputValue('words');
    await interaction.reply({ content, flags: MessageFlags.Ephemeral });
  }
}
