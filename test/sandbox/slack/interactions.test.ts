import { expect, test } from 'vitest';
import { createClock } from '../clock.ts';
import { openSocket } from './open-socket.ts';
import { serveWorkspace } from './serve-workspace.ts';
import { startBot } from './start-bot.ts';

const manifest = {
  display_information: { name: 'Causeway' },
  features: {
    bot_user: { display_name: 'Causeway' },
    slash_commands: [{ command: '/causeway', description: 'Answers', usage_hint: 'ask | help' }],
  },
  settings: {
    socket_mode_enabled: true,
    event_subscriptions: { bot_events: ['app_mention', 'message.channels'] },
  },
};

test('Slackbot refuses an unknown command, and every command in a thread', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, general } = served;
  slack.install(manifest);
  const at = { user: ada, channel: general };
  expect(await slack.command({ ...at, command: '/sauce', text: 'list' })).toBe(false);
  const { ts } = await slack.say({ ...at, text: 'A thread' });
  expect(await slack.command({ ...at, command: '/causeway', thread: ts })).toBe(false);
  expect(await slack.command({ ...at, command: '/invite', thread: ts })).toBe(false);
  const slackbot = { user: 'USLACKBOT', to: ada };
  expect(slack.ephemerals(ada, general)).toMatchObject([
    { ...slackbot, text: expect.stringMatching(/^`\/sauce` is not a valid command\. In Slack, /) },
    { ...slackbot, text: '`/causeway` is not supported in threads. Sorry!', thread_ts: ts },
    { ...slackbot, text: '`/invite` is not supported in threads. Sorry!', thread_ts: ts },
  ]);
});

test('/invite adds the bot to a channel, whose events it then gets', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, grace, random } = served;
  slack.install(manifest);
  const heard = Promise.withResolvers<string>();
  await using _ = await startBot(slack, (app) => {
    app.event('app_mention', async ({ event }) => heard.resolve(event.text));
  });
  const invite = (user: string, text: string, channel = random) =>
    slack.command({ user, channel, command: '/invite', text });
  expect(await invite(ada, '')).toBe(false);
  expect(await invite(ada, '@nobody')).toBe(false);
  const announced = slack.waitFor((change) => change.kind === 'channel');
  expect(await invite(ada, '@causeway')).toBe(true);
  expect(await announced).toMatchObject({ channel: { id: random } });
  expect(await invite(ada, '@causeway')).toBe(false);
  expect(await invite(ada, '@grace', slack.direct(ada).id)).toBe(false);
  expect(slack.ephemerals(ada, random).map(({ text }) => text)).toEqual([
    'Who should join this channel? Type `/invite @name`.',
    'Who should join this channel? Type `/invite @name`.',
    'Causeway is already in this channel.',
  ]);
  const { user } = slack.bot;
  expect(slack.messages(random)).toMatchObject([
    { subtype: 'channel_join', user, text: `<@${user}> has joined the channel` },
  ]);
  await slack.say({ user: grace, channel: random, text: `<@${user}> Hi` });
  expect(await heard.promise).toBe(`<@${user}> Hi`);
});

const choice = (text: string, value: string) => ({ text: { type: 'plain_text', text }, value });
const feedback = {
  type: 'context_actions',
  elements: [
    {
      type: 'feedback_buttons',
      action_id: 'feedback',
      positive_button: choice('Good', 'yes'),
      negative_button: choice('Bad', 'no'),
    },
  ],
};
const button = { type: 'button', action_id: 'more', ...choice('More', 'turn-1') };
const actions = { type: 'actions', elements: [button] };

async function connect() {
  const served = await serveWorkspace();
  const link = await openSocket(served.slack);
  await link.next();
  async function pressed(press: Parameters<typeof served.slack.press>[0]) {
    const pressing = served.slack.press(press);
    let frame = await link.next();
    for (; frame.type === 'events_api'; frame = await link.next()) link.acknowledge(frame);
    link.acknowledge(frame);
    expect(await pressing).toBe(true);
    return frame.payload;
  }
  return { ...served, pressed };
}

test('the payload of a feedback button says which one was pressed', async () => {
  await using served = await connect();
  const { slack, ada, client, pressed } = served;
  const channel = slack.direct(ada).id;
  const { ts } = await client.chat.postMessage({ channel, text: '', blocks: [feedback] });
  const at = { user: ada, channel, ts: String(ts), actionId: 'feedback' };
  expect(await pressed({ ...at, value: 'no' })).toMatchObject({
    type: 'block_actions',
    user: { id: ada },
    actions: [{ type: 'feedback_buttons', action_id: 'feedback', value: 'no' }],
  });
  await expect(slack.press({ ...at, value: 'maybe' })).rejects.toThrow('"yes" and "no"');
});

