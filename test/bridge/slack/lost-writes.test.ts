import { describe, expect, test } from 'vitest';
import type { SlackMessage } from '../../../src/sandbox/slack/model.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import {
  type Asked,
  describeLateEdits,
  describeLongLimits,
  describeLostPosts,
  type PostingPlatform,
  replyTo,
  type ShownReply,
} from '../../contracts/lost-posts.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { startSlack } from './start-slack.ts';

async function openSlack(where: 'channel' | 'direct' = 'channel') {
  let later = 0;
  await using parts = new AsyncDisposableStack();
  const served = parts.use(await serveWorkspace({ now: () => Date.now() + later }));
  const { slack, ada, help } = served;
  const now = () => Date.now() + later;
  let started = parts.use(await startSlack(slack, 'socket', { now }));
  const open = parts.move();
  const channel = where === 'direct' ? slack.direct(ada).id : help;
  return {
    slack,
    channel,
    log: () => started.log,
    faults: slack.faults,
    loss: { drop: true },
    post: 'chat.postMessage',
    edit: 'chat.update',
    look: 'conversations.replies',
    async ask() {
      const text = `<@${slack.bot.user}> why?`;
      const { ts: question } = await slack.say({ user: ada, channel, text });
      return { question, thread: (await started.next()).thread };
    },
    async restart({ thread }: Asked) {
      await started[Symbol.asyncDispose]();
      started = open.use(await startSlack(slack, 'socket', { now }));
      return started.platform.thread(thread.address);
    },
    advance: (milliseconds: number) => void (later += milliseconds),
    shown: ({ question }: Asked) => slack.messages(channel, question).slice(1).map(toShown),
    changed: () => slack.waitFor(({ kind }) => kind === 'message'),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  } satisfies PostingPlatform & Record<string, unknown>;
}

function toShown(message: SlackMessage): ShownReply {
  const { ts: id, blocks = [] } = message;
  const actions = blocks.filter(({ type }) => type === 'actions');
  const buttons = JSON.stringify(actions).match(/(?<="plain_text","text":")[^"]*/g) ?? [];
  return { id, text: plainText({ ...message, blocks: blocks.slice(0, 1) }), buttons };
}

describeLostPosts(() => openSlack());
describeLateEdits(() => openSlack());
describeLongLimits(() => openSlack());

describe('a stream in a direct message', () => {
  const lose = (slack: SlackWorkspace, method: string) =>
    slack.faults.inject({ method, times: 1, afterEffect: true, drop: true });

  test('whose start got no response is removed: the reply is a message that is edited', async () => {
    await using direct = await openSlack('direct');
    const { slack, ask, shown } = direct;
    const asked = await ask();
    lose(slack, 'chat.startStream');
    const removed = slack.waitFor(({ kind }) => kind === 'removed');
    const { reply, stored, finish } = replyTo(asked);
    reply.append('One ');
    await removed;
    await finish('One two');
    const replies = shown(asked);
    expect(replies).toMatchObject([{ text: 'One two', buttons: ['Try again'] }]);
    expect(stored).toEqual([replies.map(({ id }) => id)]);
    expect(slack.session(direct.channel, asked.question)).toBe('active');
  });

  test.each(['chat.appendStream', 'chat.stopStream'])(
    'shows its text once where %s got no response',
    async (method) => {
      await using direct = await openSlack('direct');
      const { slack, ask, shown, changed } = direct;
      const asked = await ask();
      lose(slack, method);
      const { reply: growing, finish } = replyTo(asked);
      for (const delta of ['One ', 'two ', 'three']) {
        const written = changed();
        growing.append(delta);
        await written;
      }
      await finish('One two three');
      const [reply] = shown(asked);
      expect(shown(asked)).toMatchObject([{ text: 'One two three', buttons: ['Try again'] }]);
      const steps = slack.revisions(direct.channel, reply?.id ?? '');
      expect(steps.filter((step) => /(\w+) \1/.test(step))).toEqual([]);
    },
  );

  test('that can’t be stopped for an hour is left for a new message with the whole answer', async () => {
    await using direct = await openSlack('direct');
    const { slack, ask, shown, changed } = direct;
    const asked = await ask();
    const { reply, stored, finish } = replyTo(asked);
    const posted = changed();
    reply.append('One ');
    await posted;
    slack.faults.inject({ method: 'chat.stopStream', times: 100, retryAfter: 3_600 });
    await finish('One two');
    const [begun, whole] = shown(asked);
    expect(begun).toMatchObject({ text: 'One', buttons: [] });
    expect(whole).toMatchObject({ text: 'One two', buttons: ['Try again'] });
    expect(stored.at(-1)).toEqual([whole?.id]);
  });

  test.each([
    ['still streams', 0],
    ['was ended by Slack', 6 * 60_000],
  ])('that the process died on %s, and goes', async (_how, later) => {
    await using direct = await openSlack('direct');
    const { slack, ask, restart, shown, advance } = direct;
    const earlier = await ask();
    const done = await earlier.thread.openStream?.('Answered', 'turn-0.0.0');
    await done?.finish({ markdown: '.' });
    const asked = { ...earlier, question: done?.message.id ?? '' };
    await asked.thread.openStream?.('Two', 'turn-1.0.0');
    advance(later);
    const thread = await restart(asked);
    const { finish } = replyTo({ ...asked, thread }, { resumed: true });
    await finish('One two');
    expect(shown(earlier).map(({ text }) => text)).toEqual(['Answered.', 'One two']);
    expect(slack.session(direct.channel, earlier.question)).toBe('active');
  });

  test('that another answer finished stays where a question is answered again', async () => {
    await using direct = await openSlack('direct');
    const { ask, shown } = direct;
    const asked = await ask();
    const done = await asked.thread.openStream?.('Another', 'turn-2.0.0');
    await done?.finish({ markdown: ' answer.' });
    const { finish } = replyTo(asked, { resumed: true });
    await finish('Again.');
    expect(shown(asked).map(({ text }) => text)).toEqual(['Another answer.', 'Again.']);
  });
});

