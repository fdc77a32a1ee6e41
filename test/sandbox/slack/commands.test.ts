import { expect, test } from 'vitest';
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

test('what is not a command is refused at once, and no command works in a thread', async () => {
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

test('/invite brings the bot into a channel, where it then hears what is said', async () => {
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
