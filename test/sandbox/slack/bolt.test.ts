import { text } from 'node:stream/consumers';
import type { App } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import type { SlackChange } from '../../../src/sandbox/slack/model.ts';
import { serveWorkspace } from './serve-workspace.ts';
import { startBot, startHttpBot } from './start-bot.ts';

const isEdit = (change: SlackChange) => change.kind === 'message' && change.event === 'edited';

/** Answers mentions in their threads, and edits the answer once. */
function answerMentions(app: App): void {
  app.event('app_mention', async ({ event, say, client }) => {
    const { channel, ts } = await say({ text: 'Let me', thread_ts: event.ts });
    await client.chat.update({ channel: String(channel), ts: String(ts), text: 'Let me see.' });
  });
}

describe.each([
  { mode: 'Socket Mode', start: startBot },
  { mode: 'HTTP', start: startHttpBot },
])('a Bolt app over $mode', ({ start }) => {
  test('answers a mention in its thread and edits the answer in place', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    served.use(await start(slack, answerMentions));

    const edited = slack.waitFor(isEdit);
    const question = await slack.say({
      user: ada,
      channel: help,
      text: `<@${slack.bot.user}> How do I add a source?`,
    });
    await edited;

    const [root, answer, ...others] = slack.messages(help, question.ts);
    expect(others).toEqual([]);
    expect(root).toMatchObject({ ts: question.ts, reply_count: 1, reply_users: [slack.bot.user] });
    expect(answer).toMatchObject({ user: slack.bot.user, thread_ts: question.ts, edits: 1 });
    expect(answer && plainText(answer)).toBe('Let me see.');
    expect(slack.revisions(help, answer?.ts ?? '')).toEqual(['Let me', 'Let me see.']);
    expect(slack.messages(help)).toHaveLength(1);
  });

  test('opens a modal for a command and takes a file from it', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const received: string[] = [];
    served.use(await start(slack, (app) => takeUploads(app, slack.credentials.botToken, received)));

    const opened = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
    const answered = slack.waitFor((change) => change.kind === 'ephemeral');
    expect(
      await slack.command({ user: ada, channel: help, command: '/source', text: 'upload' }),
    ).toBe(true);
    await opened;
    const [view] = slack.modals(ada);
    expect(view).toMatchObject({ callback_id: 'upload', private_metadata: help });

    const bytes = Buffer.from('# Sources\n\nAdd one with /source.');
    const sent = { user: ada, view: view?.id ?? '', values: { title: 'The guide' } };
    const refused = await slack.submit({ ...sent, files: { file: [] } });
    expect(refused).toEqual({
      outcome: 'errors',
      errors: { file: 'Please complete this required field.' },
    });
    const files = { file: [{ name: 'guide.md', bytes }] };
    expect(await slack.submit({ ...sent, files })).toEqual({ outcome: 'closed' });

    await answered;
    expect(slack.modals(ada)).toEqual([]);
    expect(received).toEqual(['The guide', 'guide.md', 'text/markdown', String(bytes)]);
    expect(slack.ephemerals(ada, help).map(plainText)).toEqual(['Thank you.']);
  });

  test('hears button presses and replaces the message by its response_url', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    served.use(
      await start(slack, (app) => {
        app.message('retry?', async ({ say }) => {
          const button = {
            type: 'button',
            action_id: 'retry',
            text: { type: 'plain_text', text: 'Retry' },
          } as const;
          await say({
            text: 'It failed.',
            blocks: [
              { type: 'section', text: { type: 'mrkdwn', text: 'It failed.' } },
              { type: 'actions', elements: [{ ...button, value: 'turn-1' }] },
            ],
          });
        });
        app.action('retry', async ({ ack, action, body, respond }) => {
          await ack();
          const value = action.type === 'button' ? action.value : '';
          await respond({
            replace_original: true,
            text: `Retrying ${value} for <@${body.user.id}>`,
          });
        });
      }),
    );

    const asked = slack.waitFor(
      (change) => change.kind === 'message' && change.message.bot_id !== undefined,
    );
    const edited = slack.waitFor(isEdit);
    await slack.say({ user: ada, channel: help, text: 'retry?' });
    await asked;
    const ts = slack.messages(help).at(-1)?.ts ?? '';
    await expect(slack.press({ user: ada, channel: help, ts, actionId: 'other' })).rejects.toThrow(
      'Available: retry',
    );
    expect(await slack.press({ user: ada, channel: help, ts, actionId: 'retry' })).toBe(true);
    await edited;
    expect(slack.messages(help).at(-1)).toMatchObject({ text: `Retrying turn-1 for <@${ada}>` });
    expect(slack.messages(help).at(-1)?.blocks).toBeUndefined();
  });
});

function takeUploads(app: App, token: string, received: string[]): void {
  app.command('/source', async ({ ack, body, client }) => {
    await ack();
    await client.views.open({
      trigger_id: body.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'upload',
        private_metadata: body.channel_id,
        title: { type: 'plain_text', text: 'Add a source' },
        submit: { type: 'plain_text', text: 'Add' },
        blocks: [
          {
            type: 'input',
            block_id: 'title',
            optional: true,
            label: { type: 'plain_text', text: 'Title' },
            element: { type: 'plain_text_input', action_id: 'title' },
          },
          {
            type: 'input',
            block_id: 'file',
            label: { type: 'plain_text', text: 'File' },
            element: { type: 'file_input', action_id: 'file', filetypes: ['md'], max_files: 1 },
          },
        ],
      },
    });
  });
  app.view('upload', async ({ ack, view, body, client }) => {
    await ack();
    const { values } = view.state;
    const [file] = values['file']?.['file']?.files ?? [];
    const response = await fetch(String(file?.url_private_download), {
      headers: { authorization: `Bearer ${token}` },
    });
    received.push(String(values['title']?.['title']?.value), String(file?.name));
    received.push(String(response.headers.get('content-type')));
    received.push(response.body ? await text(response.body) : '');
    await client.chat.postEphemeral({
      channel: view.private_metadata,
      user: body.user.id,
      text: 'Thank you.',
    });
  });
}
