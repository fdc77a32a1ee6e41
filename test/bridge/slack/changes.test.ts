import { describe, expect, test } from 'vitest';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack, type Mode } from './start-slack.ts';
import { parseMessageChange } from '../../../src/bridge/slack/incoming-message.ts';

const modes: { mode: Mode }[] = [{ mode: 'socket' }, { mode: 'http' }];

describe.each(modes)('an edited or deleted message, by $mode', ({ mode }) => {
  test('a mention that an edit adds is reported by either of its events', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack, mode);
    const { ts } = await slack.say({ user: ada, channel: help, text: 'hello' });
    await started.next();
    slack.edit({ channel: help, ts, text: `<@${slack.bot.user}> hello` });
    const message = { id: ts, text: 'hello', addressed: 'mention' };
    for (let event = 0; event < 2; event += 1) {
      expect(await started.core.edits.next()).toMatchObject(message);
    }
  });

  test('/me and forwards in a direct message are questions', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, grace, help } = served;
    await using started = await startSlack(slack, mode);
    const { ts } = await slack.say({
      user: ada,
      channel: help,
      text: `Who is <@${grace}>?`,
    });
    await started.next();
    const direct = slack.direct(ada).id;
    await slack.say({ user: ada, channel: direct, text: 'wonders why', me: true });
    expect(await started.next()).toMatchObject({ addressed: 'direct', text: 'wonders why' });
    await slack.say({ user: ada, channel: direct, forwards: { channel: help, ts } });
    expect(await started.next()).toMatchObject({
      addressed: 'direct',
      text: 'Who is @Grace Hopper?',
    });
  });

  test('a deletion is reported, with or without a stub that remains', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack, mode);
    const { ts } = await slack.say({ user: ada, channel: help, text: 'one' });
    const { thread } = await started.next();
    await thread.post({ markdown: 'answer' });
    const second = await slack.say({ user: ada, channel: help, text: 'two', thread: ts });
    slack.remove({ channel: help, ts: second.ts });
    slack.remove({ channel: help, ts });
    const removed = { platform: 'slack', workspace: slack.team.id, channel: help };
    for (const id of [second.ts, ts]) {
      expect(await started.core.removals.next()).toEqual({ ...removed, id });
    }
  });

  test('neither unfurls nor the bot’s own changes are reported', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    await using started = await startSlack(slack, mode);
    const { ts } = await slack.say({ user: ada, channel: help, text: 'see https://a.example' });
    const { thread } = await started.next();
    slack.unfurl({ channel: help, ts });
    const reply = await thread.post({ markdown: 'mine: https://b.example' });
    await reply.edit({ markdown: 'mine, edited' });
    await reply.remove();
    slack.edit({ channel: help, ts, text: 'see https://a.example now' });
    slack.unfurl({ channel: help, ts });
    slack.remove({ channel: help, ts });
    expect(await started.core.removals.next()).toMatchObject({ id: ts });
    expect(started.core.edits.all).toMatchObject([{ id: ts }]);
    expect(started.core.removals.all).toHaveLength(1);
  });
});

const identity = { teamId: 'T1', botId: 'B1', userId: 'UBOT', isAgent: true };
const edited = { user: 'U1', ts: '3.000' };
const changed = {
  type: 'message',
  subtype: 'message_changed',
  hidden: true,
  channel: 'C1',
  ts: '3.000',
  message: { type: 'message', user: 'U1', text: 'new', ts: '2.000', edited },
  previous_message: { type: 'message', user: 'U1', text: 'old', ts: '2.000' },
};

test('an edit without the text before it counts', () => {
  const { previous_message: _, ...event } = changed;
  expect(parseMessageChange(event, identity)).toMatchObject({
    kind: 'edited',
    message: { ts: '2.000', text: 'new', channel: 'C1' },
  });
});

test.each([
  ['the same text', { ...changed, previous_message: changed.message }],
  ['one without an edit', { ...changed, message: { ...changed.message, edited: undefined } }],
  ['one by somebody else', { ...changed, message: { ...changed.message, user: 'U2' } }],
  [
    'the bot’s own',
    { ...changed, message: { ...changed.message, user: 'UBOT', edited: { user: 'UBOT' } } },
  ],
  ['another bot’s', { ...changed, message: { ...changed.message, bot_id: 'B2' } }],
  ['a new message', { ...changed, subtype: undefined }],
  ['nothing', null],
])('%s is not reported as an edit', (_, event) => {
  expect(parseMessageChange(event, identity)).toBeUndefined();
});
