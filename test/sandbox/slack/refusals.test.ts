import { expect, test } from 'vitest';
import { refusal, serveWorkspace } from './serve-workspace.ts';

const text = (length: number) => 'x'.repeat(length);
const noThread = '1.000001';

/** A workspace and what its calls can name. */
async function arrange() {
  const served = await serveWorkspace();
  const { slack, client, ada, help, random } = served;
  slack.faults.rateLimits = false;
  const direct = slack.direct(ada).id;
  const { ts: hers } = await slack.say({ user: ada, channel: help, text: 'hers' });
  const { ts: question } = await slack.say({ user: ada, channel: direct, text: 'why?' });
  const { ts: own = '' } = await client.chat.postMessage({ channel: help, text: 'own' });
  const secret = { name: 'secret.txt', bytes: Buffer.from('secret') };
  const shared = await slack.say({ user: ada, channel: random, files: [secret] });
  const unseen = shared.files?.[0]?.id;
  return { ...served, direct, hers, question, own, unseen };
}

type Arranged = Awaited<ReturnType<typeof arrange>>;
type Refused = [method: string, args: Record<string, unknown>, error: string];

const invalidMetadata: [metadata: unknown, error: string][] = [
  ['asked', 'invalid_metadata_format'],
  [[], 'invalid_metadata_format'],
  [{ event_type: 'asked' }, 'invalid_metadata_schema'],
  [{ event_type: '', event_payload: {} }, 'invalid_metadata_schema'],
  [{ event_type: 'asked', event_payload: 'k1' }, 'invalid_metadata_schema'],
];

/** Calls of each method, and the error that Slack answers. */
function listRefusals(at: Arranged): Refused[] {
  const { slack, ada, grace, help, random, direct, hers, question, own, unseen } = at;
  const team = slack.team.id;
  const session = { channel_id: direct, thread_ts: question };
  const asked = { channel: help, thread_ts: hers };
  return [
    ['chat.scream', {}, 'unknown_method'],
    ['constructor', {}, 'unknown_method'],
    ['apps.connections.open', {}, 'not_allowed_token_type'],

    ['chat.postMessage', { text: 'x' }, 'invalid_arguments'],
    ['chat.postMessage', { channel: 'C000', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: random, text: 'x' }, 'not_in_channel'],
    ['chat.postMessage', { channel: help }, 'no_text'],
    ['chat.postMessage', { channel: help, text: 'x', thread_ts: noThread }, 'thread_not_found'],
    ['chat.postMessage', { channel: help, markdown_text: text(12_001) }, 'msg_too_long'],
    ['chat.postMessage', { channel: help, markdown_text: 'x', text: 'y' }, 'invalid_arguments'],
    ...invalidMetadata.map(([metadata, error]): Refused => {
      const said = { channel: help, text: 'x', metadata: JSON.stringify(metadata) };
      return ['chat.postMessage', said, error];
    }),
    ['chat.postEphemeral', { channel: help, user: 'U000', text: 'x' }, 'user_not_in_channel'],

    ['chat.update', { channel: help, ts: hers, text: 'x' }, 'cant_update_message'],
    ['chat.update', { channel: help, ts: noThread, text: 'x' }, 'message_not_found'],
    ['chat.update', { channel: help, ts: own, text: text(4_001) }, 'msg_too_long'],
    ['chat.update', { channel: help, ts: own, text: '' }, 'no_text'],
    ['chat.delete', { channel: help, ts: hers }, 'cant_delete_message'],

    ['chat.startStream', { channel: direct }, 'invalid_arguments'],
    ['chat.startStream', asked, 'missing_recipient_user_id'],
    ['chat.startStream', { ...asked, recipient_user_id: ada }, 'missing_recipient_team_id'],
    ['chat.startStream', { ...asked, recipient_team_id: team }, 'missing_recipient_user_id'],
    ['chat.appendStream', { channel: direct, ts: question }, 'message_not_owned_by_app'],

    ['agents.sessions.setStatus', { ...session, status: 'asleep' }, 'invalid_arguments'],
    [
      'agents.sessions.setStatus',
      { ...session, status: 'active', initiator_user_id: grace },
      'user_not_in_channel',
    ],
    [
      'agents.sessions.setStatus',
      { ...session, status: 'active', thread_ts: noThread },
      'thread_not_found',
    ],
    [
      'assistant.threads.setStatus',
      { ...session, status: 'x', loading_messages: [text(51)] },
      'invalid_arguments',
    ],

    ['users.info', { user: 'U000' }, 'user_not_found'],
    ['users.conversations', { user: 'U000' }, 'user_not_found'],
    ['bots.info', { bot: 'B1' }, 'bot_not_found'],
    ['conversations.replies', { channel: help, ts: noThread }, 'thread_not_found'],
    ['conversations.history', { channel: random }, 'not_in_channel'],

    ['files.info', { file: unseen }, 'file_not_found'],
    [
      'files.getUploadURLExternal',
      { filename: 'a', length: 2 ** 25 },
      'file_upload_size_restricted',
    ],
    ['files.completeUploadExternal', { files: [{ id: 'F000' }] }, 'file_not_found'],
  ];
}

test('a call that Slack would refuse is refused with the same error', async () => {
  await using arranged = await arrange();
  const { slack, help, client } = arranged;
  const expected = listRefusals(arranged);
  const answered: Refused[] = [];
  for (const [method, args] of expected) {
    answered.push([method, args, (await refusal(client.apiCall(method, args))).error]);
  }
  expect(answered).toEqual(expected);
  expect(slack.messages(help).map((message) => message.text)).toEqual(['hers', 'own']);
});

test('a refusal says what is wrong with an argument, and where', async () => {
  await using served = await serveWorkspace();
  const { client } = served;
  const messagesOf = async (method: string, args: object) =>
    (await refusal(client.apiCall(method, { ...args }))).response_metadata?.messages;
  expect(await messagesOf('chat.postMessage', { text: 'x' })).toEqual([
    '[ERROR] missing required field: channel',
  ]);
  const view = { type: 'modal', title: { type: 'plain_text', text: text(25) }, blocks: [] };
  expect(await messagesOf('views.open', { trigger_id: '1.2.3', view })).toEqual([
    '[ERROR] must be less than 25 characters [json-pointer:/view/title/text]',
  ]);
});
