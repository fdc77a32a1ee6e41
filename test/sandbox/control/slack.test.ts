import type { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import { callSlack, openEvents, serveSandbox } from '../serve-sandbox.ts';
import { startBot } from '../slack/start-bot.ts';

const guide = new File(['# Guide'], 'Anleitung für alle.md', { type: 'text/markdown' });

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

test('Slack: a thread is listed in pages, and so is what only one person can see', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  const at = { user: 'ada', channel: '#general' };
  const say = async (text: string, thread?: string) => {
    const { body } = await post('/slack/say', { ...at, text, thread });
    return body['message'] as { id: string; channel: string; author: { id: string } };
  };
  const list = async (query: Record<string, string>) => {
    const asked = new URLSearchParams({ ...at, ...query });
    const { body } = await get(`/slack/messages?${String(asked)}`);
    const messages = body['messages'] as { parts: { text: string }[] }[];
    return [messages.map(({ parts }) => parts[0]?.text).join(), body['more']];
  };
  const { id: thread, channel, author } = await say('a');
  const whisper = (text: string) =>
    callSlack(sandbox, 'chat.postEphemeral', { channel, user: author.id, text });
  await say('f', thread);
  const { id: g } = await say('g', thread);
  await say('h', thread);
  expect(await list({ thread, limit: '2' })).toEqual(['g,h', true]);
  expect(await list({ thread, before: g })).toEqual(['a,f', false]);
  expect(await list({ thread, after: thread, limit: '2' })).toEqual(['f,g', true]);
  await whisper('b');
  const { id: c } = await say('c');
  await whisper('d');
  expect(await list({ limit: '2' })).toEqual(['c,d', true]);
  expect(await list({ before: c, limit: '1' })).toEqual(['b', true]);
  expect(await list({ after: thread })).toEqual(['b,c,d', false]);
});

test('Slack: a command opens a modal, whose answer only its sender sees', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using _ = await startBot(sandbox.slack, takeSources);
  const command = { user: 'ada', channel: '#general', text: '/source upload now' };
  expect((await post('/slack/command', command)).body).toEqual({ acknowledged: true });

  const { body } = await get('/slack/modals?user=ada');
  const [form] = body['modals'] as { id: string; items: object[] }[];
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

  const at = { user: 'ada', modal: form?.id };
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
  expect((await get('/slack/modals?user=ada')).body).toEqual({ modals: [] });
  const shown = await get('/slack/messages?user=ada&channel=%23general');
  expect(shown.body['messages']).toMatchObject([
    { author: { bot: true }, parts: [{ text: 'Learnt Anleitung für alle.md' }] },
  ]);
  const others = await get('/slack/messages?user=grace&channel=%23general');
  expect(others.body['messages']).toEqual([]);
});

test('Slack: only its owner can close a modal', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  await using _ = await startBot(sandbox.slack, takeSources);
  await post('/slack/command', { user: 'ada', channel: '#general', text: '/source' });
  const { body } = await get('/slack/modals?user=ada');
  const [form] = body['modals'] as { id: string }[];
  expect(await post('/slack/close', { user: 'grace', modal: form?.id })).toMatchObject({
    status: 400,
  });
  expect(await post('/slack/close', { user: 'ada', modal: form?.id })).toMatchObject({
    status: 200,
  });
  expect((await get('/slack/modals?user=ada')).body).toEqual({ modals: [] });
});

test('Slack: blocks are shown from top to bottom, and their controls can be pressed', async () => {
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

test('Slack: a reply that streams can be stopped, and says so', async () => {
  await using served = await serveSandbox();
  const { get, post, sandbox } = served;
  const said = await post('/slack/say', { user: 'ada', channel: '#general', text: 'Why?' });
  const { id: thread, channel } = said.body['message'] as { id: string; channel: string };
  const at = { user: 'ada', channel: '#general', thread };
  expect((await post('/slack/stop', at)).body).toEqual({
    error: `There is nothing to stop in the thread ${thread}.`,
  });

  await using events = await openEvents(served.control);
  const session = { channel_id: channel, thread_ts: thread, status: 'processing' };
  await callSlack(sandbox, 'agents.sessions.setStatus', session);
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
  await callSlack(sandbox, 'chat.startStream', stream);
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

test('Slack: link previews are shown below a message', async () => {
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

test('Slack: the switches are set', async () => {
  await using served = await serveSandbox();
  const set = await served.post('/slack/switches', { fileHost: 'edge' });
  expect(set).toMatchObject({ status: 200, body: { fileHost: 'edge' } });
  expect(served.sandbox.slack.switches.fileHost).toBe('edge');
  expect((await served.post('/slack/switches', { fileHost: 'moon' })).status).toBe(400);
  await served.post('/slack/switches', { limitsHistory: true });
  expect(served.sandbox.slack.switches.limitsHistory).toBe(true);
});
