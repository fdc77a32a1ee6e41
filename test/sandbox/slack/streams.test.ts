import { describe, expect, test } from 'vitest';
import { webApi } from '@slack/bolt';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { createClock } from '../clock.ts';
import { refusal, serveWorkspace } from './serve-workspace.ts';

/** A question in a direct message, and a client to stream an answer to it. */
async function askDirectly(clock = createClock()) {
  const served = await serveWorkspace(clock);
  const { slack, client, ada } = served;
  const channel = slack.direct(ada).id;
  const { ts: thread_ts } = await slack.say({ user: ada, channel, text: 'why?' });
  async function start(args: { markdown_text?: string } = {}) {
    const { ts } = await client.chat.startStream({ channel, thread_ts, ...args });
    return { channel, ts: String(ts) };
  }
  const refused = async (call: Promise<unknown>) => (await refusal(call)).error;
  return { ...served, clock, client, channel, thread_ts, start, refused };
}

describe('a stream', () => {
  test('grows in its thread and ends with blocks below', async () => {
    await using served = await askDirectly();
    const { slack, client, channel, thread_ts, start } = served;
    const at = await start({ markdown_text: 'Let ' });
    await client.chat.appendStream({ ...at, markdown_text: '**me** ' });
    await client.chat.appendStream({ ...at, chunks: [{ type: 'markdown_text', text: 'see' }] });
    expect(slack.session(channel, thread_ts)).toBe('processing');
    const ended = await client.chat.stopStream({
      ...at,
      markdown_text: '.',
      blocks: [{ type: 'context', elements: [{ type: 'plain_text', text: 'Handbook' }] }],
    });
    expect(ended).toMatchObject({ ok: true, ...at, message: { streaming_state: 'completed' } });
    expect(slack.revisions(channel, at.ts)).toEqual([
      'Let ',
      'Let **me** ',
      'Let **me** see',
      'Let **me** see.\n\nHandbook',
    ]);
    expect(slack.messages(channel, thread_ts)[1]).toMatchObject({ ts: at.ts, thread_ts });
    expect(slack.session(channel, thread_ts)).toBe('active');
  });

  test('can start and end without a text', async () => {
    await using served = await askDirectly();
    const { slack, client, channel, thread_ts, start, refused } = served;
    const at = await start();
    expect(await refused(client.chat.appendStream({ ...at, markdown_text: '' }))).toBe('no_text');
    await client.chat.appendStream({ ...at, markdown_text: 'all' });
    await client.chat.stopStream({ ...at, session_status: 'closed' });
    expect(slack.messages(channel, thread_ts).map(plainText)).toEqual(['why?', 'all']);
    expect(slack.session(channel, thread_ts)).toBe('closed');
  });

  test('removes the status of its thread', async () => {
    await using served = await askDirectly();
    const { slack, client, channel, thread_ts, start } = served;
    const status = 'is thinking…';
    await client.assistant.threads.setStatus({ channel_id: channel, thread_ts, status });
    await start();
    expect(slack.status(channel, thread_ts)).toBe('');
  });

  test('cannot be edited or deleted while it grows, or appended to afterwards', async () => {
    await using served = await askDirectly();
    const { client, start, refused } = served;
    const at = await start({ markdown_text: 'growing' });
    const edit = () => client.chat.update({ ...at, text: 'edited' });
    expect(await refused(edit())).toBe('streaming_state_conflict');
    expect(await refused(client.chat.delete(at))).toBe('cant_delete_message');
    await client.chat.stopStream(at);
    const append = client.chat.appendStream({ ...at, markdown_text: 'more' });
    expect(await refused(append)).toBe('message_not_in_streaming_state');
    expect(await refused(client.chat.stopStream(at))).toBe('message_not_in_streaming_state');
    await edit();
    await client.chat.delete(at);
  });

  test('ends after five minutes whether or not it grows, and can then be edited', async () => {
    await using served = await askDirectly();
    const { slack, clock, client, channel, start, refused } = served;
    const at = await start({ markdown_text: 'one' });
    clock.advance(299_000);
    await client.chat.appendStream({ ...at, markdown_text: ', two' });
    clock.advance(1_001);
    const append = client.chat.appendStream({ ...at, markdown_text: ', three' });
    expect(await refused(append)).toBe('message_not_in_streaming_state');
    expect(await refused(client.chat.stopStream(at))).toBe('message_not_in_streaming_state');
    await client.chat.update({ ...at, text: 'one, two, three' });
    expect(slack.revisions(channel, at.ts)).toEqual(['one', 'one, two', 'one, two, three']);
  });

  test('has at most 12,000 characters, in one call and in total', async () => {
    await using served = await askDirectly();
    const { slack, client, channel, start, refused } = served;
    const at = await start({ markdown_text: 'x'.repeat(12_000) });
    const append = (length: number) =>
      client.chat.appendStream({ ...at, markdown_text: 'x'.repeat(length) });
    expect(await refused(append(12_001))).toBe('msg_too_long');
    expect(await refused(append(1))).toBe('msg_blocks_too_long');
    const blocks = [{ type: 'markdown', text: 'x' }];
    expect(await refused(client.chat.stopStream({ ...at, blocks: [{ type: 'shout' }] }))).toBe(
      'invalid_blocks',
    );
    await client.chat.stopStream({ ...at, blocks });
    expect(slack.revisions(channel, at.ts).at(-1)).toHaveLength(12_003);
  });

  test('accepts chunks of text, and not together with markdown_text', async () => {
    await using served = await askDirectly();
    const { client, start, refused } = served;
    const at = await start();
    const append = (args: Record<string, unknown>) =>
      refused(client.apiCall('chat.appendStream', args));
    const text = { type: 'markdown_text', text: 'x' };
    expect(await append({ ...at, chunks: [{ type: 'shout' }] })).toBe('invalid_chunks');
    expect(await append({ ...at, chunks: 'x' })).toBe('invalid_chunks');
    expect(await append({ ...at, chunks: [text], markdown_text: 'x' })).toBe('invalid_arguments');
  });

  test('starts in a channel for a person who is named', async () => {
    await using served = await askDirectly();
    const { slack, ada, help, client } = served;
    const { ts: thread_ts } = await slack.say({ user: ada, channel: help, text: 'why?' });
    const recipient = { recipient_user_id: ada, recipient_team_id: slack.team.id };
    const at = { channel: help, thread_ts };
    const { ts } = await client.chat.startStream({ ...at, ...recipient });
    expect(slack.messages(help, thread_ts).at(-1)?.ts).toBe(ts);
  });
});

