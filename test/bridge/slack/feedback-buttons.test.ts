import { webApi } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import type { Button, ButtonAction } from '../../../src/bridge/conversation/thread.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { parseButtonValue, renderButtons } from '../../../src/bridge/slack/buttons.ts';
import { createClient, serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack, type Mode } from './start-slack.ts';

const button = (action: ButtonAction, label: string = action): Button => ({
  action,
  label,
  turn: 'turn-1',
});
const feedback = [button('helpful'), button('unhelpful')];

describe('buttons as blocks', () => {
  test('are in a row, with feedback in its own element', () => {
    const blocks = renderButtons([button('retry'), ...feedback, button('passages')], 'native');
    expect(blocks).toMatchObject([
      { type: 'actions', elements: [{ value: 'retry:turn-1' }, { value: 'passages:turn-1' }] },
      {
        type: 'context_actions',
        elements: [
          {
            type: 'feedback_buttons',
            positive_button: { value: 'helpful:turn-1' },
            negative_button: { value: 'unhelpful:turn-1' },
          },
        ],
      },
    ]);
    expect(renderButtons(feedback, 'native')).toHaveLength(1);
    expect(renderButtons([], 'native')).toEqual([]);
  });

  test('are plain if one feedback choice is missing, or the style is plain', () => {
    expect(renderButtons([button('helpful')], 'native')).toMatchObject([{ type: 'actions' }]);
    const [row, ...others] = renderButtons(feedback, 'plain');
    expect(others).toEqual([]);
    expect(row?.elements).toHaveLength(2);
  });

  test('cut a label that is too long', () => {
    const [row] = renderButtons([button('retry', 'x'.repeat(80))], 'native');
    expect(row).toMatchObject({ elements: [{ text: { text: `${'x'.repeat(74)}…` } }] });
  });

  test.each(['stop', 'retry', 'passages', 'person', 'resume'] as const)(
    'have the action %s in their value',
    (action) => {
      expect(parseButtonValue(`${action}:turn-1`)).toEqual({ action, turn: 'turn-1' });
    },
  );

  test.each(['', 'retry', 'retry:', 'shout:t', `retry:${'t'.repeat(41)}`, 7, undefined])(
    'the value %j is not that of a button of ours',
    (value) => expect(parseButtonValue(value)).toBeUndefined(),
  );
});

const modes: { mode: Mode }[] = [{ mode: 'socket' }, { mode: 'http' }];

/** A reply in a thread, with buttons. */
async function replyWith(
  slack: SlackWorkspace,
  buttons: Button[],
  mode: Mode = 'socket',
  options: Parameters<typeof startSlack>[2] = {},
) {
  const parts = new AsyncDisposableStack();
  const started = parts.use(await startSlack(slack, mode, options));
  const user = slack.users().find(({ name }) => name === 'grace')?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'help')?.id ?? '';
  await slack.say({ user, channel, text: 'why?' });
  const { thread } = await started.next();
  const sent = await thread.post({ markdown: 'Because.', buttons });
  const at = { user, channel, ts: sent.id };
  const reply = () => slack.messages(channel, thread.address.thread).at(-1);
  return { started, thread, sent, at, reply, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

describe.each(modes)('a press by $mode', ({ mode }) => {
  test('outside a thread is reported with the channel in place of one', async () => {
    await using served = await serveWorkspace();
    const { slack, grace: user, help: channel } = served;
    await using started = await startSlack(slack, mode);
    const blocks = renderButtons([button('passages')], 'native');
    const post = { channel, text: 'Because.', blocks };
    const { ts = '' } = await createClient(slack).chat.postMessage(post);
    await slack.press({ user, channel, ts, actionId: 'causeway_reply_passages' });
    expect(await started.core.presses.next()).toMatchObject({
      place: { workspace: slack.team.id, channel, thread: channel },
    });
  });

  test('of a feedback button says which', async () => {
    await using served = await serveWorkspace();
    await using replied = await replyWith(served.slack, feedback, mode);
    const { started, at } = replied;
    const actionId = 'causeway_reply_feedback';
    for (const action of ['unhelpful', 'helpful']) {
      await served.slack.press({ ...at, actionId, value: `${action}:turn-1` });
      expect(await started.core.presses.next()).toMatchObject({ action, turn: 'turn-1' });
    }
  });
});

test('a press is acknowledged while Slack does not say who pressed', async () => {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  await using served = await serveWorkspace({ sleep: () => told });
  const { slack, ada: user } = served;
  await using replied = await replyWith(slack, feedback, 'socket', { sleep: async () => {} });
  const { started, at } = replied;
  slack.faults.latency = 10_000;
  await slack.press({ ...at, user, actionId: 'causeway_reply_feedback', value: 'helpful:turn-1' });
  expect(started.core.presses.all).toEqual([]);
  tell();
  expect(await started.core.presses.next()).toMatchObject({
    by: { id: user, name: 'Ada Lovelace' },
  });
});

describe.each(modes)('“Not helpful” by $mode', ({ mode }) => {
  test('opens a form at once, whose line is reported after the press', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    await using replied = await replyWith(slack, feedback, mode);
    const { started, thread, at } = replied;
    const { user } = at;
    const actionId = 'causeway_reply_feedback';
    const opened = slack.waitFor(({ kind }) => kind === 'modal');
    await slack.press({ ...at, actionId, value: 'unhelpful:turn-1' });
    const press = await started.core.presses.next();
    expect(press).toMatchObject({ action: 'unhelpful', turn: 'turn-1' });
    expect(press.remark).toBeUndefined();
    await opened;
    const [form] = slack.modals(user);
    const remark = ' It is about last year. ';
    await slack.submit({ user, view: form?.id ?? '', values: { remark } });
    expect(await started.core.presses.next()).toMatchObject({
      action: 'unhelpful',
      turn: 'turn-1',
      remark: 'It is about last year.',
      place: thread.address,
    });
  });

  test('needs no line', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    await using replied = await replyWith(slack, feedback, mode);
    const { started, at } = replied;
    const { user } = at;
    const opened = slack.waitFor(({ kind }) => kind === 'modal');
    await slack.press({ ...at, actionId: 'causeway_reply_feedback', value: 'unhelpful:turn-1' });
    await opened;
    const [form] = slack.modals(user);
    const sent = await slack.submit({ user, view: form?.id ?? '', values: {} });
    expect(sent).toEqual({ outcome: 'closed' });
    expect(started.core.presses.all).toHaveLength(1);
  });
});