test('no thread is read for a stream or a post that Slack refuses', async () => {
  await using direct = await openSlack('direct');
  const { slack, ask, shown, changed } = direct;
  const asked = await ask();
  slack.faults.inject({ method: 'conversations.replies', times: 1, status: 503 });
  slack.faults.inject({ method: 'chat.startStream', times: 1, error: 'feature_not_enabled' });
  const { reply, finish } = replyTo(asked);
  const posted = changed();
  reply.append('One ');
  await posted;
  await finish('One two');
  slack.faults.inject({ method: 'chat.postMessage', times: 1, error: 'invalid_arguments' });
  const other = replyTo(asked, { key: 'turn-2.0' }).finish('Three');
  await expect(other).rejects.toMatchObject({ kind: 'refused' });
  expect(shown(asked).map(({ text }) => text)).toEqual(['One two']);
  expect(slack.faults.take('chat.startStream')).toBeUndefined();
  expect(slack.faults.take('conversations.replies')).toBeDefined();
});

test('a post that Slack carries out late is removed when the reply has ended', async () => {
  await using channel = await openSlack();
  const { slack, ask, shown } = channel;
  const asked = await ask();
  slack.faults.inject({ method: 'chat.postMessage', times: 1, drop: true });
  let late = false;
  const { finish } = replyTo(asked, {
    async onPosted() {
      if (late) return;
      late = true;
      await asked.thread.post({ markdown: 'Whole' }, 'turn-1.0.0');
    },
  });
  await finish('Whole.');
  expect(late).toBe(true);
  expect(shown(asked)).toMatchObject([{ text: 'Whole.', buttons: ['Try again'] }]);
});

test('where Slack lets no bot read threads, the message is posted again, and the log says so', async () => {
  await using channel = await openSlack();
  const { slack, ask, shown, log } = channel;
  const asked = await ask();
  slack.faults.inject({ method: 'chat.postMessage', times: 1, afterEffect: true, drop: true });
  slack.faults.inject({ method: 'conversations.replies', times: 9, error: 'missing_scope' });
  await replyTo(asked).finish('Whole.');
  expect(shown(asked).map(({ text }) => text)).toEqual(['Whole.', 'Whole.']);
  expect(log().lines).toContainEqual({
    level: 'warn',
    fields: expect.objectContaining({ thread: asked.thread.address }) as object,
    message: expect.stringContaining('may appear twice') as string,
  });
});