test('a workspace starts and stops 20 streams a minute, and appends 100 times', async () => {
  await using served = await askDirectly();
  const { client, start } = served;
  const opened = [];
  for (let count = 0; count < 20; count += 1) opened.push(await start());
  await expect(start()).rejects.toThrow(webApi.WebAPIRateLimitedError);
  const [first] = opened;
  const append = () =>
    client.chat.appendStream({ channel: '', ts: '', ...first, markdown_text: 'x' });
  for (let count = 0; count < 100; count += 1) await append();
  await expect(append()).rejects.toMatchObject({ retryAfter: 1 });
  for (const at of opened) await client.chat.stopStream(at);
  await expect(client.chat.stopStream({ channel: '', ts: '', ...first })).rejects.toMatchObject({
    retryAfter: 3,
  });
});

describe('Slack’s own stop button', () => {
  test('stops the streams of a thread and leaves it to the app to end the session', async () => {
    await using served = await askDirectly();
    const { slack, ada, client, channel, thread_ts, start, refused } = served;
    const at = await start({ markdown_text: 'on and' });
    const other = await start();
    await client.chat.stopStream({ ...other, session_status: 'processing' });
    slack.stop({ user: ada, channel, thread: thread_ts });
    const append = client.chat.appendStream({ ...at, markdown_text: ' on' });
    expect(await refused(append)).toBe('stopped_by_user');
    expect(await refused(client.chat.stopStream(at))).toBe('message_not_in_streaming_state');
    expect(slack.session(channel, thread_ts)).toBe('processing');
    await client.agents.sessions.setStatus({ channel_id: channel, thread_ts, status: 'active' });
    expect(slack.session(channel, thread_ts)).toBe('active');
    expect(slack.messages(channel, thread_ts)[1]).not.toHaveProperty('edited');
    await client.chat.update({ ...at, text: 'on and … stopped' });
  });

  test('works for members of the channel while the session is processing', async () => {
    await using served = await askDirectly();
    const { slack, clock, ada, grace, client, channel, thread_ts } = served;
    const stop = (user: string) => slack.stop({ user, channel, thread: thread_ts });
    expect(() => stop(ada)).toThrow('nothing to stop');
    const session = { channel_id: channel, thread_ts };
    await client.agents.sessions.setStatus({ ...session, status: 'processing' });
    expect(() => stop(grace)).toThrow('is not in the channel');
    stop(ada);
    clock.advance(3_600_000);
    expect(slack.session(channel, thread_ts)).toBe('active');
    expect(() => stop(ada)).toThrow('nothing to stop');
  });
});

test('a session keeps its first title', async () => {
  await using served = await askDirectly();
  const { client, channel, thread_ts } = served;
  const { setStatus } = client.agents.sessions;
  const session = { channel_id: channel, thread_ts };
  expect(await setStatus({ ...session, status: 'processing', title: 'Why' })).toMatchObject({
    status: 'processing',
    title: 'Why',
  });
  expect(await setStatus({ ...session, status: 'active', title: 'How' })).toMatchObject({
    title: 'Why',
  });
});
