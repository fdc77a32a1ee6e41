import { expect, test } from 'vitest';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

test('a notice to a person in a channel or thread is seen by nobody else', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, grace, help } = served;
  await using started = await startSlack(slack);
  const { ts } = await slack.say({ user: ada, channel: help, text: 'Hello' });
  // Slack shows nothing to one person alone in a thread that has no replies.
  await slack.say({ user: grace, channel: help, thread: ts, text: 'Hi' });
  const notify = (at: { channel: string; thread?: string }) =>
    started.platform.notify?.({
      workspace: slack.team.id,
      to: { person: grace, in: at },
      markdown: '**Only** you <!here>',
    });
  await notify({ channel: help });
  await notify({ channel: help, thread: help });
  await notify({ channel: help, thread: ts });
  const shown = slack.ephemerals(grace, help);
  expect(shown.map(plainText)).toEqual(Array(3).fill('**Only** you <!here>'));
  expect(shown.map((each) => each.thread_ts)).toEqual([undefined, undefined, ts]);
  expect(slack.messages(help)).toHaveLength(1);
  expect(slack.messages(slack.direct(grace).id)).toEqual([]);
});

test('where Slack shows nothing to one person alone, the notice is a direct message', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, grace, random, help } = served;
  await using started = await startSlack(slack);
  const members = [ada, slack.bot.user];
  const { id: secret } = slack.openChannel({ kind: 'group', name: 'secret', members });
  const notify = (channel: string) =>
    started.platform.notify?.({
      workspace: slack.team.id,
      to: { person: grace, in: { channel } },
      markdown: 'Hello',
    });
  // The bot is in one of them, and Grace in the other.
  for (const channel of [random, secret]) await notify(channel);
  expect(slack.messages(slack.direct(grace).id)).toHaveLength(2);
  for (const channel of [random, secret]) expect(slack.messages(channel)).toEqual([]);

  slack.faults.inject({ method: 'chat.postEphemeral', times: 1, retryAfter: 30 });
  await expect(notify(help)).rejects.toMatchObject({ kind: 'rate_limited' });
  expect(slack.messages(slack.direct(grace).id)).toHaveLength(2);
});

test('a notice whose blocks Slack refuses is sent as sections', async () => {
  await using served = await serveWorkspace();
  const { slack, help } = served;
  await using started = await startSlack(slack);
  slack.faults.inject({ method: 'chat.postMessage', times: 1, error: 'invalid_blocks' });
  const notice = { workspace: slack.team.id, to: { channel: help }, markdown: '**Hello**' };
  await started.platform.notify?.(notice);
  expect(slack.messages(help)).toMatchObject([
    { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Hello*' } }] },
  ]);
});

test('a thread has a link to its first message, a direct message has none', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  await using started = await startSlack(slack);
  const { ts } = await slack.say({ user: ada, channel: help, text: `<@${slack.bot.user}> Why?` });
  const { thread } = await started.next();
  expect(await thread.link?.()).toContain(`/archives/${help}/p${ts.replace('.', '')}`);
  const address = { ...thread.address, channel: slack.direct(ada).id };
  expect(await started.platform.thread(address).link?.()).toBeUndefined();
  const missing = started.platform.thread({ ...thread.address, thread: '1.2' });
  await expect(missing.link?.()).rejects.toMatchObject({ kind: 'gone' });
});
