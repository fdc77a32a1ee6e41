import { webApi } from '@slack/bolt';
import { expect, test } from 'vitest';
import { fromCommand } from '../../../src/sandbox/slack/plain-text.ts';
import { serveWorkspace } from './serve-workspace.ts';

test('user groups are listed, with the people in them on request', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, grace } = served;
  const { botToken, apiUrl } = slack.credentials;
  const client = new webApi.WebClient(botToken, { slackApiUrl: apiUrl });
  const { id } = slack.saveUserGroup({ handle: 'editors', users: [ada] });
  expect(slack.saveUserGroup({ handle: 'editors', users: [ada, grace] }).id).toBe(id);
  const group = { id, handle: 'editors', is_usergroup: true };
  const plain = (await client.usergroups.list()).usergroups?.find((each) => each.id === id);
  expect(plain).toMatchObject(group);
  expect(plain).not.toHaveProperty('users');
  const { usergroups } = await client.usergroups.list({ include_users: true, include_count: true });
  expect(usergroups).toContainEqual(
    expect.objectContaining({ ...group, users: [ada, grace], user_count: 2 }),
  );
});

test('what is named behind a command gets its id, and the rest is escaped', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const { id } = slack.saveUserGroup({ handle: 'editors', users: [] });
  const toSent = (text: string) => fromCommand(text, slack);
  expect(toSent('--to "@ada" #help, @editors.')).toBe(
    `--to "<@${ada}|ada>" <#${help}|help>, <!subteam^${id}|@editors>.`,
  );
  expect(toSent('@here a & b <c> #nowhere me@ada.example #abc123')).toBe(
    '<!here> a &amp; b &lt;c&gt; #nowhere me@ada.example #abc123',
  );
  expect(toSent(`<@${ada}> https://x.example/?a=1&b=2#help`)).toBe(
    `<@${ada}> <https://x.example/?a=1&amp;b=2#help>`,
  );
});