test('buttons work on an ephemeral message in a thread, which its response_url replaces', async () => {
  await using served = await connect();
  const { slack, ada, help, client, pressed } = served;
  const { ts: thread_ts } = await slack.say({ user: ada, channel: help, text: 'why?' });
  const alone = { channel: help, user: ada, thread_ts, text: 'nobody sees it' };
  await client.chat.postEphemeral(alone);
  expect(slack.ephemerals(ada, help)).toEqual([]);
  await slack.say({ user: ada, channel: help, thread: thread_ts, text: 'because' });
  const { message_ts: ts } = await client.chat.postEphemeral({
    channel: help,
    user: ada,
    thread_ts,
    text: '',
    blocks: [actions],
  });
  const payload = await pressed({ user: ada, channel: help, ts: String(ts), actionId: 'more' });
  expect(payload).toMatchObject({
    container: { is_ephemeral: true, thread_ts, message_ts: ts },
    actions: [{ type: 'button', value: 'turn-1' }],
  });

  const respond = (body: object) =>
    fetch(String(payload?.['response_url']), { method: 'POST', body: JSON.stringify(body) });
  await respond({ blocks: [actions], text: 'again', replace_original: false });
  const [, again] = slack.ephemerals(ada, help);
  expect(again).toMatchObject({ text: 'again', thread_ts });
  const second = await pressed({
    user: ada,
    channel: help,
    ts: again?.ts ?? '',
    actionId: 'more',
  });
  expect(second).toMatchObject({ actions: [{ block_id: again?.blocks?.[0]?.block_id }] });
  await respond({ text: 'instead', replace_original: true });
  expect(slack.ephemerals(ada, help).map(({ text }) => text)).toEqual(['instead', 'again']);
});

/** A workspace in which Ada ran a command, and the response_url that the app got. */
async function runCommand(clock = createClock()) {
  const served = await serveWorkspace(clock);
  const { slack, ada, help } = served;
  const link = await openSocket(slack);
  await link.next();
  const running = slack.command({ user: ada, channel: help, command: '/ask' });
  const frame = await link.next();
  link.acknowledge(frame);
  await running;
  const url = String(frame.payload?.['response_url']);
  const respond = async (payload: object | string) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const response = await fetch(url, { method: 'POST', body });
    return `${response.status} ${await response.text()}`;
  };
  return { ...served, clock, url, respond };
}

test('a response_url accepts five responses, for the user or for everyone', async () => {
  await using served = await runCommand();
  const { slack, ada, help, respond } = served;
  expect(await respond({ text: 'one' })).toBe('200 ok');
  expect(await respond({ text: 'two', response_type: 'in_channel' })).toBe('200 ok');
  for (const text of ['three', 'four', 'five']) expect(await respond({ text })).toBe('200 ok');
  expect(await respond({ text: 'six' })).toBe('404 used_url');
  expect(slack.ephemerals(ada, help).map(({ text }) => text)).toEqual([
    'one',
    'three',
    'four',
    'five',
  ]);
  expect(slack.messages(help)).toMatchObject([{ text: 'two', user: slack.bot.user }]);
});

test('a response_url works for 30 minutes', async () => {
  await using served = await runCommand();
  served.clock.advance(30 * 60_000);
  expect(await served.respond({ text: 'just in time' })).toBe('200 ok');
  served.clock.advance(1);
  expect(await served.respond({ text: 'late' })).toBe('404 expired_url');
});

test('an empty or malformed response is refused and does not count', async () => {
  await using served = await runCommand();
  const { respond, url } = served;
  for (let count = 0; count < 6; count += 1) expect(await respond({})).toBe('400 no_text');
  expect(await respond('{')).toBe('400 invalid_payload');
  expect(await respond({ text: 'x', response_type: 'shout' })).toBe('400 invalid_payload');
  expect(await respond({ text: 'x' })).toBe('200 ok');
  expect((await fetch(`${url}0`, { method: 'POST', body: '{}' })).status).toBe(404);
});

test('every response to a command adds a message and replaces none', async () => {
  await using served = await runCommand();
  const { slack, ada, help, respond } = served;
  expect(await respond({ text: 'one' })).toBe('200 ok');
  expect(await respond({ text: 'two', replace_original: true })).toBe('200 ok');
  expect(await respond({ delete_original: true })).toBe('200 ok');
  expect(await respond({ text: 'three', replace_original: true })).toBe('200 ok');
  expect(slack.ephemerals(ada, help).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
});

test('a response_url refuses Markdown, in a block and as markdown_text', async () => {
  await using served = await runCommand();
  const { slack, ada, help, respond } = served;
  const blocks = [{ type: 'markdown', text: '**a**' }];
  expect(await respond({ text: 'a', blocks })).toBe('500 server_error');
  expect(await respond({ markdown_text: '**a**' })).toBe('400 invalid_payload');
  const section = { type: 'section', text: { type: 'mrkdwn', text: '*a*' } };
  expect(await respond({ text: 'a', blocks: Array.from({ length: 51 }, () => section) })).toMatch(
    /^400 invalid_bl/,
  );
  expect(await respond({ text: 'a', blocks: Array.from({ length: 50 }, () => section) })).toBe(
    '200 ok',
  );
  expect(slack.ephemerals(ada, help)).toHaveLength(1);
});

test('who mentions the bot in a channel without it is told so by Slackbot', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, grace, random, general } = served;
  const text = `<@${slack.bot.user}> Hello`;
  await slack.say({ user: ada, channel: random, text });
  await slack.say({ user: ada, channel: general, text });
  expect(slack.ephemerals(ada, random)).toMatchObject([
    {
      user: 'USLACKBOT',
      text: 'You mentioned Causeway, but they’re not in this channel. To invite them, type `/invite @causeway`.',
    },
  ]);
  expect([...slack.ephemerals(ada, general), ...slack.ephemerals(grace, random)]).toEqual([]);
});
