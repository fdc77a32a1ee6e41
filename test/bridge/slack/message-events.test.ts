import { describe, expect, test } from 'vitest';
import {
  parseMessageEvent,
  toIncomingMessage,
} from '../../../src/bridge/slack/incoming-message.ts';
import { createFakeThread } from '../../fixtures/fake-thread.ts';

const identity = { teamId: 'T1', botId: 'B1', userId: 'UBOT', isAgent: true };
const people = {
  find: (id: string) =>
    Promise.resolve({ id, name: `name of ${id}`, isManager: id === 'U1', locale: 'en-US' }),
};
const message = {
  type: 'message',
  channel: 'C1',
  channel_type: 'channel',
  user: 'U1',
  text: '<@UBOT> hello <@U2>',
  ts: '2.000',
};

async function receive(event: object) {
  const parsed = parseMessageEvent(event, identity);
  const opened: [string, string][] = [];
  const incoming =
    parsed &&
    (await toIncomingMessage(parsed, {
      identity: () => identity,
      people,
      openThread(channel, thread) {
        opened.push([channel, thread]);
        return createFakeThread();
      },
      readSaid: () => undefined,
    }));
  return incoming && { ...incoming, thread: opened[0] };
}

describe('what a person wrote', () => {
  test('is a message, with names in place of ids', async () => {
    expect(await receive(message)).toEqual({
      id: '2.000',
      author: { id: 'U1', name: 'name of U1', isManager: true, locale: 'en-US' },
      text: 'hello @name of U2',
      addressed: 'mention',
      isToOthers: false,
      thread: ['C1', '2.000'],
    });
  });

  test('is the same message whichever event brings it', async () => {
    const { channel_type: _, ...rest } = message;
    expect(await receive({ ...rest, type: 'app_mention' })).toEqual(await receive(message));
  });

  test('belongs to its thread', async () => {
    expect(await receive({ ...message, thread_ts: '1.000' })).toMatchObject({
      thread: ['C1', '1.000'],
    });
  });

  test('is overheard without a mention, and direct in a direct message', async () => {
    expect(await receive({ ...message, text: 'hi' })).toMatchObject({ addressed: 'overheard' });
    const direct = { ...message, channel: 'D1', channel_type: 'im', text: 'hi' };
    expect(await receive(direct)).toMatchObject({ addressed: 'direct' });
    const group = { ...message, channel_type: 'mpim', text: 'hi' };
    expect(await receive(group)).toMatchObject({ addressed: 'overheard' });
  });

  test.each(['file_share', 'thread_broadcast', 'me_message'])(
    'counts with the subtype %s',
    async (subtype) => {
      expect(await receive({ ...message, subtype })).toMatchObject({ id: '2.000' });
    },
  );

  test('includes what it forwards, and no preview of a link', async () => {
    const forward = { is_share: true, text: '<@UBOT> Who is <@U2>?', author_id: 'U3' };
    const preview = { is_msg_unfurl: true, text: 'A preview' };
    const attachments = [forward, preview, { is_share: true, text: 5 }];
    expect(await receive({ ...message, attachments })).toMatchObject({
      text: 'hello @name of U2\n\nWho is @name of U2?',
      addressed: 'mention',
    });
    const bare = { ...message, text: '', attachments };
    expect(await receive(bare)).toMatchObject({ addressed: 'overheard' });
  });

  test('counts without text, as with a shared file', async () => {
    const { text: _, ...rest } = message;
    expect(await receive({ ...rest, subtype: 'file_share' })).toMatchObject({ text: '' });
  });
});

test.each([
  ['the bot’s own', { ...message, user: 'UBOT' }],
  ['another bot’s', { ...message, bot_id: 'B2' }],
  ['Slackbot’s', { ...message, user: 'USLACKBOT' }],
  ['an edit or unfurl', { ...message, subtype: 'message_changed', hidden: true }],
  ['a deletion', { ...message, subtype: 'message_deleted' }],
  ['someone joining', { ...message, subtype: 'channel_join' }],
  ['a mention that an edit fired again', { ...message, type: 'app_mention', edited: { ts: '3' } }],
  ['one without an author', { ...message, user: undefined }],
  ['no message at all', { type: 'reaction_added' }],
  ['nothing', null],
])('%s is not acted on', (_, event) => {
  expect(parseMessageEvent(event, identity)).toBeUndefined();
});
