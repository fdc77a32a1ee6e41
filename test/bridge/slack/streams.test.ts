import { describe, expect, test } from 'vitest';
import type { Thread } from '../../../src/bridge/conversation/thread.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import { createClock } from '../../sandbox/clock.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

/** A question in a direct message, as the adapter hands it over. */
async function askDirectly(options: { nativeStreaming?: boolean; now?: () => number } = {}) {
  const { now } = options;
  const parts = new AsyncDisposableStack();
  const served = parts.use(await serveWorkspace(now && { now }));
  const { slack, ada } = served;
  const started = parts.use(await startSlack(slack, 'socket', options));
  const channel = slack.direct(ada).id;
  async function ask(text: string): Promise<Thread> {
    await slack.say({ user: ada, channel, text });
    return (await started.next()).thread;
  }
  const thread = await ask('why?');
  const { thread: ts } = thread.address;
  const replies = () => slack.messages(channel, ts).slice(1);
  return {
    ...served,
    started,
    ask,
    channel,
    ts,
    thread,
    replies,
    shown: () => replies().map(plainText),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function open(thread: Thread, markdown: string) {
  if (!thread.openStream) throw new Error('The thread has no streams.');
  return thread.openStream(markdown);
}

describe('a stream in a direct message', () => {
  test('shows its first text at once, grows, and ends with its footer and buttons', async () => {
    await using asked = await askDirectly();
    const { slack, channel, ts, thread, replies } = asked;
    const stream = await open(thread, 'Let me ');
    await stream.append('see `a ');
    await stream.append('< b` <!here>');
    const buttons = [
      { action: 'passages', label: 'Show passages', turn: 't1' },
      { action: 'helpful', label: 'Helpful', turn: 't1' },
      { action: 'unhelpful', label: 'Not helpful', turn: 't1' },
    ] as const;
    await stream.finish({ markdown: '.', footer: '[1] Handbook', buttons });
    expect(slack.revisions(channel, stream.message.id)).toEqual([
      'Let me ',
      'Let me see ',
      'Let me see `a < b` ',
      'Let me see `a < b` <!here>.\n\n[1] Handbook',
    ]);
    const [reply, ...others] = replies();
    expect(others).toEqual([]);
    expect(reply).toMatchObject({ ts: stream.message.id, streaming_state: 'completed' });
    expect(reply?.blocks?.map(({ type }) => type)).toEqual([
      'markdown',
      'context',
      'actions',
      'context_actions',
    ]);
    expect(reply?.blocks?.[0]).toMatchObject({ text: 'Let me see `a < b` &lt;!here&gt;.' });
    expect(slack.session(channel, ts)).toBe('active');
    await stream.message.edit({ markdown: 'Edited.' });
    await stream.message.remove();
    expect(replies()).toEqual([]);
  });

  test('knows its limits: Slack’s tiers, its length, and the time it has', async () => {
    await using asked = await askDirectly();
    const { slack, thread } = asked;
    const stream = await open(thread, 'x');
    const workspace = slack.team.id;
    expect(stream).toMatchObject({
      budgets: {
        append: { key: `slack:${workspace}:append`, writes: 100, windowMs: 60_000 },
        finish: { key: `slack:${workspace}:finish`, writes: 20, windowMs: 60_000 },
      },
      lastsMs: 240_000,
    });
    await stream.finish({ markdown: 'y'.repeat(10_999) });
  });

  test('takes again what was refused, once', async () => {
    await using asked = await askDirectly();
    const { slack, thread, shown } = asked;
    const stream = await open(thread, 'one');
    for (const method of ['chat.appendStream', 'chat.stopStream']) {
      slack.faults.inject({ method, times: 1, retryAfter: 7 });
    }
    const limited = { kind: 'rate_limited', retryAfterMs: 7_000 };
    await stream.append('`two');
    await expect(stream.append(' two` three')).rejects.toMatchObject(limited);
    await stream.append(' two` three');
    await expect(stream.finish({ markdown: ' four' })).rejects.toMatchObject(limited);
    await stream.finish({ markdown: ' four' });
    expect(shown()).toEqual(['one`two two` three four']);
  });

  test('that Slack has ended is reported, and its message can be edited', async () => {
    const clock = createClock();
    await using asked = await askDirectly({ now: clock.now });
    const { slack, channel, ts, thread, shown } = asked;
    const stream = await open(thread, 'one');
    clock.advance(300_001);
    const ended = { kind: 'uneditable', message: expect.stringContaining('ended') as unknown };
    await expect(stream.append(' two')).rejects.toMatchObject(ended);
    expect(slack.session(channel, ts)).toBe('processing');
    await expect(stream.finish({ markdown: ' two' })).rejects.toMatchObject(ended);
    expect(slack.session(channel, ts)).toBe('active');
    await stream.message.edit({ markdown: 'one two' });
    expect(shown()).toEqual(['one two']);
  });

  test('that its reader stopped says so, and Slack hears that the session rests', async () => {
    await using asked = await askDirectly();
    const { slack, ada, started, channel, ts, thread, shown } = asked;
    const stream = await open(thread, 'on and');
    const atRest = slack.waitFor((change) => change.kind === 'session');
    slack.stop({ user: ada, channel, thread: ts });
    expect(await started.core.stops.next()).toEqual({
      thread: thread.address,
      by: {
        id: ada,
        name: 'Ada Lovelace',
        isManager: true,
        locale: 'en-GB',
        timeZone: 'Europe/London',
      },
    });
    expect(await atRest).toMatchObject({ channel, thread: ts, status: 'active' });
    await expect(stream.append(' on')).rejects.toMatchObject({ kind: 'uneditable' });
    await stream.message.edit({ markdown: 'on and', footer: 'Stopped.' });
    expect(shown()).toEqual(['on and\n\nStopped.']);
  });

  test('that a process left open is ended by the next, and its message can be edited', async () => {
    await using asked = await askDirectly();
    const { slack, channel, ts, started, thread, replies, shown } = asked;
    const { message } = await open(thread, 'one');
    const known = started.platform.thread(thread.address).message(message.id);
    await known.endStream?.();
    expect(replies()).toMatchObject([{ streaming_state: 'completed' }]);
    expect(slack.session(channel, ts)).toBe('active');
    await known.endStream?.();
    await known.edit({ markdown: 'one two' });
    expect(shown()).toEqual(['one two']);
  });

  test('keeps its text once it has ended, however long that is, with a note below it', async () => {
    await using asked = await askDirectly();
    const { started, thread, shown } = asked;
    const text = 'so on '.repeat(1_000).trim();
    const stream = await open(thread, text);
    await stream.finish({ markdown: '' });
    const kept = started.platform.thread(thread.address).message(stream.message.id);
    await kept.keep?.('⚠️ I was restarted.', []);
    expect(shown()[0]?.startsWith(text)).toBe(true);
    expect(shown()[0]).toContain('⚠️ I was restarted.');
  });

  test('is not edited while it grows', async () => {
    await using asked = await askDirectly();
    const stream = await open(asked.thread, 'one');
    const refused = { kind: 'uneditable' };
    await expect(stream.message.edit({ markdown: 'two' })).rejects.toMatchObject(refused);
    await expect(stream.message.remove()).rejects.toMatchObject(refused);
  });
});

describe('no stream is opened', () => {
  test('in a channel, where others would not see it grow', async () => {
    await using asked = await askDirectly();
    const { slack, ada, help, started } = asked;
    await slack.say({ user: ada, channel: help, text: 'why?' });
    expect((await started.next()).thread.openStream).toBeUndefined();
  });

  test('where it is switched off', async () => {
    await using asked = await askDirectly({ nativeStreaming: false });
    expect(asked.thread.openStream).toBeUndefined();
  });

  test.each(['unknown_method', 'feature_not_enabled', 'not_allowed_token_type'])(
    'any more once Slack has refused one for the app (%s)',
    async (error) => {
      await using asked = await askDirectly();
      const { slack, thread, ask, shown } = asked;
      slack.faults.inject({ method: 'chat.startStream', times: 1, error });
      await expect(open(thread, 'x')).rejects.toMatchObject({ kind: 'refused' });
      await expect(open(thread, 'x')).rejects.toMatchObject({ kind: 'refused' });
      expect(shown()).toEqual([]);
      expect((await ask('and now?')).openStream).toBeUndefined();
    },
  );

  test('for the sixteenth reply in a minute, as Slack lets twenty be begun and ended', async () => {
    const clock = createClock();
    await using asked = await askDirectly({ now: clock.now });
    const { slack, thread } = asked;
    for (let opened = 0; opened < 15; opened += 1) await open(thread, 'x');
    await expect(open(thread, 'x')).rejects.toMatchObject({ kind: 'refused' });
    clock.advance(60_000);
    await open(thread, 'x');
    expect(slack.messages(asked.channel, asked.ts)).toHaveLength(17);
  });

  test('for the moment only where Slack is busy or in trouble', async () => {
    await using asked = await askDirectly();
    const { slack, thread, ask } = asked;
    const method = 'chat.startStream';
    slack.faults.inject({ method, times: 1, retryAfter: 3 });
    slack.faults.inject({ method, times: 1, status: 502 });
    slack.faults.inject({ method, times: 1, error: 'is_archived' });
    await expect(open(thread, 'x')).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 3_000,
    });
    await expect(open(thread, 'x')).rejects.toMatchObject({ kind: 'failed' });
    await expect(open(thread, 'x')).rejects.toMatchObject({ kind: 'uneditable' });
    expect((await ask('and now?')).openStream).toBeDefined();
  });
});