test('a form that Slack does not open leaves the press as it is', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  await using replied = await replyWith(slack, feedback);
  const { started, at } = replied;
  slack.faults.inject({ method: 'views.open', times: 1, error: 'expired_trigger_id' });
  const actionId = 'causeway_reply_feedback';
  expect(await slack.press({ ...at, actionId, value: 'unhelpful:turn-1' })).toBe(true);
  expect(await started.core.presses.next()).toMatchObject({ action: 'unhelpful' });
});

test.each(modes)(
  'a button of an older version is acknowledged at once, by $mode',
  async ({ mode }) => {
    await using served = await serveWorkspace();
    const { slack } = served;
    await using replied = await replyWith(slack, [], mode);
    const { started, thread, at } = replied;
    const { botToken, apiUrl } = slack.credentials;
    const client = new webApi.WebClient(botToken, { slackApiUrl: apiUrl });
    const text = { type: 'plain_text', text: 'Old' } as const;
    const elements = [{ type: 'button', action_id: 'gone', text } as const];
    const { channel, thread: thread_ts } = thread.address;
    const blocks = [{ type: 'actions', elements } as const];
    const { ts = '' } = await client.chat.postMessage({ channel, thread_ts, text: 'Old', blocks });
    expect(await slack.press({ ...at, ts, actionId: 'gone' })).toBe(true);
    expect(started.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  },
);

test('a press is acknowledged and reported even if the answer can’t be shown', async () => {
  await using served = await serveWorkspace();
  const { slack } = served;
  const pressed = async () => 'Stopped.';
  await using replied = await replyWith(slack, [button('stop')], 'socket', { pressed });
  const { started, at } = replied;
  slack.faults.inject({ method: 'chat.postEphemeral', times: 1, error: 'user_not_in_channel' });
  slack.faults.inject({ method: 'users.info', times: 1, status: 500 });
  expect(await slack.press({ ...at, actionId: 'causeway_reply_stop' })).toBe(true);
  expect(await started.core.presses.next()).toMatchObject({ action: 'stop' });
});

describe('feedback that Slack refuses', () => {
  test('is requested with plain buttons from then on', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    slack.faults.inject({ method: 'chat.postMessage', times: 1, error: 'invalid_blocks' });
    await using replied = await replyWith(slack, feedback);
    const { sent, at, started, reply } = replied;
    expect(reply()?.blocks?.map(({ type }) => type)).toEqual(['markdown', 'actions']);
    await slack.press({ ...at, actionId: 'causeway_reply_unhelpful' });
    expect(await started.core.presses.next()).toMatchObject({ action: 'unhelpful' });
    await sent.edit({ markdown: 'Because.', buttons: feedback });
    expect(reply()?.blocks?.map(({ type }) => type)).toEqual(['markdown', 'actions']);
  });

  test('is not at fault if plain buttons are refused as well', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    await using replied = await replyWith(slack, []);
    const { thread, sent, reply } = replied;
    slack.faults.inject({ method: 'chat.update', times: 3, error: 'invalid_blocks' });
    const edit = () => sent.edit({ markdown: 'Because.', buttons: feedback });
    await expect(edit()).rejects.toMatchObject({ kind: 'refused' });
    await edit();
    expect(reply()?.blocks?.map(({ type }) => type)).toEqual(['section', 'actions']);
    await thread.message(sent.id).edit({ markdown: 'Because.', buttons: feedback });
    expect(reply()?.blocks?.map(({ type }) => type)).toEqual(['markdown', 'context_actions']);
  });
});
