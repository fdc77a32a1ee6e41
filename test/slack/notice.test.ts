import { expect, test } from 'vitest';
import { serveWorkspace } from '../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

test('a notice in a channel pings the people it names, and nobody by its text', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, grace, help } = served;
  await using started = await startSlack(slack);
  await started.platform.notify?.({
    workspace: slack.team.id,
    to: { channel: help },
    markdown: '**Ada** asks for <!channel>: [open](https://chat.example/1)',
    people: [ada, grace, '!channel', 'x> <!here'],
  });
  const [notice] = slack.messages(help);
  expect(notice?.blocks).toMatchObject([
    { type: 'section', text: { type: 'mrkdwn', text: `<@${ada}> <@${grace}>` } },
    {
      type: 'markdown',
      text: '**Ada** asks for &lt;!channel&gt;: [open](https://chat.example/1)',
    },
  ]);
  expect(notice?.text).not.toContain('<');
});

test('a notice to a person is a direct message', async () => {
  await using served = await serveWorkspace();
  const { slack, grace } = served;
  await using started = await startSlack(slack);
  await started.platform.notify?.({
    workspace: slack.team.id,
    to: { person: grace },
    markdown: 'x'.repeat(20_000),
  });
  const [notice] = slack.messages(slack.direct(grace).id);
  expect(notice?.blocks).toHaveLength(1);
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

test('a notice that Slack refuses rejects with the reason', async () => {
  await using served = await serveWorkspace();
  const { slack, random } = served;
  await using started = await startSlack(slack);
  const notice = { workspace: slack.team.id, to: { channel: random }, markdown: 'Hello' };
  await expect(started.platform.notify?.(notice)).rejects.toMatchObject({ kind: 'forbidden' });
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
