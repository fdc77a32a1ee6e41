import { expect, test } from 'vitest';
import type { DiscordChange } from '../../../src/sandbox/discord/changes.ts';
import { createReplies } from '../../../src/sandbox/inspector/replies.ts';

const address = { platform: 'discord', channel: '1', thread: '2' };
const post = 'POST /channels/:channel/messages';
const open = 'POST /channels/:channel/messages/:message/threads';
const edit = 'PATCH /channels/:channel/messages/:message';

function call(method: string, given: object, status = 200) {
  const rest = { beganMs: 0, response: {}, isInjected: false };
  return { platform: 'discord', method, arguments: given, status, ...rest } as const;
}

function see(replies: ReturnType<typeof createReplies>, id: string, characters: number) {
  const message = { id, channel: '2', content: 'x'.repeat(characters), author: { bot: true } };
  replies.sawOnDiscord({
    kind: 'message',
    event: 'edited',
    channel: '2',
    message,
  } as DiscordChange);
}

test('a reply lists what was received, what was seen, and its writes with those refused', () => {
  const replies = createReplies(() => 7);
  replies.began({ id: 'one', query: 'Why?', address });
  replies.received('one', 5);
  replies.called(call(open, { channel: '1', message: '2' }, 429));
  see(replies, 'a', 5);
  replies.called(call(post, { channel: '2' }));
  replies.received('one', 9);
  see(replies, 'b', 4);
  see(replies, 'a', 4);
  replies.called(call(edit, { channel: '2', message: 'a' }, 0));
  replies.called(call('POST /channels/:channel/typing', { channel: '2' }));
  replies.ended('one', 'answered');

  const [curve] = replies.list();
  expect(curve).toMatchObject({ query: 'Why?', at: 7, outcome: 'answered' });
  expect(curve?.received.at(-1)?.characters).toBe(9);
  expect(curve?.shown.map(({ characters }) => characters)).toEqual([5, 9, 8]);
  expect(curve?.writes).toMatchObject([
    { status: 429, isAccepted: false },
    { status: 200, isAccepted: true },
    { status: 0, isAccepted: false },
  ]);
});

test('messages after a reply’s end are not part of it, but its last edits are', () => {
  const replies = createReplies(Date.now);
  replies.began({ id: 'one', query: 'Why?', address });
  see(replies, 'a', 5);
  replies.ended('one', 'answered');
  see(replies, 'result of a command', 100);
  see(replies, 'a', 6);
  const [curve] = replies.list();
  expect(curve?.shown.map(({ characters }) => characters)).toEqual([5, 6]);
});

test('replies and their points are limited', () => {
  const replies = createReplies(Date.now);
  for (let turn = 0; turn < 500; turn += 1) {
    replies.began({ id: `${turn}`, query: 'x'.repeat(1_000), address });
  }
  for (let size = 0; size < 5_000; size += 1) see(replies, 'a', size);
  const all = replies.list();
  expect(all.length).toBe(100);
  expect(all.at(-1)?.query.length).toBe(200);
  expect(all.at(-1)?.shown.length).toBeLessThanOrEqual(1_000);
  expect(all.at(-1)?.shown.at(-1)?.characters).toBe(4_999);
});
